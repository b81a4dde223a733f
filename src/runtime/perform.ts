// Performing an attempt. Owns: from a claim to a report: prepare, begin, run, read, check, finish. Each part says below what it
// does; none of it decides anything.

import { AppError } from "../domain/error.ts";
import type { Event } from "../domain/event.ts";
import type { Report } from "../domain/report.ts";
import { discards } from "../engine/endings.ts";
import { timeLeft } from "../engine/limits.ts";
import type { Execution, ExecutionEnd } from "../executors/executor.ts";
import { restoreSnapshot } from "../workspaces/restore.ts";
import { beginClaimed } from "./begin.ts";
import { firstRed, needsChecks, rejectedBy, type Where } from "./checks.ts";
import { agentOf, type Claim, timeLimitOf } from "./claim.ts";
import { forgetEnd, keepEnd } from "./ends.ts";
import type { Input } from "./input.ts";
import { performIntegration } from "./integration.ts";
import { type AttemptLog, openLog } from "./logs.ts";
import type { Parts } from "./parts.ts";
import { putAway, readRequest } from "./requests.ts";
import { cancelled, reportOf, troubleReport, withPatience } from "./results.ts";
import { salvage } from "./salvage.ts";
import { endOf, logStep } from "./step-log.ts";
import { transition } from "./transition.ts";
import { shownTree, type Workspace } from "./workspace.ts";

/** An execution that ended while nobody was there to report it. */
export interface Adopted {
  readonly end: ExecutionEnd;
  readonly workspace: Workspace;
}

/** A handle on an attempt that this process performs. */
export class Performance {
  readonly claim: Claim;
  readonly ended: Promise<void>;
  #stop: ((reason: string) => void) | null = null;
  #stopped: string | null = null;

  constructor(parts: Parts, claim: Claim, adopted: Adopted | null = null) {
    this.claim = claim;
    this.ended = this.#run(parts, adopted);
  }

  /** Only the first call counts. What the agent says afterwards does not. */
  stop(reason: string): void {
    this.#stopped ??= reason;
    this.#stop?.(reason);
  }

  async #run(parts: Parts, adopted: Adopted | null): Promise<void> {
    const performed = adopted === null ? this.#perform(parts) : this.#goOn(parts, adopted);
    const report = await performed.catch((error: unknown) =>
      this.#stopped === null ? troubleReport(error) : cancelled(this.#stopped),
    );
    const events = await finish(parts, this.claim, report, () => this.#stopped !== null);
    logStep(parts, this.claim, endOf(events, report), { outcome: report.outcome });
    forgetEnd(parts, this.claim.run.header.id, this.claim.attempt);
    putAway(
      this.claim.run.header,
      this.claim.attempt,
      events.some(({ type }) => type === "chain_edited"),
    );
  }

  async #perform(parts: Parts): Promise<Report> {
    const { claim } = this;
    const { run, attempt, definition } = claim;
    const { workspace, input, decision } = await this.#begin(parts);
    if (!decision.accepted || this.#stopped !== null)
      return cancelled(this.#stopped ?? "it was told to stop before it began");
    logStep(parts, claim, "step_started");
    const log = openLog(parts, run.header, attempt);
    try {
      if (definition.kind === "integrate") {
        const where = this.#where(workspace, log);
        const check = async (cwd: string) => (await this.#firstRed({ ...where, cwd }))?.output ?? null;
        const report = await performIntegration(parts, claim, definition, workspace, check);
        return this.#stopped === null || report.outcome !== "completed" || report.verdict.kind === "passed"
          ? report
          : cancelled(this.#stopped);
      }
      const execution = await startExecution(parts, claim, workspace, input, log);
      this.#control((reason) => execution.stop(reason));
      const end = await execution.ended;
      keepEnd(parts, run.header.id, attempt, { end, env: workspace.env });
      const report = withPatience(reportOf(claim, end, input.missing), claim, parts.clock.now(), Math.random());
      return await this.#conclude(parts, workspace, report, log);
    } finally {
      await log.close();
    }
  }

  #begin(parts: Parts) {
    return beginClaimed(parts, this.claim, "driver", "prompt", (stop) => this.#control(stop));
  }

  /** Somebody else saw it end and died before saying so. */
  async #goOn(parts: Parts, { end, workspace }: Adopted): Promise<Report> {
    const log = openLog(parts, this.claim.run.header, this.claim.attempt);
    try {
      return await this.#conclude(parts, workspace, reportOf(this.claim, end, []), log);
    } finally {
      await log.close();
    }
  }

  /** What it says is checked; how it wants its chain changed is read; what it left and must not stay is put aside. */
  async #conclude(parts: Parts, workspace: Workspace, said: Report, log: AttemptLog): Promise<Report> {
    const { run, attempt } = this.claim;
    const report = await this.#check(this.#where(workspace, log), said);
    if (report.outcome === "completed") {
      const edits = readRequest(run.header, attempt);
      return { ...report, ...(edits === undefined ? {} : { edits }), tree: await this.#tree(parts) };
    }
    // Before the store knows: from then on its slot may be another story's.
    const { base } = workspace;
    const goes = report.outcome !== "cancelled" && report.outcome !== "lost" && discards(run.header, report.outcome);
    if (goes && base !== null) {
      await salvage(parts, run, workspace.path, { attempt, base });
      await restoreSnapshot(workspace.path, base);
    }
    return { ...report, tree: await this.#tree(parts) };
  }

  #tree(parts: Parts): Promise<string | null> {
    return shownTree(parts, this.claim.run, this.claim.attempt.story);
  }

  /** "Done" is a claim; the workflow's own commands say whether it is true. */
  async #check(where: Where, report: Report): Promise<Report> {
    if (!needsChecks(this.claim.definition, report)) return report;
    const red = await this.#firstRed(where);
    if (this.#stopped !== null) return cancelled(this.#stopped);
    return red === null ? report : rejectedBy(red, report);
  }

  #firstRed(where: Where) {
    return firstRed(this.claim.definition.checks, where, (stop) => this.#control(stop));
  }

  #where(workspace: Workspace, log: AttemptLog): Where {
    return { cwd: workspace.path, attempt: this.claim.attempt.id, sink: log.sink, env: workspace.env };
  }

  #control(stop: (reason: string) => void): void {
    this.#stop = stop;
    if (this.#stopped !== null) stop(this.#stopped);
  }
}

/** A result must not be lost because the disk is full or the store is locked for a minute: it is tried again. */
async function finish(
  parts: Parts,
  { run, attempt }: Claim,
  report: Report,
  isStopped: () => boolean,
): Promise<readonly Event[]> {
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, 15_000)) {
    try {
      const decision = await transition(parts, run.header.id, {
        type: "finish_attempt",
        at: parts.clock.now(),
        author: "driver",
        story: attempt.story,
        attempt: attempt.id,
        token: null,
        report,
      });
      return decision.events;
    } catch (error) {
      // Who is told to leave does not wait: the attempt is found at the next start, and its work is not lost.
      if (!isStoreTrouble(error) || isStopped()) throw error;
      parts.warn(`${error.message}; the result of ${attempt.name} waits (${error.hint})`);
      await parts.clock.sleep(waitMs);
    }
  }
}

/** Something that a person can mend while we wait: no space, no permission, a lock that nobody lets go of. */
export function isStoreTrouble(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === "STORE_FULL" || error.code === "STORE_UNUSABLE");
}

/** The step's own limit, or what a hard budget of time has left, whichever is less. */
function timeFor(parts: Parts, claim: Claim): number | null {
  const limits = [timeLimitOf(claim), timeLeft(claim.run, claim.attempt.story, claim.definition, parts.clock.now())];
  const given = limits.filter((limit) => limit !== null);
  return given.length === 0 ? null : Math.max(1, Math.min(...given));
}

async function startExecution(
  parts: Parts,
  claim: Claim,
  workspace: Workspace,
  input: Input,
  log: AttemptLog,
): Promise<Execution> {
  const { attempt, definition } = claim;
  const executor = await parts.executors.get(
    definition.kind === "command" ? `shell:${definition.command}` : attempt.executor,
  );
  return executor.start({
    prompt: input.prompt,
    cwd: workspace.path,
    env: { ...environmentOf(parts, claim, input), ...workspace.env },
    attempt: attempt.id,
    model: agentOf(claim)?.model ?? null,
    wallMs: timeFor(parts, claim),
    quietMs: definition.quietMs,
    onOutput: log.sink,
  });
}

function environmentOf(parts: Parts, claim: Claim, input: Input): Readonly<Record<string, string>> {
  const { run, attempt } = claim;
  const { shared } = run.header.place;
  return {
    PAWL_RUN: run.header.id,
    PAWL_STORY: attempt.story ?? "",
    PAWL_STORY_TITLE: run.header.stories.find((entry) => entry.id === attempt.story)?.title ?? "",
    // Where a chain has types, its steps are told by their id.
    PAWL_STEP: shared === undefined ? attempt.name : attempt.step,
    PAWL_STEP_TYPE: attempt.name,
    PAWL_ATTEMPT: String(attempt.number),
    PAWL_TOKEN: attempt.token,
    PAWL_SHARED: shared ?? parts.home.dir,
    PAWL_PROGRESS_FILE: input.progressFile,
    PAWL_MODEL: agentOf(claim)?.model ?? "",
    ...(shared === undefined ? {} : { RALPH_SHARED_DIR: shared }),
  };
}
