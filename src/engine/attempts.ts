// Attempts. Owns: starting one, and what its end means. A result counts once, for the attempt that is running.

import { type Attempt, hasEnded, type Taken } from "../domain/attempt.ts";
import type { BeginAttempt, FinishAttempt, StartAttempt } from "../domain/command.ts";
import type { Rejection } from "../domain/decision.ts";
import type { PerformedDefinition } from "../domain/definition.ts";
import type { StoryId } from "../domain/ids.ts";
import type { CompletedReport, Report, UnfinishedReport } from "../domain/report.ts";
import type { GateOptions, Route, RouteRule, VerdictKey } from "../domain/route.ts";
import type { Step } from "../domain/step.ts";
import type { Draft } from "./draft.ts";
import { failStep } from "./ends.ts";
import { openGate } from "./gates.ts";
import { capReached, lostTooOften, permit, spendReached } from "./limits.ts";
import { tell } from "./messages.ts";
import { acceptOutputs, withdrawn } from "./outputs.ts";
import { reject } from "./rejection.ts";
import { follow } from "./routing.ts";
import { planStories } from "./stories.ts";

/** Hands a ready step to whoever will perform it, unless a cap or a budget says otherwise. */
export function startAttempt(draft: Draft, command: StartAttempt): Rejection | null {
  const { header } = draft.run;
  if (header.end) return reject("over", `the run is ${header.end.status}`);
  if (header.paused) return reject("illegal", "the run is paused");
  const scope = draft.scope(command.story);
  const step = scope.chain.find((candidate) => candidate.id === command.step);
  if (!step) return reject("unknown", `there is no step ${command.step}`);
  if (step.state.status !== "ready") return reject("illegal", `step ${step.id} is ${step.state.status}, not ready`);
  if (step.state.notBefore > command.at) return reject("illegal", `step ${step.id} waits for its time`);

  if (atCap(draft, command.story, step) || overBudget(draft, command.story, step)) return null;
  draft.emit(command.story, {
    type: "attempt_dispatched",
    attempt: command.attempt,
    step: step.id,
    name: step.name,
    visit: step.visit,
    number: scope.attempts.filter((attempt) => attempt.step === step.id).length + 1,
    token: command.token,
    driver: command.driver,
    executor: command.executor,
    host: command.host,
  });
  return null;
}

/** At a run-wide cap nothing starts: the step fails, or a person says whether the cap is raised. */
function atCap(draft: Draft, story: StoryId | null, step: Step): boolean {
  const { header } = draft.run;
  const cap = capReached(header, draft.at);
  if (cap === null) return false;
  tell(draft, "budget", { story, step: step.name, text: cap });
  if (header.caps.then === "fail") failStep(draft, story, step, `${cap}; raise the cap or start a new run`);
  else {
    const options: GateOptions = { continue: { to: "again" }, stop: { to: "fail", reason: cap } };
    openGate(draft, story, step, { question: `${cap}. Go on?`, options, deadline: null, cause: "cap", feedback: "" });
  }
  return true;
}

/** A budget of money, tokens or time of the step or its story is spent: its declared end comes instead of an attempt. */
function overBudget(draft: Draft, story: StoryId | null, step: Step): boolean {
  const definition = draft.definition(story, step.name);
  if (definition.kind !== "agent" && definition.kind !== "command") return false;
  const spent = spendReached(draft, story, definition);
  if (spent === null) return false;
  tell(draft, "budget", { story, step: step.name, text: spent.exhausted ?? "" });
  follow(draft, { story, step, route: explain(spent.route, "", spent.exhausted), feedback: "", cause: "exhausted" });
  return true;
}

export function beginAttempt(draft: Draft, command: BeginAttempt): Rejection | null {
  const attempt = findAttempt(draft, command.story, command.attempt);
  if (!attempt) return reject("unknown", `there is no attempt ${command.attempt}`);
  if (attempt.state.phase !== "dispatched") return reject("stale", `attempt ${attempt.id} is ${attempt.state.phase}`);
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
  if (!attempt) return reject("unknown", `there is no attempt ${command.attempt}`);
  const refusal = refusalOf(draft, attempt, command);
  if (refusal !== null) return refuseReport(draft, command, refusal);

  const step = draft.step(command.story, attempt.step);
  if (attempt.state.phase === "stopping") return endStopped(draft, attempt, step, command.report, attempt.state.reason);
  const definition = draft.definition(command.story, step.name);
  if (definition.kind !== "agent" && definition.kind !== "command") {
    return reject("illegal", `step ${step.id} is a ${definition.kind} step and has no attempts`);
  }
  const ending = { draft, story: command.story, attempt, step, definition };
  if (command.report.outcome === "completed") endCompleted(ending, command.report);
  else endUnfinished(ending, command.report, command.report.outcome);
  return null;
}

interface Ending {
  readonly draft: Draft;
  readonly story: StoryId | null;
  readonly attempt: Attempt;
  readonly step: Step;
  readonly definition: PerformedDefinition;
}

function refusalOf(draft: Draft, attempt: Attempt, command: FinishAttempt): string | null {
  if (hasEnded(attempt)) return `attempt ${attempt.id} has ended already (${attempt.state.outcome})`;
  const bySupervisor = command.token === null;
  if (!bySupervisor && command.token !== attempt.token) return `the token is not that of attempt ${attempt.id}`;
  if (!bySupervisor && attempt.state.phase === "stopping")
    return `attempt ${attempt.id} was told to stop: ${attempt.state.reason}`;
  if (attempt.state.phase !== "stopping" && draft.run.header.end) return `the run is ${draft.run.header.end.status}`;
  return null;
}

/** Recorded and ignored: the log shows that somebody came too late. */
function refuseReport(draft: Draft, command: FinishAttempt, why: string): Rejection {
  draft.emit(command.story, { type: "report_refused", attempt: command.attempt, why });
  return { accepted: false, code: "stale", why, events: draft.accept().events, run: draft.run };
}

/** Whatever a stopped agent then says: we stopped it. */
function endStopped(draft: Draft, attempt: Attempt, step: Step, report: Report, reason: string): null {
  emitEnd(draft, attempt, report, { outcome: "cancelled", taken: null, why: reason, notes: report.notes });
  if (draft.isOver) draft.emit(attempt.story, { type: "step_cancelled", step: step.id });
  else draft.emit(attempt.story, { type: "step_readied", step: step.id, notBefore: draft.at, feedback: null });
  return null;
}

function endCompleted(ending: Ending, report: CompletedReport & Report): void {
  const { draft, story, attempt, step, definition } = ending;
  const { verdict } = report;
  const found = ruleFor(definition, verdict);
  if (!found) {
    const said = verdict.kind === "value" ? verdict.value : verdict.kind;
    const why = `"${said}" has no route in step "${definition.name}"`;
    return endUnfinished(ending, { ...report, outcome: "invalid_output", why, retryAt: null }, "invalid_output");
  }
  const permitted = permit(draft, story, definition, found.key, found.rule);
  const accepted = acceptOutputs(draft.run.header, definition, report.outputs);
  emitEnd(draft, attempt, report, {
    outcome: "completed",
    taken: permitted.taken,
    why: permitted.exhausted ?? (verdict.kind === "rejected" ? report.feedback : ""),
    notes: [...report.notes, ...accepted.notes],
  });
  const { route } = permitted;
  // Asked again: nothing of what it said reaches the context.
  if (route.to !== "again") {
    const cleared = withdrawn(step.produced, accepted.set);
    draft.emit(story, { type: "outputs_set", step: step.id, set: accepted.set, cleared });
  }
  // A plan that a person must look at first is planned already: the stories are what is shown.
  const keepsPlan = route.to === "next" || route.to === "go_to" || route.to === "gate";
  if (report.stories && story === null && keepsPlan) planStories(draft, report.stories);
  if (permitted.exhausted !== null) tell(draft, "stuck", { story, step: step.name, text: permitted.exhausted });
  follow(draft, {
    story,
    step,
    route: explain(route, verdict.kind === "rejected" ? report.feedback : "", permitted.exhausted),
    feedback: report.feedback,
    cause: permitted.exhausted === null ? "route" : "exhausted",
  });
}

/** It did not run to its end, or cannot be read. A crash decides nothing: it is asked again, or a person is, or it fails. */
function endUnfinished(ending: Ending, report: UnfinishedReport & Report, outcome: UnfinishedReport["outcome"]): void {
  const { draft, story, attempt, step, definition } = ending;
  const base = { why: report.why, notes: report.notes };
  if (outcome === "cancelled") {
    emitEnd(draft, attempt, report, { ...base, outcome, taken: null });
    return draft.emit(story, { type: "step_readied", step: step.id, notBefore: draft.at, feedback: null });
  }
  if (outcome === "lost" || outcome === "rate_limited") {
    const tooOften = outcome === "lost" && lostTooOften(draft, story, step.name);
    emitEnd(draft, attempt, report, {
      ...base,
      outcome,
      taken: { key: "error", to: tooOften ? "fail" : "again", draws: null },
    });
    if (tooOften)
      return failStep(draft, story, step, `${step.name} was lost ${draft.run.header.caps.lostPerStep + 1} times`);
    return draft.emit(story, {
      type: "step_readied",
      step: step.id,
      notBefore: Math.max(draft.at, report.retryAt ?? 0),
      feedback: null,
    });
  }
  const permitted = permit(draft, story, definition, "error", definition.onError);
  emitEnd(draft, attempt, report, { ...base, outcome, taken: permitted.taken });
  const cause = outcome === "invalid_output" ? "unreadable" : permitted.exhausted === null ? "route" : "exhausted";
  const route = explain(permitted.route, report.why, permitted.exhausted);
  if (permitted.exhausted !== null) tell(draft, "stuck", { story, step: step.name, text: permitted.exhausted });
  follow(draft, { story, step, route, feedback: report.why, cause });
}

/** A failure says what led to it: the workflow's own words, or the limit that was reached, and the last attempt's reason. */
function explain(route: Route, why: string, exhausted: string | null): Route {
  if (route.to !== "fail") return route;
  const reason = [route.reason || exhausted, why].filter((text) => text).join(": ");
  return { to: "fail", reason };
}

function ruleFor(
  definition: PerformedDefinition,
  verdict: CompletedReport["verdict"],
): { key: VerdictKey; rule: RouteRule } | null {
  const keys: VerdictKey[] =
    verdict.kind === "passed"
      ? ["passed"]
      : verdict.kind === "value"
        ? [`=${verdict.value}`]
        : verdict.reason === null
          ? ["rejected"]
          : [`rejected:${verdict.reason}`, "rejected"];
  for (const key of keys) {
    const rule = definition.on[key];
    if (rule) return { key, rule };
  }
  return null;
}

function emitEnd(
  draft: Draft,
  attempt: Attempt,
  report: Report,
  ended: { outcome: Report["outcome"]; taken: Taken | null; why: string; notes: readonly string[] },
): void {
  draft.emit(attempt.story, {
    type: "attempt_ended",
    attempt: attempt.id,
    verdict: report.outcome === "completed" && ended.outcome === "completed" ? report.verdict : null,
    usage: report.usage,
    session: report.session,
    tree: report.tree,
    discards: discards(draft, ended.outcome),
    ...ended,
  });
}

/**
 * A death that we did not cause, and a stop, leave half-done work: it is saved as a diff and goes. A failure keeps its work
 * for the next attempt, unless the workflow wants a clean start.
 */
function discards(draft: Draft, outcome: Report["outcome"]): boolean {
  if (outcome === "lost" || outcome === "cancelled") return true;
  return outcome !== "completed" && draft.run.header.definition.workspace.onFailure === "reset";
}

function findAttempt(draft: Draft, story: StoryId | null, id: Attempt["id"]): Attempt | undefined {
  return draft.scope(story).attempts.find((attempt) => attempt.id === id);
}
