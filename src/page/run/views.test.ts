// What the views of a run show, from runs that the engine made.

import { expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import {
  agent,
  atMost,
  backTo,
  fail,
  featureDev,
  gate,
  next,
  workflow,
} from "../../../test/support/engine/workflow.ts";
import { storyId } from "../../domain/ids.ts";
import type { StorySpec } from "../../domain/story.ts";
import { chainRows } from "./chain/chain-rows.ts";
import { spentBy, spentInAll } from "./cost/spent.ts";
import { lanesOf, plannedTimes, ticksOf, waitOf } from "./lanes/lanes.ts";
import { recoveriesOf } from "./recovery/recoveries.ts";
import { storyRows } from "./stories/story-rows.ts";

const first: StorySpec = {
  id: storyId("US-1"),
  title: "Divide",
  description: "",
  acceptanceCriteria: ["It divides"],
  dependsOn: [],
};
const usage = { costUsd: 1, inputTokens: 100, outputTokens: 10 };

function rejectedOnce(): Driver {
  const run = new Driver(featureDev());
  run.plan("plan", first, "US-2");
  run.pass("US-1/implement", { usage });
  run.reject("US-1/verify", "no tests", null, { usage });
  run.lose("US-1/implement");
  run.pass("US-1/implement", { usage, outputs: { changes: "a test" } });
  return run;
}

test("[PG22] the chain shows where the run stands, and each way back with how often its worst story took it", () => {
  const { run, at } = rejectedOnce();
  const rows = chainRows(run, at);
  const verify = rows.find(({ name, inStories }) => inStories && name === "verify");
  expect(verify).toMatchObject({ isHere: true, here: ["US-1"], attempts: 1 });
  expect(verify?.waysBack).toContainEqual(
    expect.objectContaining({ key: "rejected", to: "implement", taken: 1, worst: "US-1" }),
  );
  const never = chainRows(
    new Driver(workflow([agent("plan", { on: { rejected: atMost(0, backTo("plan")) } })])).run,
    at,
  );
  expect(never[0]?.waysBack.map(({ key }) => key)).toEqual(["error"]);
  const first = rows.find(({ name, inStories }) => !inStories && name === "plan");
  expect(first).toMatchObject({ status: "done", isHere: false });
  expect(rows.filter(({ status }) => status === "waiting").map(({ name }) => name)).toContain("test");
});

test("[PG22] a gate in the chain has its ways back, which have no limit, and leads to its open question", () => {
  const asks = gate("look", { approve: next, reject: backTo("plan"), "reject:unclear": backTo("ship"), drop: fail() });
  const driven = new Driver(workflow([agent("plan"), agent("ship"), asks]));
  driven.pass("plan");
  driven.pass("ship");
  const row = () => chainRows(driven.run, driven.at).find(({ name }) => name === "look");
  expect(row()).toMatchObject({ status: "held", gate: driven.openGate("look").id });
  const ways = (first: number, second: number) => [
    { key: "reject", to: "plan", taken: first, limit: null, worst: null },
    { key: "reject, unclear", to: "ship", taken: second, limit: null, worst: null },
  ];
  expect(row()?.waysBack).toEqual(ways(0, 0));
  driven.answer("look", "reject");
  expect(row()).toMatchObject({ gate: null, waysBack: ways(1, 0) });
  driven.pass("plan");
  driven.pass("ship");
  driven.answer("look", "reject", { reason: "unclear" });
  driven.pass("ship");
  driven.answer("look", "approve");
  expect(row()).toMatchObject({ status: "done", gate: null, waysBack: ways(1, 1) });
});

test("[PG23] the cost is that of every attempt, and says what was spent on work that did not count", () => {
  const { run } = rejectedOnce();
  expect(spentInAll(run)).toMatchObject({ usage: { costUsd: 3 }, wastedUsd: 1 });
  const byStep = spentBy(run, "step", "own");
  expect(byStep[0]).toMatchObject({ name: "implement", attempts: 3, usage: { costUsd: 2 }, wastedUsd: 0 });
  expect(spentBy(run, "story", "own").map(({ name }) => name)).toEqual(["US-1", "own"]);
  expect(spentBy(run, "outcome", "own").map(({ name }) => name)).toContain("rejected");
});

test("[PG24] each lane has the bars of its story's attempts, and its waits begin when it was planned", () => {
  const { run, at, events } = rejectedOnce();
  const { lanes, start, end } = lanesOf(run, at, plannedTimes(events));
  const planned = events.find(({ type }) => type === "stories_planned")?.at;
  expect(lanes.map(({ story }) => story)).toEqual([null, "US-1", "US-2"]);
  expect(lanes[1]?.bars.map(({ step, kind }) => `${step} ${kind}`)).toEqual([
    "implement passed",
    "verify rejected",
    "implement failed",
    "implement passed",
  ]);
  expect(lanes[1]?.readyAt).toBe(planned);
  expect(start).toBeLessThan(end);
  const ticks = ticksOf({ start: 0, end: 3_600_000 });
  expect(ticks.length).toBeLessThanOrEqual(11);
  expect(ticks.at(-1)).toBe(3_600_000);
});

test("[PG24] a story that could work and does not waits until now, before its first attempt and after its last; one that is over does not", () => {
  const { run, at, events } = rejectedOnce();
  const [own, one, second] = lanesOf(run, at, plannedTimes(events)).lanes;
  const now = at + 60_000;
  if (own === undefined || one === undefined || second === undefined) throw new Error("there are three lanes");
  expect(waitOf(one, now)).toEqual({ from: one.readyAt, to: now });
  expect(waitOf(second, now)).toEqual({ from: second.readyAt, to: now });
  expect(waitOf({ ...second, readyAt: null }, now)).toBeNull();
  expect(waitOf(own, now)).toBeNull();
  for (const status of ["done", "failed", "skipped"] as const) {
    const bars = one.bars.map((bar, i) => ({ ...bar, from: now + 10 * i, to: now + 10 * i + 5 }));
    expect(waitOf({ bars, readyAt: at, status }, now + 99)).toEqual({ from: at, to: now + 30 });
    expect(waitOf({ ...second, status }, now)).toBeNull();
  }
});

test("[PG25] what was interrupted is listed with what became of it", () => {
  const { run, events } = rejectedOnce();
  const found = recoveriesOf(run, events);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ outcome: "lost", again: { number: 3 } });
  const taken = events.map((event) =>
    event.type === "attempt_ended" && event.outcome === "completed" ? { ...event, facts: { adopted: true } } : event,
  );
  const completed = taken.filter((event) => event.type === "attempt_ended" && event.outcome === "completed");
  const adopted = recoveriesOf(run, taken).filter(({ outcome }) => outcome === "adopted");
  expect(adopted.map(({ attempt }) => attempt.id).toSorted()).toEqual(
    completed.map((event) => (event.type === "attempt_ended" ? event.attempt : "")).toSorted(),
  );
});

test("[PG26 A90] a story's row says where it stands, what it waits for by name, its criteria, attempts and outputs", () => {
  const { run, at, events } = rejectedOnce();
  const [one, second] = storyRows(run, events, at);
  expect(one).toMatchObject({ at: "verify", attempts: 4, rejections: 1 });
  expect(second).toMatchObject({ at: "", attempts: 0 });
  expect(one?.spec?.acceptanceCriteria).toEqual(["It divides"]);
  expect(one?.outputs).toContainEqual({ key: "changes", value: "a test" });
});
