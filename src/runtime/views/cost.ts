// The cost document. Owns: what a run has used, by whom and for what. Every attempt counts, whatever became of it.

import type { AttemptCost, CostDocument, CostList } from "../../contracts/cost-documents.ts";
import { type Attempt, addUsage, hasEnded, noUsage, type Usage } from "../../domain/attempt.ts";
import type { Run } from "../../domain/run.ts";
import { isUnpriced, type Prices, tokensOf } from "../../executors/prices.ts";
import type { RunSummary } from "../../store/store.ts";
import { isoTime, runDocument } from "./status.ts";

type SpentFor = CostDocument["total"];

export function costDocument(run: Run, summary: RunSummary, prices: Prices): CostDocument {
  const { usage: _, branch: __, driver: ___, ...about } = runDocument(summary, null);
  const { header } = run;
  const inOrder = [header, ...header.stories.flatMap(({ id }) => run.stories[id] ?? [])];
  const attempts = inOrder.flatMap((scope) => scope.attempts).map((attempt) => attemptCost(attempt, prices));
  const begun = attempts.toSorted((one, other) => one.startedAt.localeCompare(other.startedAt));
  return {
    run: about,
    total: sumOf(attempts),
    byExecutor: dearestFirst(grouped(attempts, "executor")),
    byModel: dearestFirst(grouped(attempts, "model")),
    byStory: grouped(attempts, "story"),
    byStep: grouped(begun, "step"),
    attempts: begun,
  };
}

export function costList(summaries: readonly RunSummary[], more: boolean): CostList {
  const runs = summaries.map((summary) => {
    const { usage: _, branch: __, driver: ___, ...about } = runDocument(summary, null);
    const { attempts } = summary.totals;
    return { ...about, attempts, ...tidy(summary.totals) };
  });
  const total = runs.reduce<Usage>(addUsage, noUsage);
  return { runs, total: { attempts: runs.reduce((sum, run) => sum + run.attempts, 0), ...tidy(total) }, more };
}

/** What Pawl performs itself uses nothing. */
const performedByPawl: ReadonlySet<string> = new Set(["shell", "integrate"]);

/** An agent that was killed before it said what it used has not used nothing. */
const unknown = {
  costUsd: null,
  estimatedUsd: null,
  inputTokens: null,
  cacheReadTokens: null,
  outputTokens: null,
} as const;

function attemptCost(attempt: Attempt, prices: Prices): AttemptCost {
  const { executor, model = null, version = null, usage } = attempt;
  const unreported = !performedByPawl.has(executor) && usage.costUsd === 0 && tokensOf(usage) === 0;
  return {
    id: attempt.id,
    story: attempt.story,
    step: attempt.name,
    number: attempt.number,
    executor,
    model,
    version,
    outcome: hasEnded(attempt) ? attempt.state.outcome : null,
    startedAt: isoTime(attempt.startedAt),
    endedAt: hasEnded(attempt) ? isoTime(attempt.state.endedAt) : null,
    ...(unreported ? unknown : tidy(usage)),
    unpriced: isUnpriced(usage, { executor, model }, prices),
    unreported,
  };
}

function grouped<Key extends "executor" | "model" | "story" | "step">(attempts: readonly AttemptCost[], key: Key) {
  const groups = Map.groupBy(attempts, (attempt) => attempt[key]);
  return [...groups].map(([name, members]) => {
    const named = { [key]: name } as Record<Key, AttemptCost[Key]>;
    return { ...named, ...sumOf(members) };
  });
}

function sumOf(attempts: readonly AttemptCost[]): SpentFor {
  const used = attempts.map(reportedBy).reduce<Usage>(addUsage, noUsage);
  return {
    attempts: attempts.length,
    ...tidy(used),
    unpriced: attempts.filter(({ unpriced }) => unpriced).length,
    unreported: attempts.filter(({ unreported }) => unreported).length,
  };
}

function reportedBy({
  costUsd,
  estimatedUsd,
  inputTokens,
  cacheReadTokens,
  outputTokens,
}: AttemptCost): Required<Usage> {
  return {
    costUsd: costUsd ?? 0,
    estimatedUsd: estimatedUsd ?? 0,
    inputTokens: inputTokens ?? 0,
    cacheReadTokens: cacheReadTokens ?? 0,
    outputTokens: outputTokens ?? 0,
  };
}

/** Sums of floating numbers end in noise that nobody spent. */
function tidy(usage: Usage): Required<Usage> {
  const { costUsd, estimatedUsd = 0, inputTokens, cacheReadTokens = 0, outputTokens } = usage;
  const usd = (sum: number) => Number(sum.toFixed(6));
  return { costUsd: usd(costUsd), estimatedUsd: usd(estimatedUsd), inputTokens, cacheReadTokens, outputTokens };
}

function dearestFirst<Row extends SpentFor>(rows: readonly Row[]): readonly Row[] {
  const tokens = (row: Row) => row.inputTokens + row.cacheReadTokens + row.outputTokens;
  return rows.toSorted((one, other) => other.costUsd - one.costUsd || tokens(other) - tokens(one));
}
