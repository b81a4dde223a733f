// The cost document. Owns: what a run has used, by whom and for what. Every attempt counts, whatever became of it.

import type { AttemptCost, CostDocument, CostList } from "../../contracts/cost-documents.ts";
import { type Attempt, addUsage, hasEnded, isUnreported, noUsage, type Usage } from "../../domain/attempt.ts";
import type { Run } from "../../domain/run.ts";
import { isUnpriced, type Prices } from "../../executors/prices.ts";
import type { RunSummary } from "../../store/store.ts";
import { isoTime, runDocument } from "./status.ts";
import { used } from "./used.ts";

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
    const { usage, branch: _, driver: __, ...about } = runDocument(summary, null);
    return { ...about, attempts: summary.totals.attempts, ...usage };
  });
  const all = summaries.map(({ totals }) => totals);
  const sum = (key: "attempts" | "unreported") => all.reduce((total, of) => total + of[key], 0);
  const total = { attempts: sum("attempts"), ...used(all.reduce<Usage>(addUsage, noUsage), sum("unreported")) };
  return { runs, total, more };
}

function attemptCost(attempt: Attempt, prices: Prices): AttemptCost {
  const { executor, model = null, version = null, usage } = attempt;
  const unreported = isUnreported(attempt);
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
    ...used(usage, Number(unreported)),
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
  const known = attempts.map(reportedBy).reduce<Usage>(addUsage, noUsage);
  return {
    attempts: attempts.length,
    ...used(known, attempts.filter(({ unreported }) => unreported).length),
    unpriced: attempts.filter(({ unpriced }) => unpriced).length,
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

function dearestFirst<Row extends SpentFor>(rows: readonly Row[]): readonly Row[] {
  const [money, tokens] = [
    ({ costUsd }: Row) => costUsd ?? -1,
    (row: Row) => (row.inputTokens ?? 0) + (row.cacheReadTokens ?? 0) + (row.outputTokens ?? 0),
  ];
  return rows.toSorted((one, other) => money(other) - money(one) || tokens(other) - tokens(one));
}
