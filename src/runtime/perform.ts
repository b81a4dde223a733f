// Performing an attempt. Owns: from a claim to a report: prepare, begin, run, read, check, finish. Each part says below what it
// does; none of it decides anything.

import { noUsage } from "../domain/attempt.ts";
import { AppError } from "../domain/error.ts";
import type { CompletedReport, Report, UnfinishedReport } from "../domain/report.ts";
import { timeLeft } from "../engine/limits.ts";
import type { Execution, ExecutionEnd } from "../executors/executor.ts";
import { readReport } from "../prompts/report.ts";
import { beginClaimed } from "./begin.ts";
import { firstRed, needsChecks, rejectedBy } from "./checks.ts";
import { agentOf, type Claim, timeLimitOf } from "./claim.ts";
import type { Input } from "./input.ts";
import { type AttemptLog, openLog } from "./logs.ts";
import type { Parts } from "./parts.ts";
import { transition } from "./transition.ts";
import { shownTree, type Workspace } from "./workspace.ts";

/** A handle on an attempt that this process performs. */
export class Performance {
  readonly claim: Claim;
  readonly ended: Promise<void>;
  #stop: ((reason: string) => void) | null = null;
  #stopped: string | null = null;

  constructor(parts: Parts, claim: Claim) {
    this.claim = claim;
    this.ended = this.#run(parts);
  }

  /** Only the first call counts. What the agent says afterwards does not. */
  stop(reason: string): void {
    this.#stopped ??= reason;
    this.#stop?.(reason);
  }

  async #run(parts: Parts): Promise<void> {
    const report = await this.#perform(parts).catch((error: unknown) => troubleReport(error));
    await finish(parts, this.claim, report, () => this.#stopped !== null);
  }

  async #perform(parts: Parts): Promise<Report> {
    const { claim } = this;
    const { run, attempt } = claim;
    const { workspace, input, decision } = await beginClaimed(parts, claim, "driver", "prompt");
    if (!decision.accepted || this.#stopped !== null)
      return cancelled(this.#stopped ?? "it was told to stop before it began");
    const log = openLog(parts, run.header.id, attempt);
    try {
      const execution = await startExecution(parts, claim, workspace, input, log);
      this.#control((reason) => execution.stop(reason));
      const end = await execution.ended;
      const report = withFacts(readEnd(claim, end), end, input);
      const checked = await this.#check(claim, workspace, log, report);
      return { ...checked, tree: await shownTree(parts, run) };
    } finally {
      await log.close();
    }
  }

  /** "Done" is a claim; the workflow's own commands say whether it is true. */
  async #check(claim: Claim, workspace: Workspace, log: AttemptLog, report: Report): Promise<Report> {
    if (!needsChecks(claim.definition, report)) return report;
    const where = { cwd: workspace.path, attempt: claim.attempt.id, sink: log.sink };
    const red = await firstRed(claim.definition.checks, where, (stop) => this.#control(stop));
    if (this.#stopped !== null) return cancelled(this.#stopped);
    return red === null ? report : rejectedBy(red, report);
  }

  #control(stop: (reason: string) => void): void {
    this.#stop = stop;
    if (this.#stopped !== null) stop(this.#stopped);
  }
}

/** A result must not be lost because the disk is full or the store is locked for a minute: it is tried again. */
async function finish(parts: Parts, { run, attempt }: Claim, report: Report, isStopped: () => boolean): Promise<void> {
  for (let waitMs = 500; ; waitMs = Math.min(waitMs * 2, 15_000)) {
    try {
      await transition(parts, run.header.id, {
        type: "finish_attempt",
        at: parts.clock.now(),
        author: "driver",
        story: attempt.story,
        attempt: attempt.id,
        token: null,
        report,
      });
      return;
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
  const { run, attempt, definition } = claim;
  const executor = await parts.executors.get(
    definition.kind === "command" ? `shell:${definition.command}` : attempt.executor,
  );
  return executor.start({
    prompt: input.prompt,
    cwd: workspace.path,
    env: {
      PAWL_RUN: run.header.id,
      PAWL_STORY: attempt.story ?? "",
      PAWL_STORY_TITLE: run.header.stories.find((entry) => entry.id === attempt.story)?.title ?? "",
      PAWL_STEP: attempt.name,
      PAWL_STEP_TYPE: attempt.name,
      PAWL_ATTEMPT: String(attempt.number),
      PAWL_TOKEN: attempt.token,
      PAWL_SHARED: parts.home.dir,
      PAWL_PROGRESS_FILE: input.progressFile,
      PAWL_MODEL: agentOf(claim)?.model ?? "",
    },
    attempt: attempt.id,
    wallMs: timeFor(parts, claim),
    quietMs: definition.quietMs,
    onOutput: log.sink,
  });
}

function readEnd(claim: Claim, end: ExecutionEnd): CompletedReport | UnfinishedReport {
  const { definition, run } = claim;
  if (definition.kind === "command") return readCommand(end);
  if (end.outcome === "ran") return readReport(definition, end.text, run.header.definition.knownKeys);
  return unfinished(end.outcome, end.why, end.outcome === "rate_limited" ? end.retryAt : null);
}

/** A command step says yes or no by its exit code. */
function readCommand(end: ExecutionEnd): CompletedReport | UnfinishedReport {
  const said = { outcome: "completed", outputs: {}, stories: null, notes: [] } as const;
  if (end.outcome === "ran") return { ...said, verdict: { kind: "passed" }, feedback: end.text };
  if (end.outcome === "failed")
    return { ...said, verdict: { kind: "rejected", reason: "exit" }, feedback: `${end.why}\n${end.text}`.trim() };
  return unfinished(end.outcome, end.why, null);
}

function withFacts(report: CompletedReport | UnfinishedReport, end: ExecutionEnd, input: Input): Report {
  const missing = input.missing.map((key) => `the prompt names {{${key}}}, which nobody sets`);
  return {
    ...report,
    notes: [...missing, ...report.notes, ...end.notes],
    usage: end.usage,
    session: end.session,
    tree: null,
  };
}

/** Something of ours went wrong before there was a result (no disk, no git): the attempt failed, with the reason. */
function troubleReport(error: unknown): Report {
  const why =
    error instanceof AppError
      ? `${error.message} (${error.hint})`
      : error instanceof Error
        ? error.message
        : String(error);
  return { ...unfinished("failed", why, null), usage: noUsage, session: null, tree: null };
}

function cancelled(why: string): Report {
  return { ...unfinished("cancelled", why, null), usage: noUsage, session: null, tree: null };
}

function unfinished(outcome: UnfinishedReport["outcome"], why: string, retryAt: number | null): UnfinishedReport {
  return { outcome, why, retryAt, notes: [] };
}
