// The pull driver. Owns: agents that take their work themselves: claim, complete, fail. The engine is the same; so are the
// results.

import { type Attempt, hasEnded, noUsage } from "../../../domain/attempt.ts";
import type { Decision } from "../../../domain/decision.ts";
import { isPerformed, type PerformedDefinition } from "../../../domain/definition.ts";
import { AppError } from "../../../domain/error.ts";
import { type AttemptId, attemptId, type RunId, type StoryId, token } from "../../../domain/ids.ts";
import type { Report } from "../../../domain/report.ts";
import type { Run } from "../../../domain/run.ts";
import { definitionOf } from "../../../engine/definitions.ts";
import type { OutputSink } from "../../../system/process/call.ts";
import { performEffects } from "../../effects/effects.ts";
import { recover } from "../../loop/recover.ts";
import type { Parts } from "../../parts.ts";
import { transition } from "../../runs/transition.ts";
import { workspacePath } from "../../trees/workspace-paths.ts";
import { beginClaimed } from "../begin/begin.ts";
import { claimStep } from "../claim/claim.ts";
import { openLog } from "../logs.ts";
import { shownTree } from "../prepare/workspace.ts";
import { firstRed, needsChecks, rejectedBy } from "../settle/checks.ts";
import { collectEdits, putFilesAway } from "../settle/protocol-files.ts";
import { readAnswer } from "../settle/results.ts";

/** A step's time limit where its workflow gives none: after that, an agent that pulled it counts as dead. */
const pullLeaseMs = 45 * 60_000;

export interface Pulled {
  readonly run: RunId;
  /** A handle of the attempt, so that an agent that does not pass its token is still fenced. */
  readonly handle: AttemptId;
  readonly story: StoryId | null;
  readonly attempt: number;
  readonly token: string;
  readonly input: string;
}

/** `agent` is `<workflow>/<agent>`. */
export async function pullStep(parts: Parts, agent: string, run: RunId | null): Promise<Pulled | null> {
  await recover(parts);
  const wish = { run, agent, driver: "pull", worker: `pull:${agent}`, leaseMs: pullLeaseMs } as const;
  const claim = await claimStep(parts, wish);
  if (!claim) return null;
  const { attempt } = claim;
  try {
    const { input } = await beginClaimed(parts, claim, `agent:${agent}`, "input");
    return {
      run: claim.run.header.id,
      handle: attempt.id,
      story: attempt.story,
      attempt: attempt.number,
      token: attempt.token,
      input: input.input,
    };
  } catch (error) {
    // Nobody will perform it: give it back before saying why.
    await report(parts, attempt.id, null, {
      outcome: "cancelled",
      why: String(error),
      retryAt: null,
      notes: [],
      ...nothing,
    });
    throw error;
  }
}

export async function completeStep(
  parts: Parts,
  handle: string,
  given: string | null,
  text: string,
): Promise<Decision> {
  const { run, attempt } = await find(parts, handle);
  // Only the story it speaks of: the whole of a long run is thousands of attempts.
  const needed = attempt.story === null ? [] : [attempt.story];
  const loaded = await parts.store.transaction((tx) => tx.load(run, () => needed));
  if (!loaded) throw unknownHandle(handle);
  const definition = definitionOf(loaded.run, attempt.story, attempt.name);
  if (!isPerformed(definition)) throw unknownHandle(handle);
  const read: Report = { ...readAnswer(definition, text, loaded.run.header.definition.knownKeys), ...nothing };
  const secret = given ?? attempt.token;
  // A report that will be refused is not worth running checks for, and must not touch the log of the attempt.
  if (secret !== attempt.token || hasEnded(attempt)) return await report(parts, attempt.id, secret, read);
  const log = openLog(parts, loaded.run.header, attempt);
  await log.sink("stdout", Buffer.from(text));
  const checked = await check(parts, loaded.run, attempt, definition, read, log.sink);
  await log.close();
  const tree = await shownTree(parts, loaded.run, attempt.story);
  const work = { run: loaded.run, attempt, definition };
  const path = workspacePath(parts, loaded.run, attempt.story);
  const edits = checked.outcome === "completed" ? await collectEdits(parts, work, path) : undefined;
  const decision = await report(parts, attempt.id, secret, { ...checked, ...(edits ? { edits } : {}), tree });
  await putFilesAway(parts, work, decision.events);
  return decision;
}

/** What an agent that pulls calls done is checked like everybody's. */
async function check(
  parts: Parts,
  run: Run,
  attempt: Attempt,
  definition: PerformedDefinition,
  said: Report,
  sink: OutputSink,
): Promise<Report> {
  if (!needsChecks(definition, said)) return said;
  const where = { cwd: workspacePath(parts, run, attempt.story), attempt: attempt.id, sink };
  const red = await firstRed(definition.checks, where, () => undefined);
  return red === null ? said : rejectedBy(red, said);
}

export async function failStep(parts: Parts, handle: string, given: string | null, reason: string): Promise<Decision> {
  const { attempt } = await find(parts, handle);
  const failed: Report = {
    outcome: "failed",
    why: reason || "the agent reported a failure",
    retryAt: null,
    notes: [],
    ...nothing,
  };
  return await report(parts, attempt.id, given ?? attempt.token, failed);
}

const nothing = { usage: noUsage, session: null, tree: null } as const;

async function report(parts: Parts, id: AttemptId, given: string | null, said: Report): Promise<Decision> {
  const { run, attempt } = await find(parts, id);
  const decision = await transition(parts, run, {
    type: "finish_attempt",
    at: parts.clock.now(),
    author: `agent:${attempt.name}`,
    story: attempt.story,
    attempt: attempt.id,
    token: given === null ? null : token(given),
    report: said,
  });
  // Nobody drives a run that is only pulled: what its end asks for is done here.
  await performEffects(parts, () => false);
  return decision;
}

async function find(parts: Parts, handle: string) {
  const found = await parts.store.attempt(attemptId(handle));
  if (!found) throw unknownHandle(handle);
  return found;
}

function unknownHandle(handle: string): AppError {
  return new AppError("NOT_FOUND", `there is no claimed step ${handle}`, {
    hint: "use the stepId that `pawl step claim` printed",
  });
}
