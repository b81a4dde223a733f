// The pull driver: an agent claims a step, does the work itself, and reports from another process. Everything before and after the
// work is that of a pushed attempt.

import { noUsage } from "../../domain/attempt.ts";
import type { Decision } from "../../domain/decision.ts";
import { AppError } from "../../domain/error.ts";
import { type AttemptId, attemptId, type RunId, type StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { ExecutionEnd } from "../../executors/executor.ts";
import { deadlineIn } from "../../system/clock.ts";
import { concludeAttempt, type Opened, openAttempt } from "../attempt/attempt.ts";
import type { BegunAttempt } from "../attempt/begin/begin.ts";
import { findBegun } from "../attempt/begin/begin.ts";
import { type Claim, claimStep, hasWork, timeFor } from "../attempt/claim/claim.ts";
import { noToolReport } from "../attempt/execute/answer.ts";
import { finish } from "../attempt/finish/finish.ts";
import { endFile, openLog } from "../attempt/logs.ts";
import { failedWith, stoppedBefore } from "../attempt/settle/outcomes.ts";
import { noAttempts, performEffects } from "../effects/effects.ts";
import { placementOf } from "../machines/placement.ts";
import type { Parts } from "../parts.ts";
import { StopSwitch } from "../stop-switch.ts";
import { lowDiskWarning } from "../trees/disk-space.ts";
import { withTreeLock } from "../trees/trees.ts";
import { pullingWorker } from "../worker.ts";
import { recover } from "./recover.ts";

/** The time limit of a step whose workflow gives none: after that, an agent that pulled it counts as dead. */
const pullLeaseMs = 45 * 60_000;
const renewEveryMs = 60_000;

export interface Pulled {
  readonly run: RunId;
  /** The attempt's id: it fences an agent that does not pass its token. */
  readonly handle: AttemptId;
  readonly story: StoryId | null;
  readonly attempt: number;
  readonly token: string;
  readonly input: string;
}

/** `agent` is `<workflow>/<agent>`; null: it has no work now. */
export async function pullStep(parts: Parts, agent: string, run: RunId | null): Promise<Pulled | null> {
  await recover(parts);
  const lowDisk = await lowDiskWarning(parts);
  const claim = await claimStep(parts, {
    run,
    agent,
    driver: "pull",
    worker: pullingWorker(agent),
    holdsNew: lowDisk !== null,
    mayTake: placementOf(parts),
    leaseMs: pullLeaseMs,
  });
  if (claim === null && lowDisk !== null && (await hasWork(parts, { run: null, agent }))) parts.warn(lowDisk);
  const opened = claim === null ? null : await open(parts, claim);
  if (opened === null) return null;
  const { attempt } = opened.begun.claim;
  return {
    run: opened.begun.claim.run.header.id,
    handle: attempt.id,
    story: attempt.story,
    attempt: attempt.number,
    token: attempt.token,
    input: opened.input.input,
  };
}

async function open(parts: Parts, claim: Claim): Promise<Opened | null> {
  try {
    return await openAttempt(await asConfigured(parts, claim.run), claim);
  } catch (error) {
    // The call fails, and its run may have ended with it: what that asks for must not wait for another call.
    await performEffects(parts, noAttempts);
    throw error;
  }
}

/** `given`: the agent's token; null: it has passed none. */
export async function completePulledStep(
  parts: Parts,
  handle: string,
  given: string | null,
  text: string,
): Promise<Decision> {
  return await report(parts, handle, given, { ...ended, outcome: "ran", text });
}

export async function failPulledStep(
  parts: Parts,
  handle: string,
  given: string | null,
  reason: string,
): Promise<Decision> {
  const why = reason || "the agent reported a failure";
  return await report(parts, handle, given, { ...ended, outcome: "failed", text: "", why });
}

/** An agent that pulls reports no usage and no session. */
const ended = { usage: noUsage, session: null, notes: [] } as const;

async function report(parts: Parts, handle: string, given: string | null, end: ExecutionEnd): Promise<Decision> {
  const begun = await find(parts, handle);
  const { attempt } = begun.claim;
  if (attempt.driver === "push") throw notPulled(handle);
  // An agent that pulled the step may report by its id alone.
  const token = given ?? attempt.token;
  const refuse = () => finish(parts, begun.claim, stoppedBefore(new StopSwitch()), { stop: new StopSwitch(), token });
  // A report that the engine will refuse must not run checks, and must not touch the tree or the log.
  const decision = mayReport(begun.claim, token)
    ? await settleInTurn(parts, begun, token, end, refuse)
    : await refuse();
  // A run whose agents all pull has no driver: what its end asks for is done here.
  await performEffects(parts, noAttempts);
  return decision;
}

function mayReport({ run, attempt }: Claim, token: string): boolean {
  const isOpen = attempt.state.phase === "started" || attempt.state.phase === "dispatched";
  return isOpen && token === attempt.token && run.header.end === null;
}

/** One report at a time: the second one finds the attempt ended. */
async function settleInTurn(
  parts: Parts,
  { claim: { run, attempt } }: BegunAttempt,
  token: string,
  end: ExecutionEnd,
  refuse: () => Promise<Decision>,
): Promise<Decision> {
  const turn = endFile(parts, run.header.id, attempt);
  let decision: Decision | null = null;
  await withTreeLock(turn, async () => {
    const begun = await find(await asConfigured(parts, run), attempt.id);
    decision = mayReport(begun.claim, token) ? await settleReport(parts, begun, token, end) : null;
  });
  return decision ?? (await refuse());
}

/** The lease is renewed meanwhile: checks may take longer than is left of it. */
async function settleReport(
  parts: Parts,
  begun: BegunAttempt,
  token: string,
  end: ExecutionEnd,
): Promise<Decision | null> {
  const { claim } = begun;
  if (!(await renew(parts, claim))) return null;
  const stop = new StopSwitch();
  const renewal = setInterval(() => void renewOrStop(parts, claim, stop), renewEveryMs);
  try {
    await logAnswer(parts, claim, end);
    const answer = { kind: "executed", end, reported: noToolReport } as const;
    return await concludeAttempt(parts, begun, answer, { stop, token });
  } catch (error) {
    if (!isProtocolFailure(error)) throw error;
    // The same report would fail again and again: the attempt has failed, as one that Pawl started.
    return await finish(parts, claim, failedWith(error, stop), { stop, token });
  } finally {
    clearInterval(renewal);
  }
}

function isProtocolFailure(error: unknown): boolean {
  return error instanceof AppError && (error.code === "PROTOCOL_FAILED" || error.code === "PROTOCOL_MISSING");
}

/** Another attempt may work in the tree from then on: nothing here may touch it. */
async function renewOrStop(parts: Pick<Parts, "dispatch" | "clock">, claim: Claim, stop: StopSwitch): Promise<void> {
  const isHeld = await renew(parts, claim).catch(() => true);
  if (!isHeld) stop.stop("its lease was taken away");
}

/** false: the attempt is not the agent's any more. */
async function renew(parts: Pick<Parts, "dispatch" | "clock">, claim: Claim): Promise<boolean> {
  const { run, attempt, definition } = claim;
  if (definition.kind !== "agent") return false;
  const now = parts.clock.now();
  // A limit may be shorter than the time until the next renewal; that of the agent is over, and its checks have their own.
  const until = deadlineIn(parts.clock, Math.max(timeFor(claim, now) ?? pullLeaseMs, 3 * renewEveryMs));
  const worker = pullingWorker(`${run.header.definition.id}/${definition.agent}`);
  return (await parts.dispatch.renew(worker, [attempt.id], until)).length > 0;
}

async function logAnswer(
  parts: Pick<Parts, "home" | "secrets" | "protocols">,
  { run, attempt }: Claim,
  end: ExecutionEnd,
): Promise<void> {
  const log = openLog(parts, run.header, attempt);
  await log.sink("stdout", Buffer.from(end.outcome === "ran" ? end.text : `it failed: ${end.why}\n`));
  await log.close();
}

/** An agent calls from anywhere: what the repository of its run configures counts, not that of its working directory. */
async function asConfigured(parts: Parts, { header }: Run): Promise<Parts> {
  return { ...parts, settings: await parts.settingsOf(header.place.repo) };
}

function notPulled(handle: string): AppError {
  return new AppError("REFUSED", `no agent has claimed ${handle}: Pawl performs it`, {
    hint: "only the agent that Pawl has started for it can report, with PAWL_DESK and PAWL_TOKEN of its environment",
  });
}

async function find(
  parts: Pick<Parts, "store" | "home" | "settings" | "protocols">,
  handle: string,
): Promise<BegunAttempt> {
  const begun = await findBegun(parts, attemptId(handle));
  if (begun !== null) return begun;
  throw new AppError("NOT_FOUND", `there is no claimed step ${handle}`, {
    hint: "use the stepId that `pawl step claim` printed",
  });
}
