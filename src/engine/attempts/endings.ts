// Decides what the end of an attempt means for its step: the route of its verdict, the edits it requests, or a retry.

import { type Attempt, nameWithPart, type Taken } from "../../domain/attempt.ts";
import { counted } from "../../domain/counted.ts";
import type { PerformedWork } from "../../domain/definition.ts";
import type { EditRequest } from "../../domain/edit.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { Part, PartEnd } from "../../domain/part.ts";
import type { AgentQuestion, CompletedReport, Report, UnfinishedReport } from "../../domain/report.ts";
import type { ErrorOutcome, GateOptions, Route, RouteRule } from "../../domain/route.ts";
import type { Header } from "../../domain/run.ts";
import type { Step } from "../../domain/step.ts";
import { type EditResult, editChain } from "../chain/chain-edits.ts";
import { resetSpan } from "../chain/edits.ts";
import type { Draft } from "../draft.ts";
import { openGate } from "../gates/gates.ts";
import { applyLimits, lostTooOften } from "../limits.ts";
import { sendMessage } from "../messages.ts";
import { acceptOutputs, clearedKeys } from "../outputs.ts";
import { maySendBack, sendBack } from "../parts/joining.ts";
import { endPart, takePartRoute } from "../parts/part-routes.ts";
import { saidByPart } from "../parts/part-said.ts";
import { type Readying, readyPart, readyStep } from "../readying.ts";
import { takeRoute } from "../routing.ts";
import { failStep } from "../status-changes.ts";
import { planStories } from "../stories/stories.ts";
import { routeVerdict, ruleFor, withReason } from "./verdicts.ts";

export interface Ending {
  readonly draft: Draft;
  readonly story: StoryId | null;
  readonly attempt: Attempt;
  readonly step: Step;
  /** The part of the step that it performed; null: the whole step. */
  readonly part: Part | null;
  readonly definition: PerformedWork;
}

export function endCompleted(ending: Ending, report: CompletedReport & Report): void {
  const { draft, story, attempt, step, part, definition } = ending;
  if (part !== null) return endPartCompleted(ending, part, report);
  const { verdict } = report;
  const found = ruleFor(definition, verdict);
  if (!found) {
    const said = verdict.kind === "value" ? verdict.value : verdict.kind;
    const why = `"${said}" has no route in step "${definition.name}"`;
    return endUnfinished(ending, { ...report, outcome: "invalid_output", why, retryAt: null }, "invalid_output");
  }
  if (report.edits && endEdited(ending, report, report.edits)) return;
  const limited = applyLimits(draft, story, definition, found.key, found.rule);
  const accepted = acceptOutputs(draft.run.header, definition, report.outputs);
  emitEnd(draft, attempt, report, {
    outcome: "completed",
    taken: limited.taken,
    why: limited.exhausted ?? (verdict.kind === "rejected" ? report.feedback : ""),
    notes: [...report.notes, ...accepted.notes],
  });
  const { route } = limited;
  // The step runs again, so none of its outputs reach the context.
  if (route.to !== "again") {
    const cleared = clearedKeys(step.produced, accepted.set);
    const notes = report.summary === undefined ? {} : { notes: report.summary };
    draft.emit(story, { type: "outputs_set", step: step.id, set: accepted.set, cleared, ...notes });
  }
  // A plan that a person must approve first is recorded now, because the gate shows its stories.
  const keepsPlan = route.to === "next" || route.to === "go_to" || route.to === "gate";
  if (report.stories && story === null && keepsPlan) planStories(draft, report.stories);
  routeVerdict(draft, { story, step, definition, verdict, feedback: report.feedback, limited });
}

/** A verdict of a part is its last word, unless its step lets it say no alone: only the end of the whole step leads anywhere. */
function endPartCompleted(ending: Ending, part: Part, report: CompletedReport & Report): void {
  const { draft, story, attempt, step, definition } = ending;
  const { verdict, feedback } = report;
  if (verdict.kind === "value") {
    const why = `"${verdict.value}" has no route in step "${definition.name}"`;
    return endUnfinished(ending, { ...report, outcome: "invalid_output", why, retryAt: null }, "invalid_output");
  }
  if (verdict.kind === "rejected" && definition.parts?.rejected === "alone")
    return rejectPartAlone(ending, part, report);
  // What a part says is read by the names of its step and itself, never as a key of the context.
  if (report.conflict && maySendBack(draft, story, step, report.conflict)) {
    emitEnd(draft, attempt, report, { outcome: "completed", taken: null, why: feedback, notes: report.notes });
    return sendBack(draft, story, step, report.conflict, feedback);
  }
  const { name, produces, decide } = definition;
  const accepted = acceptOutputs(draft.run.header, { name, produces, decide }, report.outputs);
  emitEnd(draft, attempt, report, {
    outcome: "completed",
    taken: null,
    why: verdict.kind === "rejected" ? feedback : "",
    notes: [...report.notes, ...accepted.notes],
  });
  const end: PartEnd =
    verdict.kind === "passed" ? { status: "passed" } : { status: "rejected", reason: verdict.reason, feedback };
  const said = saidByPart(draft.run.header, step, accepted.set);
  const words = {
    ...(said === null ? {} : { said }),
    ...(report.summary === undefined ? {} : { notes: report.summary }),
  };
  draft.emit(story, { type: "part_ended", step: step.id, part: part.name, end, ...words });
}

/** The part did not do its work: it is asked about, repeated or fails by the rule of its step, and the others keep their ends. */
function rejectPartAlone(ending: Ending, part: Part, report: CompletedReport & Report): void {
  const { draft, story, attempt, step, definition } = ending;
  const { verdict, feedback, notes } = report;
  const found = ruleFor(definition, verdict);
  if (found === null) {
    const why = `"rejected" has no route in step "${definition.name}"`;
    return endUnfinished(ending, { ...report, outcome: "invalid_output", why, retryAt: null }, "invalid_output");
  }
  const limited = applyLimits(draft, story, definition, found.key, found.rule, part.name);
  const { taken, exhausted } = limited;
  emitEnd(draft, attempt, report, { outcome: "completed", taken, why: exhausted ?? feedback, notes });
  if (exhausted !== null) sendMessage(draft, "stuck", { story, step: step.name, text: exhausted });
  const route = withReason(limited.route, feedback, exhausted);
  takePartRoute(draft, { story, step, part, route, feedback, cause: exhausted === null ? "route" : "exhausted" });
}

/**
 * Applies the edits that an attempt requests. Returns true if the step itself runs again because of them, whatever its verdict
 * was: a fix that it inserted before itself matters more than a check that fails without the fix.
 */
function endEdited(ending: Ending, report: CompletedReport & Report, request: EditRequest): boolean {
  const { draft, story, attempt, step } = ending;
  const edited = applyRequest(ending, request);
  if (!edited.applied) {
    const notes = "unreadable" in request ? [] : request.notes;
    draft.emit(story, { type: "edit_refused", by: step.id, why: edited.why, notes });
    if (!edited.exhausted) return false;
    const taken: Taken = { key: "edit", to: "fail", draws: null };
    emitEnd(draft, attempt, report, {
      outcome: "completed",
      taken,
      why: edited.why,
      notes: report.notes,
      discards: true,
    });
    sendMessage(draft, "stuck", { story, step: step.name, text: `${step.name}: ${edited.why}` });
    failStep(draft, story, step, edited.why);
    return true;
  }
  const { restarts, revisits } = edited;
  if (restarts === null && !revisits) return false;
  const why = restarts === null ? "it inserted steps before itself" : `it restarts: ${restarts}`;
  const taken: Taken = { key: "edit", to: restarts === null ? "insert" : "again", draws: null };
  emitEnd(draft, attempt, report, {
    outcome: "completed",
    taken,
    why,
    notes: report.notes,
    discards: restarts !== null,
  });
  resetSpan(draft, story, { from: step, to: step, keeps: null, feedback: restarts ?? "", reason: why });
  return true;
}

function applyRequest({ draft, story, step, definition }: Ending, request: EditRequest): EditResult {
  if (!definition.editable)
    return { applied: false, why: `a ${definition.name} step may not change the chain`, exhausted: false };
  if ("unreadable" in request) return { applied: false, why: request.unreadable, exhausted: false };
  return editChain(draft, request.operations, { story, by: step, notes: request.notes });
}

/** The attempt did not complete, or its output is unreadable. A crash decides nothing: the step is retried, held or failed. */
export function endUnfinished(
  ending: Ending,
  report: UnfinishedReport & Report,
  outcome: UnfinishedReport["outcome"],
): void {
  const { draft, story, attempt, step, part, definition } = ending;
  const base = { why: report.why, notes: report.notes };
  if (outcome === "cancelled") {
    emitEnd(draft, attempt, report, { ...base, outcome, taken: null });
    return readyAgain(ending, { feedback: null });
  }
  if (outcome === "lost" || outcome === "rate_limited") {
    const tooOften = outcome === "lost" && lostTooOften(draft, story, attempt);
    emitEnd(draft, attempt, report, {
      ...base,
      outcome,
      taken: { key: "error", to: tooOften ? "fail" : "again", draws: null },
    });
    const times = counted(draft.run.header.caps.lostPerStep + 1, "time");
    if (tooOften) return failWhat(ending, `${nameWithPart(attempt)} was lost ${times}`);
    return readyAgain(ending, { notBefore: report.retryAt, feedback: null });
  }
  if (report.asked !== undefined) return askFor(ending, report, report.asked);
  if (report.asks !== undefined) return askPerson(ending, report, report.asks, outcome);
  const { key, rule } = errorRuleFor(definition, outcome);
  const limited = applyLimits(draft, story, definition, key, rule, attempt.part);
  emitEnd(draft, attempt, report, { ...base, outcome, taken: limited.taken });
  const cause = outcome === "invalid_output" ? "unreadable" : limited.exhausted === null ? "route" : "exhausted";
  const route = withReason(limited.route, report.why, limited.exhausted);
  if (limited.exhausted !== null) sendMessage(draft, "stuck", { story, step: step.name, text: limited.exhausted });
  const had = definition.kind === "agent" ? (part ?? step).feedback : "";
  const feedback = stillToldWith(had, route, report.why);
  const routing = { story, step, route, feedback, cause, notBefore: report.retryAt } as const;
  if (part === null) takeRoute(draft, routing);
  else takePartRoute(draft, { ...routing, part });
}

/** A crash answers nothing: the next attempt, or the person who is asked, hears of it and still of what came before. */
function stillToldWith(feedback: string, route: Route, why: string): string {
  const isKept = (route.to === "again" || route.to === "gate") && feedback !== "";
  if (!isKept) return why;
  return feedback.includes(why) ? feedback : `${why}\n\nBefore that: ${feedback}`;
}

/** The step, or the part of it, can start again. */
function readyAgain({ draft, story, step, part }: Ending, readying: Readying): void {
  if (part === null) readyStep(draft, story, step, readying);
  else readyPart(draft, story, step, part, readying);
}

function failWhat({ draft, story, step, part }: Ending, reason: string): void {
  if (part === null) failStep(draft, story, step, reason);
  else endPart(draft, story, step, part, { status: "failed", reason });
}

/** An outcome with a rule of its own counts for itself; all others take `onError`. */
function errorRuleFor(
  { onError, onErrorBy, onUnreadable }: PerformedWork,
  outcome: ErrorOutcome | "invalid_output",
): { key: Taken["key"]; rule: RouteRule } {
  if (outcome === "invalid_output")
    return onUnreadable ? { key: "unreadable", rule: onUnreadable } : { key: "error", rule: onError };
  const own = onErrorBy?.[outcome];
  return own ? { key: `error:${outcome}`, rule: own } : { key: "error", rule: onError };
}

/** Only a person can help, for example if an agent is not logged in: a retry would fail again, so no limit is used up. */
function askPerson(
  { draft, story, attempt, step, part }: Ending,
  report: UnfinishedReport & Report,
  question: string,
  outcome: UnfinishedReport["outcome"],
): void {
  const { why, notes } = report;
  emitEnd(draft, attempt, report, { outcome, taken: { key: "error", to: "gate", draws: null }, why, notes });
  const options: GateOptions = { again: { to: "again" }, stop: { to: "fail", reason: why } };
  // The next attempt still needs the feedback that this one had.
  const { feedback } = part ?? step;
  openGate(draft, story, step, { question, options, deadline: null, cause: "route", feedback, part: attempt.part });
}

/** The agent needs an answer to continue: no limit is used up, its work stays, and its next attempt gets the answer. */
function askFor(
  { draft, story, attempt, step, part }: Ending,
  report: UnfinishedReport & Report,
  { question, options }: AgentQuestion,
): void {
  emitEnd(draft, attempt, report, {
    outcome: "completed",
    taken: { key: "asked", to: "gate", draws: null },
    why: question,
    notes: report.notes,
  });
  // A colon separates an option from a reason, and `stop` is always offered: an agent can define neither.
  const usable = options.filter((option) => option !== "stop" && option !== "" && !option.includes(":"));
  const answers = usable.length === 0 ? ["answer"] : usable;
  const chosen = Object.fromEntries(answers.map((option) => [option, { to: "again" } as const]));
  const stop = { to: "fail", reason: `stopped without an answer: ${question}` } as const;
  openGate(draft, story, step, {
    question,
    options: { ...chosen, stop },
    deadline: null,
    cause: "asked",
    feedback: (part ?? step).feedback,
    part: attempt.part,
  });
}

interface Ended {
  readonly outcome: Report["outcome"];
  readonly taken: Taken | null;
  readonly why: string;
  readonly notes: readonly string[];
  /** Set where an edit request decides it. */
  readonly discards?: boolean;
}

export function emitEnd(draft: Draft, attempt: Attempt, report: Report, ended: Ended): void {
  draft.emit(attempt.story, {
    type: "attempt_ended",
    attempt: attempt.id,
    verdict: report.outcome === "completed" && ended.outcome === "completed" ? report.verdict : null,
    usage: report.usage,
    session: report.session,
    model: report.model ?? null,
    version: report.version ?? null,
    tree: report.tree,
    discards: discards(draft.run.header, ended.outcome),
    ...(report.facts === undefined ? {} : { facts: report.facts }),
    ...ended,
  });
}

/**
 * A lost or cancelled attempt leaves half-done work, which is saved as a diff and rolled back. A failure keeps its work for the
 * next attempt, unless the workflow asks for a clean start.
 */
export function discards({ definition }: Header, outcome: Report["outcome"]): boolean {
  if (outcome === "lost" || outcome === "cancelled") return true;
  return outcome !== "completed" && definition.workspace.onFailure === "reset";
}
