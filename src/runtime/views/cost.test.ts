import { expect, test } from "vitest";
import type { Attempt, AttemptPhase, Outcome, Usage } from "../../domain/attempt.ts";
import { attemptId, runId, stepId, stepName, storyId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { RunSummary } from "../../store/store.ts";
import { costDocument, costList } from "./cost.ts";
import { runDocument } from "./status.ts";

const base = Date.parse("2026-01-31T09:00:00.000Z");

interface Facts {
  readonly story?: string;
  readonly executor?: string;
  readonly model?: string | null;
  readonly outcome?: Outcome | null;
  readonly usage: Partial<Usage>;
}

function attempt(index: number, name: string, facts: Facts): Attempt {
  const { story, executor = "claude", model = "claude-opus-5-5", outcome = "completed" } = facts;
  const startedAt = base + index * 60_000;
  const state = outcome === null ? { phase: "started" } : { phase: "ended", outcome, endedAt: startedAt + 1_000 };
  return {
    id: attemptId(`at-${index}`),
    story: story === undefined ? null : storyId(story),
    step: stepId(name),
    name: stepName(name),
    number: 1,
    executor,
    startedAt,
    usage: { costUsd: 0, inputTokens: 0, outputTokens: 0, ...facts.usage },
    model,
    state: state as AttemptPhase,
  } as Attempt;
}

function runWith(attempts: readonly Attempt[]): Run {
  const of = (story: string | null) => ({ attempts: attempts.filter((each) => each.story === story) });
  const ids = [...new Set(attempts.flatMap(({ story }) => story ?? []))].toSorted();
  return {
    header: { ...of(null), stories: ids.map((id) => ({ id })) },
    stories: Object.fromEntries(ids.map((id) => [id, of(id)])),
  } as unknown as Run;
}

function summary(changes: Partial<RunSummary["totals"]> = {}, number = 1): RunSummary {
  return {
    id: runId(`run-${number}`),
    number,
    workflow: "small",
    task: "do it",
    status: "done",
    repo: null,
    startedAt: base,
    endedAt: null,
    totals: { attempts: 0, steps: 0, unreported: 0, costUsd: 0, inputTokens: 0, outputTokens: 0, ...changes },
  };
}

const guessed = { costUsd: 0.2, estimatedUsd: 0.2, inputTokens: 10, cacheReadTokens: 7, outputTokens: 1 };
const whole = runWith([
  attempt(0, "plan", { usage: { costUsd: 0.1, inputTokens: 100, outputTokens: 10 } }),
  attempt(1, "code", { story: "US-002", executor: "codex", model: "gpt-5", outcome: "failed", usage: guessed }),
  attempt(2, "code", { story: "US-001", executor: "codex", model: null, usage: { inputTokens: 5 } }),
  attempt(3, "code", { story: "US-002", executor: "codex", model: "gpt-5", outcome: "timed_out", usage: guessed }),
  attempt(4, "test", { executor: "shell", model: null, usage: {} }),
  attempt(5, "verify", { story: "US-002", outcome: null, usage: {} }),
]);

test("[CO1 CO7] every attempt counts, failed ones too: in all, and by executor, model, story and step", () => {
  const { total, byExecutor, byModel, byStory, byStep } = costDocument(whole, summary(), {});
  expect(total).toEqual({
    attempts: 6,
    costUsd: 0.5,
    estimatedUsd: 0.4,
    inputTokens: 125,
    cacheReadTokens: 14,
    outputTokens: 12,
    unpriced: 1,
    unreported: 1,
  });
  const line = (row: { attempts: number; costUsd: number | null; estimatedUsd: number | null }) =>
    `${row.attempts} ${row.costUsd} ${row.estimatedUsd}`;
  expect(byExecutor.map((row) => `${row.executor}: ${line(row)}`)).toEqual([
    "codex: 3 0.4 0.4",
    "claude: 2 0.1 0",
    "shell: 1 0 0",
  ]);
  expect(byModel.map((row) => `${row.model}: ${line(row)}`)).toEqual([
    "gpt-5: 2 0.4 0.4",
    "claude-opus-5-5: 2 0.1 0",
    "null: 2 0 0",
  ]);
  expect(byStory.map((row) => `${row.story}: ${line(row)}`)).toEqual([
    "null: 2 0.1 0",
    "US-001: 1 0 0",
    "US-002: 3 0.4 0.4",
  ]);
  expect(byStep.map((row) => `${row.step}: ${line(row)}`)).toEqual([
    "plan: 1 0.1 0",
    "code: 3 0.4 0.4",
    "test: 1 0 0",
    "verify: 1 null null",
  ]);
});

test("[CO7] attempts are told in the order in which they began, with their outcome", () => {
  const { attempts, run } = costDocument(whole, summary(), {});
  expect(attempts.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
    "at-0 completed",
    "at-1 failed",
    "at-2 completed",
    "at-3 timed_out",
    "at-4 completed",
    "at-5 null",
  ]);
  expect(attempts[1]).toEqual({
    id: "at-1",
    story: "US-002",
    step: "code",
    number: 1,
    executor: "codex",
    model: "gpt-5",
    version: null,
    outcome: "failed",
    startedAt: "2026-01-31T09:01:00.000Z",
    endedAt: "2026-01-31T09:01:01.000Z",
    ...guessed,
    unpriced: false,
    unreported: false,
  });
  expect(attempts[5]).toMatchObject({ endedAt: null });
  expect(run).toEqual({
    id: "run-1",
    number: 1,
    workflow: "small",
    task: "do it",
    status: "done",
    repo: null,
    startedAt: "2026-01-31T09:00:00.000Z",
    endedAt: null,
  });
});

test("[CO4] what has no price is counted apart, and not where the user says that it is free", () => {
  const free = { input: 0, cachedInput: null, output: 0 };
  expect(costDocument(whole, summary(), { codex: free }).total.unpriced).toBe(0);
  const { byExecutor, attempts } = costDocument(whole, summary(), {});
  expect(byExecutor.map(({ unpriced }) => unpriced)).toEqual([1, 0, 0]);
  expect(attempts.filter(({ unpriced }) => unpriced).map(({ id }) => id)).toEqual(["at-2"]);
});

test("[CO8] runs are summed without the noise of floating numbers", () => {
  const one = { attempts: 2, costUsd: 0.1, estimatedUsd: 0.1, inputTokens: 1, cacheReadTokens: 4, outputTokens: 2 };
  const list = costList([summary(one, 2), summary({ ...one, costUsd: 0.2 }, 1)], true);
  expect(list.runs.map(({ number, costUsd }) => [number, costUsd])).toEqual([
    [2, 0.1],
    [1, 0.2],
  ]);
  expect(list.runs[0]).not.toHaveProperty("usage");
  expect(list.total).toEqual({
    attempts: 4,
    costUsd: 0.3,
    estimatedUsd: 0.2,
    inputTokens: 2,
    cacheReadTokens: 8,
    outputTokens: 4,
    unreported: 0,
  });
  expect(list.more).toBe(true);
});

test("[CO12] an agent that ended without a word about its usage has used an unknown amount, not zero; what Pawl performs uses nothing", () => {
  const run = runWith([
    attempt(0, "code", { executor: "codex", model: null, outcome: "lost", usage: {} }),
    attempt(1, "code", { executor: "codex", model: null, usage: { inputTokens: 5, outputTokens: 1 } }),
    attempt(2, "test", { executor: "shell", model: null, usage: {} }),
    attempt(3, "integrate", { executor: "integrate", model: null, usage: {} }),
  ]);
  const { attempts, total, byExecutor } = costDocument(run, summary(), {});
  const nothing = { costUsd: null, estimatedUsd: null, inputTokens: null, cacheReadTokens: null, outputTokens: null };
  expect(attempts[0]).toMatchObject({ ...nothing, unreported: true });
  expect(attempts.slice(1).map(({ costUsd, unreported }) => [costUsd, unreported])).toEqual([
    [0, false],
    [0, false],
    [0, false],
  ]);
  expect(total).toMatchObject({ attempts: 4, inputTokens: 5, unreported: 1 });
  expect(byExecutor.map(({ executor, unreported }) => `${executor} ${unreported}`)).toContain("codex 1");
});

test("[CO12] what no agent reported is null in every document: of a run, in the list of runs, of a story; beside a report it is counted", () => {
  const silent = { executor: "codex", model: null, usage: {} };
  const unknown = { costUsd: null, estimatedUsd: null, inputTokens: null, cacheReadTokens: null, outputTokens: null };
  const run = runWith([attempt(0, "code", silent), attempt(1, "test", { ...silent, executor: "shell" })]);
  const of = summary({ attempts: 2, unreported: 1 });
  expect(costDocument(run, of, {}).total).toEqual({ attempts: 2, ...unknown, unreported: 1, unpriced: 0 });
  expect(runDocument(of, null).usage).toEqual({ ...unknown, unreported: 1 });
  const reported = summary({ attempts: 2, unreported: 1, costUsd: 0.5, outputTokens: 3 }, 2);
  const known = { costUsd: 0.5, estimatedUsd: 0, inputTokens: 0, cacheReadTokens: 0, outputTokens: 3, unreported: 1 };
  expect(runDocument(reported, null).usage).toEqual(known);
  expect(costList([reported, of], false)).toMatchObject({
    runs: [known, unknown],
    total: { ...known, attempts: 4, unreported: 2 },
  });
  // What Pawl performs itself uses nothing, and that is known.
  expect(runDocument(summary({ attempts: 1 }), null).usage).toMatchObject({ costUsd: 0, unreported: 0 });
});
