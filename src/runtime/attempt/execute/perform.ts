// Performing an attempt. Owns: from a claim to a report: prepare, begin, run, read, check, finish. Each part says below what it
// does; none of it decides anything.

import type { Event } from "../../../domain/event.ts";
import type { Report } from "../../../domain/report.ts";
import { discards } from "../../../engine/attempts/endings.ts";
import type { Execution, ExecutionEnd, Executor } from "../../../executors/executor.ts";
import { restoreSnapshot } from "../../../workspaces/trees/restore.ts";
import { isStoreTrouble } from "../../loop/store-trouble.ts";
import type { Parts } from "../../parts.ts";
import { transition } from "../../runs/transition.ts";
import { salvage } from "../../trees/salvage.ts";
import { beginClaimed } from "../begin/begin.ts";
import type { Claim } from "../claim/claim.ts";
import { endOf, logStep } from "../finish/step-log.ts";
import { type AttemptLog, openLog } from "../logs.ts";
import { shownTree, type Workspace } from "../prepare/workspace.ts";
import { afterEnd } from "../settle/account-limits.ts";
import { firstRed, needsChecks, rejectedBy, type Where } from "../settle/checks.ts";
import { collectEdits, putFilesAway } from "../settle/protocol-files.ts";
import { keepUntouched } from "../settle/read-only.ts";
import { cancelled, reportOf, troubleReport, withBackoff } from "../settle/results.ts";
import { callOf, executorOf, type Surroundings } from "./call.ts";
import { Desk, type ToolServer } from "./desk.ts";
import { performIntegration } from "./integration.ts";
import { forgetEnd, keepEnd, nothingTold, type Told } from "./kept-end.ts";

/** An execution that ended while nobody was there to report it. */
export interface Adopted {
  readonly end: ExecutionEnd;
  readonly told: Told;
  readonly workspace: Workspace;
}

/** What one execution needs. */
interface Work extends Omit<Surroundings, "mcp" | "onOutput"> {
  readonly executor: Executor;
  readonly tools: ToolServer | null;
  readonly log: AttemptLog;
}

/** A handle on an attempt that this process performs. */
export class Performance {
  readonly claim: Claim;
  readonly ended: Promise<void>;
  #stop: ((reason: string) => void) | null = null;
  #stopped: string | null = null;
  /** What its execution used, once that is known. */
  #used: Report | null = null;

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
      this.#spent(this.#stopped === null ? troubleReport(error) : cancelled(this.#stopped)),
    );
    const events = await finish(parts, this.claim, report, () => this.#stopped !== null);
    logStep(parts, this.claim, endOf(events, report), { outcome: report.outcome });
    forgetEnd(parts, this.claim.run.header.id, this.claim.attempt);
    await putFilesAway(parts, this.claim, events);
  }

  async #perform(parts: Parts): Promise<Report> {
    const { claim } = this;
    const { run, attempt, definition } = claim;
    const executor = definition.kind === "integrate" ? null : await executorOf(parts, claim);
    const tools = executor?.callsTools === true ? parts.tools : null;
    const { workspace, input, decision } = await this.#begin(parts, tools !== null);
    if (!decision.accepted || this.#stopped !== null)
      return cancelled(this.#stopped ?? "it was told to stop before it began");
    logStep(parts, claim, "step_started");
    const log = openLog(parts, run.header, attempt);
    try {
      if (executor === null) return await this.#integrate(parts, workspace, log);
      const { end, told } = await this.#execute(parts, { executor, tools, workspace, input, log });
      keepEnd(parts, run.header.id, attempt, { end, told, env: workspace.env });
      const report = await this.#report(parts, end, told, input.missing);
      return await this.#conclude(parts, workspace, report, told, log);
    } finally {
      await log.close();
    }
  }

  #begin(parts: Parts, hasTools: boolean) {
    return beginClaimed(parts, this.claim, "driver", { hasTools }, (stop) => this.#control(stop));
  }

  async #integrate(parts: Parts, workspace: Workspace, log: AttemptLog): Promise<Report> {
    const where = this.#where(workspace, log);
    const check = async (cwd: string) => (await this.#firstRed({ ...where, cwd }))?.output ?? null;
    const report = await performIntegration(parts, this.claim, workspace, check);
    return this.#stopped === null || report.outcome !== "completed" || report.verdict.kind === "passed"
      ? report
      : cancelled(this.#stopped);
  }

  /** The agent at work, with its desk where it can call tools. */
  async #execute(parts: Parts, work: Work): Promise<{ readonly end: ExecutionEnd; readonly told: Told }> {
    const { executor, tools, log, input } = work;
    let execution: Execution | null = null;
    const desk = tools === null ? null : new Desk(this.claim, input, () => execution?.heard?.(), log.note);
    const open = desk === null ? null : await tools?.open(desk);
    try {
      const mcp = open ? { url: open.url, token: open.token } : null;
      const running = executor.start(callOf(parts, this.claim, { ...work, mcp, onOutput: log.sink }));
      execution = running;
      this.#control((reason) => running.stop(reason));
      const end = await running.ended;
      const edits = desk?.edits;
      return { end, told: desk === null ? nothingTold : { report: desk.report, ...(edits ? { edits } : {}) } };
    } finally {
      open?.close();
    }
  }

  /** Somebody else saw it end and died before saying so. */
  async #goOn(parts: Parts, { end, told, workspace }: Adopted): Promise<Report> {
    const log = openLog(parts, this.claim.run.header, this.claim.attempt);
    try {
      return await this.#conclude(parts, workspace, await this.#report(parts, end, told, []), told, log);
    } finally {
      await log.close();
    }
  }

  /** What it came to, for its step and for its account. */
  async #report(parts: Parts, ended: ExecutionEnd, told: Told, missing: readonly string[]): Promise<Report> {
    const end = { ...ended, usage: parts.executors.priced(this.claim.attempt.executor, ended) };
    const report = reportOf(this.claim, end, told, missing);
    this.#used = report;
    const turned = await afterEnd(parts, this.claim, end, report);
    return turned ?? withBackoff(report, this.claim, parts.clock.now(), Math.random());
  }

  /** Whatever comes of it: what the agent has used is used. */
  #spent(report: Report): Report {
    if (this.#used === null) return report;
    const { usage, session, model = null, version = null } = this.#used;
    return { ...report, usage, session, model, version };
  }

  /** What it says is checked; how it wants its chain changed is read; what it left and must not stay is put aside. */
  async #conclude(parts: Parts, workspace: Workspace, said: Report, told: Told, log: AttemptLog): Promise<Report> {
    const { run, attempt } = this.claim;
    const untouched = await keepUntouched(parts, this.claim, workspace, said);
    const report = await this.#check(this.#where(workspace, log), untouched);
    if (report.outcome === "completed") {
      const collected = await collectEdits(parts, this.claim, workspace.path);
      const edits = told.edits ?? collected;
      return { ...report, ...(edits === undefined ? {} : { edits }), tree: await this.#tree(parts) };
    }
    // Before the store knows: from then on its slot may be another story's.
    const { base } = workspace;
    const isLeft = report.outcome === "cancelled" || report.outcome === "lost" || report.asked !== undefined;
    if (!isLeft && discards(run.header, report.outcome) && base !== null) {
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
    if (this.#stopped !== null) return this.#spent(cancelled(this.#stopped));
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
