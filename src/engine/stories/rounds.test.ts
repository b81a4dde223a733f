// `need` and `others` of a `stories` step: how many stories must be done, and what becomes of the rest.

import { describe, expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { unfinished } from "../../../test/support/engine/reports.ts";
import {
  agent,
  atMost,
  backTo,
  fail,
  gate,
  limit,
  stories,
  storySpec,
  withParts,
  workflow,
} from "../../../test/support/engine/workflow.ts";
import type { StepDefinition, StoriesStep } from "../../domain/definition.ts";
import { stepName, storyId } from "../../domain/ids.ts";
import { saidBy } from "../../domain/said.ts";
import type { StorySpec } from "../../domain/story.ts";

type How = Partial<Pick<StoriesStep, "need" | "others" | "onStoryFailed" | "concurrency" | "sentBack">>;

const review = agent("review", { on: { rejected: atMost(3, backTo("each")) } });

/** Three stories at once, each a `code` and a `test`; a rejected one fails at once. */
function begun(
  how: How,
  specs: readonly (string | StorySpec)[] = ["US-1", "US-2", "US-3"],
  body: readonly StepDefinition[] = twoSteps,
): Driver {
  const step = stories("each", body, {
    concurrency: 3,
    storyBudget: limit(0, fail("story failed")),
    onStoryFailed: "continue",
    ...how,
  });
  return new Driver({ ...workflow([step, review]), collects: { [step.name]: ["verdict"] } }, { stories: specs });
}

const twoSteps = [agent("code"), agent("test")];

function finishStory(run: Driver, story: string): void {
  for (const step of ["code", "test"]) run.pass(`${story}/${step}`, { outputs: { verdict: story } });
}

/** The supervisor says that a stopped attempt is gone. */
function goes(run: Driver, place: string): void {
  const attempt = run.attempts(place).at(-1);
  if (!attempt) throw new Error(`nothing runs at ${place}`);
  run.must(run.finishing(attempt, unfinished("cancelled"), null), "driver");
}

const drop = (of: string, as: "done" | "failed" = "done") =>
  ({ type: "drop_story", of: storyId(of), as, reason: "" }) as const;
const reasonOf = (run: Driver) => run.run.header.end?.reason;

describe("`others: finish`", () => {
  test("[ND1 ND2] the step passes at the end if so many stories are done, even if others failed", () => {
    const run = begun({ need: 2 });
    finishStory(run, "US-1");
    run.reject("US-2/code");
    expect(run.states()).toMatchObject({ each: "running" });
    finishStory(run, "US-3");
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "failed", "US-3": "done" });
    expect([run.states(), run.status]).toEqual([{ each: "done", review: "ready" }, "running"]);
  });

  test("[ND2] stories that have not begun run, too, when enough are done; then it goes on", () => {
    const run = begun({ need: 1, concurrency: 1 });
    finishStory(run, "US-1");
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "running", "US-3": "waiting" });
    finishStory(run, "US-2");
    run.reject("US-3/code");
    expect(run.states()).toMatchObject({ each: "done" });
  });

  test("[ND1 ND2 ST9] too few: all of them end first, then it fails in words", () => {
    const run = begun({ need: 2 }, ["US-1", storySpec("US-2", "US-1"), "US-3"]);
    run.reject("US-1/code");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "blocked", "US-3": "running" });
    finishStory(run, "US-3");
    expect(reasonOf(run)).toBe("each: 1 of 3 stories done, and 2 must be; failed: US-1; blocked: US-2");
  });

  test("[ND2] `on_story_failed: stop` starts no other; what then waits is cancelled when the step passes", () => {
    const run = begun({ need: 1, onStoryFailed: "stop", concurrency: 2 }, ["US-1", "US-2", "US-3"]);
    run.reject("US-1/code");
    expect(run.storyStates()).toMatchObject({ "US-3": "waiting" });
    finishStory(run, "US-2");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "done", "US-3": "cancelled" });
    expect(run.states()).toMatchObject({ each: "done" });
  });
});

describe("`others: stop`", () => {
  test("[ND3] when so many are done, stories at work are stopped, those that wait do not begin, and then the step goes on", () => {
    const run = begun({ need: 1, others: "stop", concurrency: 2 });
    run.claim("US-2/code");
    run.begin("US-2/code");
    finishStory(run, "US-1");
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "running", "US-3": "cancelled" });
    expect(run.effects.filter(({ type }) => type === "stop_attempt")).toHaveLength(1);
    expect(run.states()).toEqual({ each: "running", review: "waiting" });
    expect(run.refused(drop("US-2")).why).toBe("story US-2 is being stopped already");
    goes(run, "US-2/code");
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "cancelled", "US-3": "cancelled" });
    expect([run.states("US-2"), run.states()]).toEqual([
      { code: "waiting", test: "waiting" },
      { each: "done", review: "ready" },
    ]);
    expect(run.messages("story_done")).toHaveLength(1);
  });

  test("[ND3 AT8] what a stopped story still says does not count", () => {
    const run = begun({ need: 1, others: "stop" });
    run.pass("US-2/code");
    const last = run.claim("US-2/test");
    run.must(drop("US-3"));
    finishStory(run, "US-1");
    run.must(run.finishing(last, { ...unfinished("lost") }, null), "driver");
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "cancelled", "US-3": "done" });
  });

  test("[ND3] a story that asks, one with parts, one that is ready and one that an agent pulled are stopped", () => {
    const asks = [agent("code"), gate("ask"), withParts(agent("look"), ["x", "y"]), agent("test")];
    const run = begun({ need: 1, others: "stop", concurrency: 5 }, ["US-1", "US-2", "US-3", "US-4", "US-5"], asks);
    for (const story of ["US-1", "US-2", "US-3"]) run.pass(`${story}/code`);
    for (const story of ["US-1", "US-3"]) run.answer(`${story}/ask`, "approve");
    run.claim("US-3/look#x");
    run.claim("US-5/code", "pull");
    for (const place of ["look#x", "look#y", "test"]) run.pass(`US-1/${place}`);
    expect(run.storyStates()).toMatchObject({ "US-2": "cancelled", "US-3": "running", "US-4": "cancelled" });
    expect(run.storyStates()).toMatchObject({ "US-5": "cancelled" });
    expect(run.gates("US-2/ask")).toMatchObject([{ state: { status: "void" } }]);
    goes(run, "US-3/look#x");
    expect([run.storyStates()["US-3"], run.states()["each"]]).toEqual(["cancelled", "done"]);
  });

  test("[ND3] as soon as so many cannot be done, the rest is stopped, and the step fails", () => {
    const run = begun({ need: 2, others: "stop" });
    run.claim("US-3/code");
    run.reject("US-1/code");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "running", "US-3": "running" });
    run.reject("US-2/code");
    goes(run, "US-3/code");
    expect(reasonOf(run)).toBe("each: 0 of 3 stories done, and 2 must be; failed: US-1, US-2; stopped: US-3");
  });

  test("[ND3] where all are needed, one that fails stops the others", () => {
    const run = begun({ others: "stop", concurrency: 2 });
    run.claim("US-2/code");
    run.reject("US-1/code");
    goes(run, "US-2/code");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "cancelled", "US-3": "cancelled" });
    expect(reasonOf(run)).toBe("story US-1 failed");
    run.retry({ story: "US-1" });
    for (const story of ["US-1", "US-2", "US-3"]) finishStory(run, story);
    expect(run.states()).toMatchObject({ each: "done" });
  });
});

describe("how many stories there are", () => {
  test("[ND4] fewer than are needed: nothing begins, and the reason says it; a further story can be added", () => {
    const run = begun({ need: 3, others: "stop" }, ["US-1", "US-2"]);
    expect(run.storyStates()).toEqual({ "US-1": "waiting", "US-2": "waiting" });
    expect(reasonOf(run)).toBe("each: 0 of 2 stories done, and 3 must be");
    run.retry();
    expect([run.status, run.storyStates()["US-1"]]).toEqual(["failed", "waiting"]);
    run.must(run.adding("US-3"));
    for (const story of ["US-1", "US-2", "US-3"]) finishStory(run, story);
    expect(run.states()).toMatchObject({ each: "done" });
  });

  test("[ND5] one that a person dropped as done is not counted; one that was done outside of the run is", () => {
    const run = begun({ need: 2, concurrency: 1 });
    run.must({ type: "add_stories", stories: [], done: [storyId("US-3")] });
    run.must(drop("US-2"));
    expect(run.states()).toMatchObject({ each: "running" });
    finishStory(run, "US-1");
    expect(run.states()).toMatchObject({ each: "done" });
    const few = begun({ need: 2 }, ["US-1", "US-2"]);
    few.must(drop("US-2"));
    finishStory(few, "US-1");
    expect(reasonOf(few)).toBe("each: 1 of 2 stories done, and 2 must be; left out by a person: US-2");
    few.retry();
    expect(Object.keys(few.storyStates())).toEqual(["US-1", "US-2"]);
  });
});

describe("a retry", () => {
  test("[ND6] works on stories that failed and on those that were stopped, where they were; what is done stays done", () => {
    const run = begun({ need: 3, others: "stop", concurrency: 4 }, ["US-1", "US-2", "US-3", "US-4"]);
    finishStory(run, "US-1");
    run.pass("US-3/code");
    run.claim("US-3/test");
    run.reject("US-2/code");
    run.reject("US-4/code");
    goes(run, "US-3/test");
    expect(run.status).toBe("failed");
    run.retry();
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "running", "US-3": "running", "US-4": "running" });
    expect(run.states("US-3")).toEqual({ code: "done", test: "ready" });
    run.pass("US-3/test");
    finishStory(run, "US-2");
    expect([run.states()["each"], run.storyStates()["US-4"]]).toEqual(["done", "cancelled"]);
  });

  test("[ND6] a story without which the step has passed is not retried", () => {
    const run = begun({ need: 2 });
    run.reject("US-1/code");
    for (const story of ["US-2", "US-3"]) finishStory(run, story);
    expect(run.retry({ story: "US-1" })).toMatchObject({ accepted: false, why: "story US-1 has not failed" });
    run.must({ type: "drop_step", story: null, step: "review", as: "failed", reason: "" });
    run.retry();
    expect([run.states(), run.storyStates()["US-1"]]).toEqual([{ each: "done", review: "ready" }, "failed"]);
  });
});

describe("going back", () => {
  test("[ND7 ST10] is another round: its one story must be done, and what failed or was stopped is none of it", () => {
    const run = begun({ need: 2, others: "stop", concurrency: 4 }, ["US-1", "US-2", "US-3", "US-4"]);
    run.reject("US-3/code");
    for (const story of ["US-1", "US-2"]) finishStory(run, story);
    run.reject("review", "the tests are missing");
    const before = { "US-1": "done", "US-2": "done", "US-3": "failed", "US-4": "cancelled" };
    expect(run.storyStates()).toEqual({ ...before, "FIX-1": "running" });
    run.reject("FIX-1/code");
    expect(run.status).toBe("failed");
    run.retry();
    expect(run.storyStates()).toEqual({ ...before, "FIX-1": "running" });
    finishStory(run, "FIX-1");
    expect(run.states()).toEqual({ each: "done", review: "ready" });
  });

  test("[ND7 ST23] without a story the round has nothing to do", () => {
    const run = begun({ need: 1, others: "stop", sentBack: "nothing" });
    finishStory(run, "US-1");
    run.reject("review");
    expect(run.states()).toEqual({ each: "done", review: "ready" });
  });

  test("[ND7 ST2] a new plan replaces what was stopped before it began", () => {
    const step = stories("each", twoSteps, { need: 1, others: "stop" });
    const again = agent("review", { on: { rejected: atMost(3, backTo("plan")) } });
    const run = new Driver(workflow([agent("plan"), step, again]));
    run.plan("plan", "US-1", "US-2", "US-3");
    finishStory(run, "US-1");
    run.reject("review");
    run.plan("plan", "US-2", "US-4");
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "running", "US-4": "waiting" });
    finishStory(run, "US-2");
    expect(run.states()).toMatchObject({ each: "done" });
  });

  test("[ND7] a second `stories` step counts its own stories", () => {
    const first = stories("each", twoSteps, { need: 1, onStoryFailed: "continue", concurrency: 2 });
    const second = stories("more", twoSteps, { concurrency: 2 });
    const run = new Driver(workflow([agent("plan"), first, agent("next"), second, agent("end")]));
    run.plan("plan", "US-1", "US-2");
    run.reject("US-2/code");
    finishStory(run, "US-1");
    run.plan("next", "US-3");
    finishStory(run, "US-3");
    expect([run.states(), run.storyStates()]).toMatchObject([{ more: "done", end: "ready" }, { "US-2": "failed" }]);
  });
});

describe("a stopped story", () => {
  test("[ND8 OU12] said nothing: it is none of what stories said", () => {
    const run = begun({ need: 2, others: "stop" });
    run.pass("US-3/code", { outputs: { verdict: "no" } });
    for (const story of ["US-1", "US-2"]) finishStory(run, story);
    const said = saidBy(run.run.header, { step: stepName("each"), key: "verdict" });
    expect(said.map((each) => ("story" in each ? each.story : ""))).toEqual(["US-1", "US-2"]);
    expect(run.context()["verdict"]).toBe("US-1: US-1\nUS-2: US-2");
  });

  test("[ND9 LC1 LC3] a pause lets it stop, a cancel ends the run, and neither stops it twice", () => {
    const stopping = () => {
      const run = begun({ need: 1, others: "stop" }, ["US-1", "US-2"]);
      run.claim("US-2/code");
      finishStory(run, "US-1");
      return run;
    };
    const paused = stopping();
    paused.pause();
    goes(paused, "US-2/code");
    expect([paused.states(), paused.status]).toEqual([{ each: "done", review: "ready" }, "paused"]);
    const cancelled = stopping();
    cancelled.cancel();
    goes(cancelled, "US-2/code");
    expect([cancelled.status, cancelled.storyStates()]).toEqual(["cancelled", { "US-1": "done", "US-2": "cancelled" }]);
    expect(cancelled.effects.filter(({ type }) => type === "stop_attempt")).toHaveLength(1);
    expect(cancelled.retry()).toMatchObject({ accepted: false });
  });
});
