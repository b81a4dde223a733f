// Starts attempts and accepts their results. A result counts once, and only for the running attempt; endings.ts decides what
// follows from it.

import { type Attempt, hasEnded } from "../../domain/attempt.ts";
import type { BeginAttempt, FinishAttempt, StartAttempt } from "../../domain/command.ts";
import type { Rejection } from "../../domain/decision.ts";
import { isPerformed } from "../../domain/definition.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { Report } from "../../domain/report.ts";
import type { GateOptions } from "../../domain/route.ts";
import { isDue, type Step } from "../../domain/step.ts";
import type { Draft } from "../draft.ts";
import { openGate } from "../gates/gates.ts";
import { capReached, spendReached } from "../limits.ts";
import { sendMessage } from "../messages.ts";
import { deliverNotes } from "../notes.ts";
import { rejectCommand } from "../rejection.ts";
import { takeRoute } from "../routing.ts";
import { failStep } from "../status-changes.ts";
import { emitEnd, endCompleted, endUnfinished, withReason } from "./endings.ts";
import { holdStopped } from "./stopping.ts";

/** Starts an attempt of a ready step, unless a cap or a budget is used up. */
export function startAttempt(draft: Draft, command: StartAttempt): Rejection | null {
  const { header } = draft.run;
  if (header.end) return rejectCommand("over", `the run is ${header.end.status}`);
  if (header.paused) return rejectCommand("illegal", "the run is paused");
  const scope = draft.scope(command.story);
  const step = scope.chain.find((candidate) => candidate.id === command.step);
  if (!step) return rejectCommand("unknown", `there is no step ${command.step}`);
  if (step.state.status !== "ready")
    return rejectCommand("illegal", `step ${step.id} is ${step.state.status}, not ready`);
  if (!isDue(step.state, command.at)) return rejectCommand("illegal", `step ${step.id} is not due yet`);

  if (atCap(draft, command.story, step) || overBudget(draft, command.story, step)) return null;
  draft.emit(command.story, {
    type: "attempt_dispatched",
    attempt: command.attempt,
    step: step.id,
    name: step.name,
    visit: step.visit,
    number: (step.attemptsBefore ?? 0) + scope.attempts.filter((attempt) => attempt.step === step.id).length + 1,
    token: command.token,
    driver: command.driver,
    executor: command.executor,
    host: command.host,
  });
  if (draft.definition(command.story, step.name).kind === "agent") deliverNotes(draft, command.story, command.attempt);
  return null;
}

/** At a run-wide cap nothing starts: the step fails, or a person decides whether to raise the cap. */
function atCap(draft: Draft, story: StoryId | null, step: Step): boolean {
  const { header } = draft.run;
  const cap = capReached(header, draft.at);
  if (cap === null) return false;
  sendMessage(draft, "budget", { story, step: step.name, text: cap });
  if (header.caps.then === "fail") failStep(draft, story, step, `${cap}; raise the cap or start a new run`);
  else {
    const options: GateOptions = { continue: { to: "again" }, stop: { to: "fail", reason: cap } };
    openGate(draft, story, step, {
      question: `${cap}. Continue?`,
      options,
      deadline: null,
      cause: "cap",
      feedback: "",
    });
  }
  return true;
}

/** If a budget of the step or its story is spent, the route declared for that case is taken instead of an attempt. */
function overBudget(draft: Draft, story: StoryId | null, step: Step): boolean {
  const definition = draft.definition(story, step.name);
  if (!isPerformed(definition)) return false;
  const spent = spendReached(draft, story, definition);
  if (spent === null) return false;
  sendMessage(draft, "budget", { story, step: step.name, text: spent.exhausted ?? "" });
  takeRoute(draft, {
    story,
    step,
    route: withReason(spent.route, "", spent.exhausted),
    feedback: "",
    cause: "exhausted",
  });
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
  const definition = draft.definition(command.story, step.name);
  if (!isPerformed(definition)) {
    return rejectCommand("illegal", `step ${step.id} is a ${definition.kind} step and has no attempts`);
  }
  const ending = { draft, story: command.story, attempt, step, definition };
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
  if (draft.isOver) draft.emit(attempt.story, { type: "step_cancelled", step: step.id });
  else holdStopped(draft, attempt);
  return null;
}

function findAttempt(draft: Draft, story: StoryId | null, id: Attempt["id"]): Attempt | undefined {
  return draft.scope(story).attempts.find((attempt) => attempt.id === id);
}
