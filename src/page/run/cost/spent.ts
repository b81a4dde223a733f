// What a run spent, and on what: by story, step, model and end, with everything that was spent on work that did not count.

import { type Attempt, addUsage, hasEnded, isUnreported, noUsage, type Usage } from "../../../domain/attempt.ts";
import type { Run } from "../../../domain/run.ts";

export type Grouping = "story" | "step" | "model" | "outcome";

export interface SpentRow {
  readonly name: string;
  readonly attempts: number;
  readonly usage: Required<Usage>;
  /** Of attempts that were rejected or did not complete. */
  readonly wastedUsd: number;
  /** Attempts whose agents did not say what they used. */
  readonly unreported: number;
}

/** The most expensive first. */
export function spentBy(run: Run, grouping: Grouping, own: string): readonly SpentRow[] {
  const groups = Map.groupBy(allAttempts(run), (attempt) => groupOf(attempt, grouping, own));
  return [...groups]
    .map(([name, attempts]) => rowOf(name, attempts))
    .toSorted((a, b) => b.usage.costUsd - a.usage.costUsd || tokensOf(b) - tokensOf(a) || b.attempts - a.attempts);
}

export function spentInAll(run: Run): SpentRow {
  return rowOf("", allAttempts(run));
}

export function allAttempts({ header, stories }: Run): readonly Attempt[] {
  return [header, ...Object.values(stories)].flatMap(({ attempts }) => attempts);
}

/** What it said did not count. */
function isWasted(attempt: Attempt): boolean {
  if (!hasEnded(attempt)) return false;
  return attempt.state.outcome !== "completed" || attempt.state.verdict?.kind === "rejected";
}

function rowOf(name: string, attempts: readonly Attempt[]): SpentRow {
  return {
    name,
    attempts: attempts.length,
    usage: attempts.reduce((sum: Required<Usage>, attempt) => addUsage(sum, attempt.usage), noUsage),
    wastedUsd: attempts.filter(isWasted).reduce((sum, attempt) => sum + attempt.usage.costUsd, 0),
    unreported: attempts.filter(isUnreported).length,
  };
}

function tokensOf({ usage }: SpentRow): number {
  return usage.inputTokens + usage.outputTokens;
}

function groupOf(attempt: Attempt, grouping: Grouping, own: string): string {
  switch (grouping) {
    case "story":
      return attempt.story ?? own;
    case "step":
      return attempt.name;
    case "model":
      return attempt.model ?? attempt.executor;
    case "outcome":
      if (!hasEnded(attempt)) return "running";
      if (attempt.state.outcome !== "completed") return attempt.state.outcome.replace("_", " ");
      return attempt.state.verdict?.kind === "rejected" ? "rejected" : "passed";
  }
}
