// Results. Owns: what an execution came to, read as a report. None of it decides anything.

import { noUsage } from "../../../domain/attempt.ts";
import type { PerformedDefinition } from "../../../domain/definition.ts";
import { AppError, errorText } from "../../../domain/error.ts";
import type { CompletedReport, Report, UnfinishedReport } from "../../../domain/report.ts";
import { attemptsOf } from "../../../domain/run.ts";
import type { ExecutionEnd } from "../../../executors/executor.ts";
import { readReport } from "../../../prompts/report.ts";
import { readSummary } from "../../../prompts/summary.ts";
import type { Claim } from "../claim/claim.ts";
import type { Told } from "../execute/kept-end.ts";
import { sessionFor } from "../execute/sessions.ts";

/** `told`: what it reported by tools; it counts more than what it printed. `missing`: keys that the prompt named and nobody set. */
export function reportOf(claim: Claim, end: ExecutionEnd, told: Told, missing: readonly string[]): Report {
  const report = heardAt(told, end) ?? readEnd(claim, end);
  const unset = missing.map((key) => `the prompt names {{${key}}}, which nobody sets`);
  const instead = claim.instead === null ? [] : [`${claim.attempt.executor} goes on instead of ${claim.instead}`];
  return {
    ...report,
    notes: [...unset, ...instead, ...sessionFor(claim).notes, ...report.notes, ...end.notes],
    usage: end.usage,
    session: end.session,
    model: end.model ?? null,
    version: end.version ?? null,
    tree: null,
  };
}

/**
 * What an agent reported stands, also when its process then ended badly: the work was done before. What we stopped, what ran out of
 * time and what was killed has not come to its end, whatever it had said.
 */
function heardAt({ report }: Told, end: ExecutionEnd): CompletedReport | UnfinishedReport | null {
  if (report === null || end.outcome === "ran") return report;
  if (end.outcome === "cancelled" || end.outcome === "timed_out" || end.outcome === "lost") return null;
  // Who was refused his work and reports that it is done has not done it; that it cannot be done is believed.
  if (end.outcome === "failed" && end.kind === "denied" && report.outcome === "completed") return null;
  return { ...report, notes: [...report.notes, `after its report it ended badly: ${end.why}`] };
}

function readEnd({ definition, run }: Claim, end: ExecutionEnd): CompletedReport | UnfinishedReport {
  if (definition.kind === "command") return readCommand(end);
  if (end.outcome === "ran") return readAnswer(definition, end.text, run.header.definition.knownKeys);
  return notRun(end);
}

const blockedBy = {
  auth: "The agent may not work",
  context: "The prompt is too long for the agent",
  permission: "The agent needs leave",
} as const;

/** Who is blocked needs a person: somebody who logs in, or makes the work smaller. */
function notRun(end: Exclude<ExecutionEnd, { readonly outcome: "ran" }>): UnfinishedReport {
  if (end.outcome !== "blocked")
    return unfinished(end.outcome, end.why, end.outcome === "rate_limited" ? end.retryAt : null);
  const what = blockedBy[end.kind];
  return { ...unfinished("failed", end.why, null), asks: `${what}: ${end.why} Go on when that is mended?` };
}

const firstPatienceMs = 15_000;
const longestPatienceMs = 5 * 60_000;

const shortestPatienceMs = 1_000;

/**
 * A limit is waited out longer each time; the first time as long as it says, if it says so. `chance` between 0 and 1: agents that were turned away together do not
 * all come back together.
 */
export function withBackoff(report: Report, { run, attempt }: Claim, now: number, chance: number): Report {
  if (report.outcome !== "rate_limited") return report;
  const earlier = attemptsOf(run, attempt.story).filter(({ step, id }) => step === attempt.step && id !== attempt.id);
  const since = earlier.findLastIndex(({ state }) => state.phase === "ended" && state.outcome !== "rate_limited");
  const times = earlier.length - 1 - since;
  const isTold = report.retryAt !== null && times === 0;
  const waitMs = isTold ? shortestPatienceMs : Math.min(longestPatienceMs, firstPatienceMs * 2 ** Math.min(times, 10));
  return { ...report, retryAt: Math.max(report.retryAt ?? 0, now + Math.round(waitMs * (1 + chance / 4))) };
}

/** Where a step ends with a summary, that it ran to its end is its verdict, and nothing else of its words is read. */
export function readAnswer(
  definition: PerformedDefinition,
  text: string,
  known: readonly string[],
): CompletedReport | UnfinishedReport {
  if (!definition.summary) return readReport(definition, text, known);
  const { summary, note } = readSummary(text);
  const said = { outcome: "completed", outputs: {}, stories: null, feedback: "" } as const;
  return { ...said, verdict: { kind: "passed" }, summary, notes: note === null ? [] : [note] };
}

/** A command step says yes or no by its exit code. */
function readCommand(end: ExecutionEnd): CompletedReport | UnfinishedReport {
  const said = { outcome: "completed", outputs: {}, stories: null, notes: [] } as const;
  if (end.outcome === "ran") return { ...said, verdict: { kind: "passed" }, feedback: end.text };
  if (end.outcome === "failed")
    return { ...said, verdict: { kind: "rejected", reason: "exit" }, feedback: `${end.why}\n${end.text}`.trim() };
  return notRun(end);
}

/**
 * Something of ours went wrong before there was a result (no disk, no git): the attempt failed, with the reason. A git that was
 * killed says as little about the step as an agent that was.
 */
export function troubleReport(error: unknown): Report {
  const why = error instanceof AppError ? `${error.message} (${error.hint})` : errorText(error);
  const outcome = error instanceof AppError && error.code === "GIT_KILLED" ? "lost" : "failed";
  return { ...unfinished(outcome, why, null), usage: noUsage, session: null, tree: null };
}

export function cancelled(why: string): Report {
  return { ...unfinished("cancelled", why, null), usage: noUsage, session: null, tree: null };
}

/** The same attempt, come to something else than it said: what it used, and with whom, stays. */
export function replaceOutcome(report: Report, end: Pick<UnfinishedReport, "outcome" | "why" | "retryAt">): Report {
  const { notes, usage, session, model = null, version = null, tree } = report;
  return { ...end, notes, usage, session, model, version, tree };
}

function unfinished(outcome: UnfinishedReport["outcome"], why: string, retryAt: number | null): UnfinishedReport {
  return { outcome, why, retryAt, notes: [] };
}
