// One attempt: claim → prepare → begin → execute → settle → finish, one folder per phase.
//
// A driver goes through all of it (`RunningAttempt.start`). An agent that pulls does `execute` itself: one process opens the attempt,
// another concludes it with the agent's answer. A driver that takes over the result of a dead one only concludes. So the ways to
// perform a step differ in `execute`, and in nothing before or after it.

import type { Decision } from "../../domain/decision.ts";
import { errorText } from "../../domain/error.ts";
import type { NoteId } from "../../domain/ids.ts";
import type { Report } from "../../domain/report.ts";
import type { Receipt } from "../../executors/executor.ts";
import { noteForRunning } from "../../prompts/prompt.ts";
import { Mailbox } from "../mailbox.ts";
import type { Parts } from "../parts.ts";
import { explained } from "../site.ts";
import { StopSwitch } from "../stop-switch.ts";
import { transition } from "../transition/transition.ts";
import { handOver } from "../trees/hand-over.ts";
import { hasLostTree } from "../trees/lost-tree.ts";
import { salvage } from "../trees/salvage.ts";
import { exchangeTexts } from "../trees/shared-texts.ts";
import { type BeginPorts, type BegunAttempt, begin } from "./begin/begin.ts";
import { authorOf, type Claim } from "./claim/claim.ts";
import type { Answer } from "./execute/answer.ts";
import { awaitAgain, type ExecutePorts, execute, type Reach } from "./execute/execute.ts";
import { type FinishPorts, finish, finishAndClaim, type Result, type Wants } from "./finish/finish.ts";
import { afterAttempt } from "./hooks.ts";
import { type Prepared, type PreparePorts, prepare } from "./prepare/prepare.ts";
import type { Workspace } from "./prepare/workspace.ts";
import { failedWith, replaceOutcome, stoppedBefore, troubleWith } from "./settle/outcomes.ts";
import { type SettlePorts, settle } from "./settle/settle.ts";

/** Everything that some phase of an attempt uses. */
export type AttemptPorts = PreparePorts & BeginPorts & ExecutePorts & SettlePorts & FinishPorts & Pick<Parts, "site">;

/** An attempt that this process works on. */
export class RunningAttempt {
  readonly claim: Claim;
  /** Rejects only if the result cannot be stored. Gives what was claimed together with the result. */
  readonly ended: Promise<Claim | null>;
  readonly #parts: AttemptPorts;
  readonly #stop = new StopSwitch();
  readonly #mailbox = new Mailbox();

  /** Performs a step that was just claimed, from its tree to its result. */
  static start(parts: AttemptPorts, claim: Claim, wants: Wants): RunningAttempt {
    return new RunningAttempt(parts, claim, (stop, mailbox) => performAttempt(parts, claim, { stop, mailbox }, wants));
  }

  /** Reports the result of an execution that ended after its driver had died. */
  static adopt(parts: AttemptPorts, begun: BegunAttempt, answer: Answer): RunningAttempt {
    return new RunningAttempt(parts, begun.claim, (stop) => concludeHere(parts, begun, answer, stop));
  }

  /** Waits on for another program, whose report had not arrived when the driver of the attempt died. */
  static rejoin(parts: AttemptPorts, begun: BegunAttempt): RunningAttempt {
    return new RunningAttempt(parts, begun.claim, async (stop) =>
      concludeHere(parts, begun, await awaitAgain(parts, begun, stop), stop),
    );
  }

  private constructor(
    parts: AttemptPorts,
    claim: Claim,
    work: (stop: StopSwitch, mailbox: Mailbox) => Promise<Claim | null>,
  ) {
    this.#parts = parts;
    this.claim = claim;
    this.ended = work(this.#stop, this.#mailbox);
  }

  /** It has not ended, and the next driver continues it. */
  get isLeft(): boolean {
    return this.#stop.isLeft;
  }

  /** Another program does its work. */
  get outlivesDriver(): boolean {
    return this.#stop.outlivesDriver;
  }

  /** The driver goes: the attempt stops, unless another program does its work. Then the next driver continues it. */
  leave(reason: string): void {
    this.#stop.leave(reason);
  }

  /** Only the first call counts. What the agent says afterwards does not. */
  stop(reason: string): void {
    this.#stop.stop(reason);
  }

  /** Tells its agent what a person says, and records whether the agent has it before the attempt ends. */
  tell(note: NoteId, text: string): void {
    this.#mailbox.deliver(noteForRunning(text), (told) => this.#settleNote(note, told));
  }

  async #settleNote(note: NoteId, told: Receipt): Promise<void> {
    const { run, attempt } = this.claim;
    await transition(this.#parts, run.header.id, {
      type: "settle_note",
      at: this.#parts.clock.now(),
      author: authorOf(this.claim),
      story: attempt.story,
      attempt: attempt.id,
      note,
      refused: told.taken ? null : told.why,
    });
  }
}

/** Everything after `execute`, in a driver. One that goes leaves an attempt of another program as it is. */
async function concludeHere(parts: AttemptPorts, begun: BegunAttempt, answer: Answer, stop: StopSwitch): Promise<null> {
  if (begun.waitsUntil !== null) stop.outliveDriver();
  // An answer that cannot be read, such as one that another version saved, ends the attempt and not its driver.
  const report = await settle(parts, begun, answer, stop).catch((error: unknown) => failedWith(error, stop));
  const { claim, workspace } = begun;
  if (stop.isLeft) return null;
  const end = await handedOver(parts, claim, workspace, await concluded(parts, claim, workspace, report), stop);
  await finish(parts, claim, end.report, { stop, token: null }, end.handed);
  return null;
}

async function performAttempt(parts: AttemptPorts, claimed: Claim, reach: Reach, wants: Wants): Promise<Claim | null> {
  const { stop } = reach;
  const { claim, report, handed } = await perform(parts, claimed, reach).catch((error: unknown) =>
    only(claimed, failedWith(error, stop)),
  );
  await parts.site?.settle(claim);
  if (stop.isLeft) return null;
  return (await finishAndClaim(parts, claim, { report, handed }, { stop, token: null }, wants)).next;
}

interface Performed extends Result {
  /** As it lies on this machine. */
  readonly claim: Claim;
}

function only(claim: Claim, report: Report): Performed {
  return { claim, report, handed: null };
}

async function perform(parts: AttemptPorts, claimed: Claim, reach: Reach): Promise<Performed> {
  const { stop } = reach;
  const claim = parts.site === null ? claimed : await parts.site.localise(claimed, () => stop.reason !== null);
  const throwExplained = async (error: unknown): Promise<never> => {
    throw await explained(parts.site, claim.run, error);
  };
  const prepared = await prepare(parts, claim, stop).catch(throwExplained);
  const report = await performIn(parts, claim, prepared, reach).catch(async (error: unknown) =>
    failedWith(await explained(parts.site, claim.run, error), stop),
  );
  if (stop.isLeft) return only(claim, report);
  const end = await concluded(parts, claim, prepared.workspace, report).catch(throwExplained);
  return { claim, ...(await handedOver(parts, claim, prepared.workspace, end, stop)) };
}

/** Work that others cannot have is not done: their next step would begin without it. */
async function handedOver(
  parts: AttemptPorts,
  claim: Claim,
  workspace: Workspace,
  report: Report,
  stop: StopSwitch,
): Promise<Result> {
  // Nobody will take it: the run was closed, and what was on its way is gone. What was begun is saved while the host waits for its end.
  if (parts.machines !== null && (await parts.store.runById(claim.run.header.id))?.endedAt !== null) {
    if (parts.site !== null) await saveBegun(parts, claim, workspace);
    return { report, handed: null };
  }
  try {
    // The run may be closed by now: nobody would take what it hands over.
    if (parts.machines !== null && (await hasLostTree(parts, claim.attempt))) return { report, handed: null };
    const handed = await handOver(parts, claim.run, claim.attempt, workspace, report, () => stop.reason !== null);
    await exchangeTexts(parts, claim.run, claim.attempt.story);
    return { report, handed };
  } catch (error) {
    return {
      report: replaceOutcome(report, troubleWith(await explained(parts.site, claim.run, error), stop)),
      handed: null,
    };
  }
}

async function saveBegun(parts: AttemptPorts, { run, attempt }: Claim, { path, base }: Workspace): Promise<void> {
  try {
    if (base !== null && !(await hasLostTree(parts, attempt))) await salvage(parts, run, path, { attempt, base });
  } catch (error) {
    parts.log("salvage.failed", { run: run.header.id, attempt: attempt.id, why: errorText(error) });
  }
}

async function performIn(parts: AttemptPorts, claim: Claim, prepared: Prepared, reach: Reach): Promise<Report> {
  const { stop } = reach;
  const begun = await begin(parts, claim, prepared);
  if (begun === null || stop.reason !== null) return stoppedBefore(stop);
  const answer = await execute(parts, begun, prepared, reach);
  return await settle(parts, begun, answer, stop);
}

/** What is done in its tree after an attempt, whatever its end. A decision does nothing there. */
async function concluded(parts: AttemptPorts, claim: Claim, workspace: Workspace, report: Report): Promise<Report> {
  return claim.definition.kind === "decision" ? report : await afterAttempt(parts, claim, workspace, report);
}

export interface Opened extends Prepared {
  readonly begun: BegunAttempt;
}

/** Everything before `execute`, for an agent that pulls; null: the attempt was told to stop meanwhile. */
export async function openAttempt(parts: AttemptPorts, claim: Claim): Promise<Opened | null> {
  const stop = new StopSwitch();
  const close = (report: Report) => finish(parts, claim, report, { stop, token: null });
  try {
    const prepared = await prepare(parts, claim, stop);
    const begun = await begin(parts, claim, prepared);
    if (begun !== null) return { ...prepared, begun };
  } catch (error) {
    // The agent gets no work, and hears why.
    await close(failedWith(error, stop));
    throw error;
  }
  await close(stoppedBefore(stop));
  return null;
}

export interface Conclusion {
  readonly stop: StopSwitch;
  /** The token with which an agent reports; null: a driver does. */
  readonly token: string | null;
}

/** Everything after `execute`, for an answer that an agent reports itself. */
export async function concludeAttempt(
  parts: AttemptPorts,
  begun: BegunAttempt,
  answer: Answer,
  by: Conclusion,
): Promise<Decision> {
  const report = await settle(parts, begun, answer, by.stop).catch((error: unknown) => failedWith(error, by.stop));
  const { claim, workspace } = begun;
  const end = await handedOver(parts, claim, workspace, await concluded(parts, claim, workspace, report), by.stop);
  return await finish(parts, claim, end.report, by, end.handed);
}
