// Starts attempts and accepts their results. A result counts once, and only for the running attempt; endings.ts decides what
// follows from it.

import { type Attempt, hasEnded, nameWithPart } from "../../domain/attempt.ts";
import type { BeginAttempt, FinishAttempt, StartAttempt } from "../../domain/command.ts";
import type { Rejection } from "../../domain/decision.ts";
import { isPerformed } from "../../domain/definition.ts";
import type { PartName, StoryId } from "../../domain/ids.ts";
import type { Part } from "../../domain/part.ts";
import { isDue } from "../../domain/ready.ts";
import type { Report } from "../../domain/report.ts";
import type { GateOptions } from "../../domain/route.ts";
import type { Step } from "../../domain/step.ts";
import { performedBy } from "../definitions.ts";
import type { Draft } from "../draft.ts";
import { settleDropped } from "../dropped.ts";
import { openGate } from "../gates/gates.ts";
import { capReached, spendReached } from "../limits.ts";
import { sendMessage } from "../messages.ts";
import { deliverNotes } from "../notes.ts";
import { endPart, takePartRoute } from "../parts/part-routes.ts";
import { mayStopPart, stopPart } from "../parts/settling.ts";
import { rejectCommand } from "../rejection.ts";
import { takeRoute } from "../routing.ts";
import { failStep } from "../status-changes.ts";
import { emitEnd, endCompleted, endUnfinished } from "./endings.ts";
import { holdStopped } from "./stopping.ts";
import { withReason } from "./verdicts.ts";

/** Starts an attempt of a ready step, unless a cap or a budget is used up. */
export function startAttempt(draft: Draft, command: StartAttempt): Rejection | null {
  const { header } = draft.run;
  if (header.end) return rejectCommand("over", `the run is ${header.end.status}`);
  if (header.paused) return rejectCommand("illegal", "the run is paused");
  const scope = draft.scope(command.story);
  const step = scope.chain.find((candidate) => candidate.id === command.step);
  if (!step) return rejectCommand("unknown", `there is no step ${command.step}`);
  const part = partOf(step, command.part);
  if (part === undefined) return rejectCommand("unknown", `step ${step.id} has no part ${command.part}`);
  const { state } = part ?? step;
  const what = nameWithPart({ name: step.name, ...(part === null ? {} : { part: part.name }) });
  if (state.status !== "ready") return rejectCommand("illegal", `step ${what} is ${state.status}, not ready`);
  if (!isDue(state, command.at)) return rejectCommand("illegal", `step ${what} is not due yet`);

  const start = { draft, story: command.story, step, part, what };
  if (atCap(start) || overBudget(start)) return null;
  draft.emit(command.story, {
    type: "attempt_dispatched",
    attempt: command.attempt,
    step: step.id,
    name: step.name,
    ...(part === null ? {} : { part: part.name }),
    visit: step.visit,
    number: (step.attemptsBefore ?? 0) + scope.attempts.filter((attempt) => isSame(attempt, command)).length + 1,
    token: command.token,
    driver: command.driver,
    executor: command.executor,
    host: command.host,
  });
  if (draft.definition(command.story, step.name).kind === "agent") deliverNotes(draft, command, step);
  return null;
}

function isSame(attempt: Attempt, { step, part }: StartAttempt): boolean {
  return attempt.step === step && attempt.part === part;
}

/** undefined: the step has no such part. null: the whole step is meant, and it has none. */
function partOf({ parts }: Step, name: PartName | undefined): Part | null | undefined {
  if (name === undefined) return null;
  return parts?.find((part) => part.name === name);
}

interface Start {
  readonly draft: Draft;
  readonly story: StoryId | null;
  readonly step: Step;
  readonly part: Part | null;
  /** For people. */
  readonly what: string;
}

/** At a run-wide cap nothing starts: the step fails, or a person decides whether to raise the cap. */
function atCap({ draft, story, step, part, what }: Start): boolean {
  const { header } = draft.run;
  const cap = capReached(header, draft.at);
  if (cap === null) return false;
  sendMessage(draft, "budget", { story, step: what, text: cap });
  if (header.caps.then === "fail") {
    const reason = `${cap}; raise the cap or start a new run`;
    if (part === null) failStep(draft, story, step, reason);
    else endPart(draft, story, step, part, { status: "failed", reason });
  } else {
    const options: GateOptions = { continue: { to: "again" }, stop: { to: "fail", reason: cap } };
    openGate(draft, story, step, {
      question: `${cap}. Continue?`,
      options,
      deadline: null,
      cause: "cap",
      feedback: part?.feedback ?? "",
      part: part?.name,
    });
  }
  return true;
}

/** If a budget of the step or its story is spent, the route declared for that case is taken instead of an attempt. */
function overBudget({ draft, story, step, part, what }: Start): boolean {
  const definition = draft.definition(story, step.name);
  // Joining costs nothing, and what it joins is paid for.
  if (!isPerformed(definition) || part?.joins === true) return false;
  const spent = spendReached(draft, story, definition, part?.name);
  if (spent === null) return false;
  sendMessage(draft, "budget", { story, step: what, text: spent.exhausted ?? "" });
  const route = withReason(spent.route, "", spent.exhausted);
  const routing = { story, step, route, feedback: part?.feedback ?? "", cause: "exhausted" } as const;
  if (part === null) takeRoute(draft, routing);
  else takePartRoute(draft, { ...routing, part });
  return true;
}

export function beginAttempt(draft: Draft, command: BeginAttempt): Rejection | null {
  const attempt = findAttempt(draft, command.story, command.attempt);
  if (!attempt) return rejectCommand("unknown", `there is no attempt ${command.attempt}`);
  if (attempt.state.phase !== "dispatched")
    return rejectCommand("stale", `attempt ${attempt.id} is ${attempt.state.phase}`);
  draft.emit(command.story, {
    type: "attempt_began",
    attempt: attempt.id,
    workspace: command.workspace,
    base: command.base,
  });
  return null;
}

export function finishAttempt(draft: Draft, command: FinishAttempt): Rejection | null {
  const attempt = findAttempt(draft, command.story, command.attempt);
  if (!attempt) return rejectCommand("unknown", `there is no attempt ${command.attempt}`);
  const refusal = refusalOf(draft, attempt, command);
  if (refusal !== null) return refuseReport(draft, command, refusal);

  const step = draft.step(command.story, attempt.step);
  if (attempt.state.phase === "stopping") return endStopped(draft, attempt, step, command.report, attempt.state.reason);
  const definition = performedBy(draft.run, command.story, attempt);
  const part = partOf(step, attempt.part);
  if (definition === null || part === undefined) {
    return rejectCommand("illegal", `step ${step.id} has no attempts of ${nameWithPart(attempt)}`);
  }
  const ending = { draft, story: command.story, attempt, step, part, definition };
  if (command.report.outcome === "completed") endCompleted(ending, command.report);
  else endUnfinished(ending, command.report, command.report.outcome);
  return null;
}

function refusalOf(draft: Draft, attempt: Attempt, command: FinishAttempt): string | null {
  if (hasEnded(attempt)) return `attempt ${attempt.id} has already ended (${attempt.state.outcome})`;
  const bySupervisor = command.token === null;
  if (!bySupervisor && command.token !== attempt.token) return `the token does not belong to attempt ${attempt.id}`;
  if (!bySupervisor && attempt.state.phase === "stopping")
    return `attempt ${attempt.id} is being stopped: ${attempt.state.reason}`;
  if (attempt.state.phase !== "stopping" && draft.run.header.end) return `the run is ${draft.run.header.end.status}`;
  return null;
}

/** Recorded and otherwise ignored, so that the log shows late and foreign reports. */
function refuseReport(draft: Draft, command: FinishAttempt, why: string): Rejection {
  draft.emit(command.story, { type: "report_refused", attempt: command.attempt, why });
  return { accepted: false, code: "stale", why, events: draft.accept().events, run: draft.run };
}

/** The outcome is `cancelled` whatever the stopped agent reports. In a run that continues, a person stopped it and says how. */
function endStopped(draft: Draft, attempt: Attempt, step: Step, report: Report, reason: string): null {
  emitEnd(draft, attempt, report, { outcome: "cancelled", taken: null, why: reason, notes: report.notes });
  if (draft.isOver) cancelWhenLast(draft, attempt, step, reason);
  else if (mayStopPart(draft, attempt, step)) stopPart(draft, attempt, step, reason);
  else if (step.dropping) settleDropped(draft, attempt.story, step, step.dropping);
  else holdStopped(draft, attempt);
  return null;
}

/** Another part of the step may still be stopping. */
function cancelWhenLast(draft: Draft, attempt: Attempt, step: Step, reason: string): void {
  const { story } = attempt;
  stopPart(draft, attempt, step, reason);
  const isLast = draft.scope(story).attempts.every((other) => other.step !== step.id || hasEnded(other));
  if (isLast) draft.emit(story, { type: "step_cancelled", step: step.id });
}

function findAttempt(draft: Draft, story: StoryId | null, id: Attempt["id"]): Attempt | undefined {
  // It is one of the last ones, and a long chain has a thousand.
  return draft.scope(story).attempts.findLast((attempt) => attempt.id === id);
}
