// Outcomes that the runtime itself gives an attempt: stopped, or failed on our side.

import { noUsage } from "../../../domain/attempt.ts";
import { AppError, type ErrorCode, errorText } from "../../../domain/error.ts";
import type { Report, UnfinishedReport } from "../../../domain/report.ts";
import type { StopSwitch } from "../../stop-switch.ts";

const saysNothing: readonly ErrorCode[] = ["GIT_KILLED", "STORE_UNUSABLE", "REPOSITORY_AWAY"];

type Unfinished = Pick<UnfinishedReport, "outcome" | "why" | "retryAt" | "asks">;

export function unfinished(
  outcome: UnfinishedReport["outcome"],
  why: string,
  retryAt: number | null,
): UnfinishedReport {
  return { outcome, why, retryAt, notes: [] };
}

/** The report of an attempt that never executed: it was stopped, or something went wrong on our side. */
export function failedWith(error: unknown, stop: StopSwitch): Report {
  return withoutUsage(troubleWith(error, stop));
}

/** The report of an attempt that was stopped before it executed. */
export function stoppedBefore({ reason }: StopSwitch): Report {
  return withoutUsage({ outcome: "cancelled", why: reason ?? "it was told to stop before it began", retryAt: null });
}

/**
 * No disk space, no git: the attempt failed, with the reason. A git that was killed says as little about the step as a killed agent, and
 * so does a server or a repository that was away for longer than it is waited for.
 */
export function troubleWith(error: unknown, { reason }: StopSwitch): Unfinished {
  if (reason !== null) return { outcome: "cancelled", why: reason, retryAt: null };
  const why = error instanceof AppError ? `${error.message} (${error.hint})` : errorText(error);
  const code = error instanceof AppError ? error.code : null;
  // The same input has the same gap: only a person can fill it.
  if (code === "INPUT_MISSING") return { outcome: "failed", why, retryAt: null, asks: `${why}. Start it again?` };
  return { outcome: code !== null && saysNothing.includes(code) ? "lost" : "failed", why, retryAt: null };
}

function withoutUsage(end: Unfinished): Report {
  return { ...end, notes: [], usage: noUsage, session: null, tree: null };
}

/** The same attempt with another outcome than it reported; what it used, and with which model, stays. */
export function replaceOutcome(report: Report, end: Unfinished): Report {
  const { notes, usage, session, model = null, version = null, tree, facts } = report;
  return { ...end, notes, usage, session, model, version, tree, ...(facts === undefined ? {} : { facts }) };
}
