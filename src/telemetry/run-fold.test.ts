import { expect, test } from "vitest";
import { noUsage } from "../domain/attempt.ts";
import type { Event } from "../domain/event.ts";
import { runId } from "../domain/ids.ts";
import type { EndedSpan, Figure } from "./exporter.ts";
import { RunFold } from "./run-fold.ts";
import { runSpanId, storySpanId } from "./span-ids.ts";

const run = runId("k3xabc");

/** Only the fields that telemetry reads. */
function fold(...events: readonly Readonly<Record<string, unknown>>[]) {
  const folding = new RunFold(run, 3);
  const spans: EndedSpan[] = [];
  const figures: Figure[] = [];
  for (const event of events) {
    const completed = folding.apply({ story: null, author: "driver", ...event } as unknown as Event);
    spans.push(...completed.spans);
    figures.push(...completed.figures);
  }
  return { spans, figures };
}

const started = { type: "run_started", at: 1_000, definition: { id: "small" } };
const began = (attempt: string, at: number, more: object = {}) => ({
  type: "attempt_dispatched",
  at,
  attempt,
  step: "work",
  name: "work",
  number: 1,
  executor: "claude",
  ...more,
});
const ended = (attempt: string, at: number, more: object = {}) => ({
  type: "attempt_ended",
  at,
  attempt,
  outcome: "completed",
  verdict: { kind: "passed" },
  taken: null,
  usage: { ...noUsage, inputTokens: 5, outputTokens: 2, costUsd: 0.5 },
  ...more,
});
const runEnded = (at: number, status = "failed") => ({ type: "run_ended", at, status, reason: "words" });
const placeOf = ({ id, parent, startedAt, endedAt }: EndedSpan) => ({ id, parent, startedAt, endedAt });

test("[TL12] a run that is reopened gets a new span below its first one, and its later attempts are below that", () => {
  const { spans } = fold(
    started,
    began("at-1", 1_100),
    ended("at-1", 1_200),
    runEnded(1_300),
    { type: "run_reopened", at: 5_000 },
    began("at-2", 5_100),
    ended("at-2", 5_200),
    runEnded(5_300, "done"),
  );
  const [first, second] = [runSpanId(run, 1), runSpanId(run, 2)];
  expect(spans.map(({ name, parent }) => `${name} below ${parent}`)).toEqual([
    `attempt work below ${first}`,
    "run small below null",
    `attempt work below ${second}`,
    `run small below ${first}`,
  ]);
  expect(spans.filter(({ name }) => name === "run small").map(placeOf)).toEqual([
    { id: first, parent: null, startedAt: 1_000, endedAt: 1_300 },
    { id: second, parent: first, startedAt: 5_000, endedAt: 5_300 },
  ]);
  expect(spans.map(({ isFailure }) => isFailure)).toEqual([false, true, false, false]);
  expect(spans[3]?.attributes).toMatchObject({ "pawl.opening": 2, "pawl.attempts": 1, "pawl.cost.usd": 0.5 });
});

test("[TL12] a story that works again after its end gets a new span, and one that its run leaves open ends with it", () => {
  const of = "US-1" as never;
  const changed = (status: string, at: number) => ({ type: "story_changed", of, status, reason: "", at });
  const { spans } = fold(
    started,
    changed("running", 1_100),
    { type: "story_opened", story: of, at: 1_100 },
    began("at-1", 1_200, { story: of }),
    ended("at-1", 1_300, { story: of, outcome: "failed", verdict: null }),
    changed("failed", 1_300),
    // Nothing of it works between the two.
    changed("waiting", 2_000),
    changed("running", 2_100),
    began("at-2", 2_200, { story: of }),
    runEnded(2_300, "cancelled"),
    ended("at-2", 2_400, { story: of, outcome: "cancelled", verdict: null }),
  );
  const [first, second] = [storySpanId(run, of, 1), storySpanId(run, of, 2)];
  const root = runSpanId(run, 1);
  expect(spans.filter(({ name }) => name === "story").map(placeOf)).toEqual([
    { id: first, parent: root, startedAt: 1_100, endedAt: 1_300 },
    { id: second, parent: root, startedAt: 2_100, endedAt: 2_300 },
  ]);
  const attempts = spans.filter(({ name }) => name === "attempt work");
  expect(attempts.map(({ parent, isFailure }) => [parent, isFailure])).toEqual([
    [first, true],
    [second, false],
  ]);
});

test("[TL12] a story that never worked has no span", () => {
  const changed = { type: "story_changed", of: "US-1", status: "skipped", reason: "", at: 1_100 };
  expect(fold(started, changed, runEnded(1_200, "done")).spans.map(({ name }) => name)).toEqual(["run small"]);
});

test("[TL13] an attempt that did not complete has failed, unless it was cancelled", () => {
  const outcomes = ["completed", "failed", "timed_out", "lost", "cancelled", "rate_limited", "invalid_output"];
  const failed = outcomes.filter(
    (outcome) => fold(started, began("at-1", 1_100), ended("at-1", 1_200, { outcome })).spans[0]?.isFailure,
  );
  expect(failed).toEqual(["failed", "timed_out", "lost", "rate_limited", "invalid_output"]);
});

test("[TL14] of a verdict its kind is sent, of an executor its name, of a failure no words", () => {
  const words = "the words of /home/ann";
  const { spans, figures } = fold(
    started,
    began("at-1", 1_100, { executor: `command: sh ${words}`, part: "docs" }),
    ended("at-1", 1_200, { verdict: { kind: "value", value: words }, why: words, notes: [words], session: words }),
    began("at-2", 1_300),
    ended("at-2", 1_400, { verdict: { kind: "rejected", reason: words }, facts: { words }, model: "opus" }),
    { ...runEnded(1_500), reason: words },
  );
  expect(JSON.stringify({ spans, figures })).not.toContain("words");
  expect(spans[0]?.attributes).toMatchObject({
    "pawl.executor": "command",
    "pawl.verdict": "value",
    "pawl.part": "docs",
  });
  expect(spans[1]?.attributes).toMatchObject({ "pawl.verdict": "rejected", "pawl.model": "opus" });
});

test("[TL20] an attempt waits from the moment at which its step may begin; a part of a step has its own", () => {
  const { figures } = fold(
    started,
    { type: "step_readied", at: 1_000, notBefore: 4_000, step: "work", feedback: null },
    began("at-1", 4_500),
    { type: "parts_opened", at: 5_000, step: "work", parts: ["a", "b"] },
    began("at-2", 5_100, { part: "a" }),
    began("at-3", 5_300, { part: "b" }),
    // Nothing says since when: no figure is better than a wrong one.
    began("at-4", 9_000),
    ended("at-1", 14_500),
  );
  expect(figures.map((figure) => (figure.type === "began" ? figure.waitedMs : figure.ms))).toEqual([
    500, 100, 300, 10_000,
  ]);
  expect(figures.at(-1)).toMatchObject({ usage: { costUsd: 0.5 }, labels: { "pawl.outcome": "completed" } });
  expect(Object.keys(figures[0]?.labels ?? {})).toEqual(["pawl.workflow", "pawl.step", "pawl.executor"]);
});

test("[TL10] a clock that was set back makes no span that ends before it begins", () => {
  const [span] = fold(started, began("at-1", 5_000), ended("at-1", 4_000)).spans;
  expect(span).toMatchObject({ startedAt: 5_000, endedAt: 5_000 });
});
