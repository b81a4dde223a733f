// Builds reports for tests.

import { noUsage, type Verdict } from "../../../src/domain/attempt.ts";
import type { CompletedReport, Report, UnfinishedReport } from "../../../src/domain/report.ts";

export type Said = Partial<Omit<CompletedReport & Report, "outcome" | "verdict">>;

const silent = { usage: noUsage, session: null, tree: null, notes: [] };

export function completed(verdict: Verdict, said: Said = {}): Report {
  return { outcome: "completed", verdict, outputs: {}, stories: null, feedback: "", ...silent, ...said };
}

export const passed = (said?: Said): Report => completed({ kind: "passed" }, said);
export const value = (text: string, said?: Said): Report => completed({ kind: "value", value: text }, said);
export const rejected = (feedback: string, reason: string | null = null, said?: Said): Report =>
  completed({ kind: "rejected", reason }, { feedback, ...said });

export function unfinished(
  outcome: UnfinishedReport["outcome"],
  why: string = outcome,
  more: Partial<Pick<UnfinishedReport & Report, "retryAt" | "usage" | "tree" | "asks" | "asked" | "facts">> = {},
): Report {
  return { outcome, why, retryAt: null, ...silent, ...more };
}
