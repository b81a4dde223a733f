// Scheduling: which story starts next, in which slot, and when.

import { describe, expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import {
  agent,
  ask,
  backTo,
  fail,
  limit,
  next,
  stories,
  storySpec,
  workflow,
} from "../../../test/support/engine/workflow.ts";
import type { StorySpec } from "../../domain/story.ts";

type Options = Parameters<typeof stories>[2];

/** Stories of one step, each with a tree of its own. */
function each(options: Options, ...specs: (string | StorySpec)[]): Driver {
  const code = agent("code", {
    onError: fail("broken"),
    on: { rejected: ask({ accept: next, stop: fail("stopped") }) },
  });
  const step = stories("each", [code], { workspace: "worktree", onStoryFailed: "continue", ...options });
  return new Driver(workflow([step]), { stories: specs });
}

const at = (id: string, priority: number, ...dependsOn: string[]): StorySpec => ({
  ...storySpec(id, ...dependsOn),
  priority,
});
const touching = (id: string, ...touches: string[]): StorySpec => ({ ...storySpec(id), touches });

const opened = (run: Driver) => run.happened("story_opened").map(({ story }) => story);
const atWork = (run: Driver) => Object.keys(run.slots());

/** Ends the stories at work one after the other until the run is over. */
function workAll(run: Driver): readonly (readonly string[])[] {
  const seen = [atWork(run)];
  while (run.status === "running") {
    run.pass(`${atWork(run)[0]}/code`);
    seen.push(atWork(run));
  }
  return seen;
}

describe("the next story", () => {
  test("[ST3 C16] the lowest priority, then the order of the plan; without a priority, last", () => {
    const run = each({}, "US-1", at("US-2", 3), at("US-3", 1), at("US-4", 3), at("US-5", 2), "US-6", at("US-7", 0));
    workAll(run);
    expect(opened(run)).toEqual(["US-7", "US-3", "US-5", "US-2", "US-4", "US-1", "US-6"]);
    expect(run.status).toBe("done");
  });

  test("[ST3 C16 C84] dependencies come before priority: a story that cannot start yet waits", () => {
    const run = each({}, at("US-1", 1, "US-3"), at("US-2", 2), at("US-3", 3));
    workAll(run);
    expect(opened(run)).toEqual(["US-2", "US-3", "US-1"]);
  });

  test("[ST3 C86] never more at once than allowed, and always as many as possible", () => {
    const run = each({ concurrency: 3 }, "US-1", "US-2", "US-3", "US-4", "US-5");
    const seen = workAll(run);
    expect(seen.map((stories) => stories.length)).toEqual([3, 3, 3, 2, 1, 0]);
    expect(run.status).toBe("done");
  });

  test("[ST3 C84 C94] a story begins in the same decision that ends its last dependency", () => {
    const run = each({ concurrency: 2 }, "US-1", at("US-2", 1, "US-1"), "US-3");
    expect(atWork(run)).toEqual(["US-1", "US-3"]);
    run.pass("US-1/code");
    expect(atWork(run)).toEqual(["US-2", "US-3"]);
  });

  test("[ST8 C31 C34 C93 C95 C107] a failed story stops only those that depend on it, and is not retried automatically", () => {
    const specs = ["US-1", at("US-2", 1, "US-1"), at("US-3", 1, "US-2"), "US-4"];
    const run = each({ concurrency: 2, storyBudget: limit(0) }, ...specs);
    run.fails("US-1/code");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "blocked", "US-3": "blocked", "US-4": "running" });
    run.pass("US-4/code");
    expect(run.status).toBe("failed");
    expect(run.attempts("US-1/code")).toHaveLength(1);
    run.retry();
    workAll(run);
    expect(Object.values(run.storyStates())).toEqual(["done", "done", "done", "done"]);
    expect(run.status).toBe("done");
  });
});

describe("touched paths", () => {
  const second = (one: string, other: string) => {
    const run = each({ concurrency: 2 }, touching("US-1", one), touching("US-2", other), "US-3");
    return opened(run)[1];
  };

  test.each([
    ["the same file", "src/a.ts", "src/a.ts"],
    ["the same file, spelled differently", "./src/a.ts", "src/a.ts"],
    ["a file below", "src", "src/a.ts"],
    ["a file below, the other way around", "src/a.ts", "src/"],
    ["a pattern above it", "src/*.ts", "src/deep/a.ts"],
    ["patterns in one directory", "src/api/{a,b}.ts", "src/api/c?.ts"],
    ["a pattern that matches any path", "**/*.md", "docs/a.txt"],
  ])("[ST13] %s: another story goes first", (_what, one, other) => {
    expect(second(one, other)).toBe("US-3");
  });

  test.each([
    ["another file", "src/a.ts", "src/b.ts"],
    ["a name with the same prefix", "src/api", "src/apiary/a.ts"],
    ["another directory", "src/api/*.ts", "src/cli/*.ts"],
    ["prefixes of names", "src/api*", "test/api*"],
  ])("[ST13] %s: the story starts in its turn", (_what, one, other) => {
    expect(second(one, other)).toBe("US-2");
  });

  test("[ST13] an overlapping story starts anyway if there is nothing else to start", () => {
    const run = each({ concurrency: 2 }, touching("US-1", "src/a.ts"), touching("US-2", "src/a.ts"));
    expect(opened(run)).toEqual(["US-1", "US-2"]);
    const after = each({ concurrency: 3 }, touching("US-1", "src"), touching("US-2", "src"), "US-3");
    expect(opened(after)).toEqual(["US-1", "US-3", "US-2"]);
  });

  test("[ST13] only stories at work count, including held ones, not done ones", () => {
    const run = each({ concurrency: 2 }, touching("US-1", "src"), "US-2", touching("US-3", "src/x"), "US-4", "US-5");
    run.reject("US-1/code");
    run.pass("US-2/code");
    expect(opened(run).at(-1)).toBe("US-4");
    run.answer("US-1/code", "accept");
    expect(opened(run).at(-1)).toBe("US-3");
  });
});

describe("slots", () => {
  test("[ST14 C85 C86] the lowest free slot, from one, and never one slot for two stories", () => {
    const run = each({ concurrency: 3 }, "US-1", "US-2", "US-3", "US-4", "US-5");
    expect(run.slots()).toEqual({ "US-1": 1, "US-2": 2, "US-3": 3 });
    run.pass("US-2/code");
    expect(run.slots()).toEqual({ "US-1": 1, "US-3": 3, "US-4": 2 });
    run.pass("US-1/code");
    expect(run.slots()).toEqual({ "US-3": 3, "US-4": 2, "US-5": 1 });
    run.pass("US-3/code");
    run.pass("US-4/code");
    expect(run.slots()).toEqual({ "US-5": 1 });
  });

  test("[ST14 ST12] it is kept while a person is asked and after the answer, and freed at the end", () => {
    const run = each({ concurrency: 2 }, "US-1", "US-2", "US-3");
    run.reject("US-1/code");
    expect(run.slots()).toEqual({ "US-1": 1, "US-2": 2 });
    run.pass("US-2/code");
    expect(run.slots()).toEqual({ "US-1": 1, "US-3": 2 });
    run.answer("US-1/code", "stop");
    expect(run.slots()).toEqual({ "US-3": 2 });
    run.fails("US-3/code");
    expect(run.slots()).toEqual({});
  });

  test("[ST14] an answer that continues leaves the story in its slot", () => {
    const code = agent("code", { on: { rejected: ask({ again: { to: "again" }, stop: fail() }) } });
    const step = stories("each", [code], { workspace: "worktree", concurrency: 2 });
    const run = new Driver(workflow([step]), { stories: ["US-1", "US-2"] });
    run.reject("US-2/code");
    run.answer("US-2/code", "again");
    expect(run.slots()).toEqual({ "US-1": 1, "US-2": 2 });
  });

  test("[ST14] stories that work in the run's tree have none", () => {
    const run = new Driver(workflow([stories("each", [agent("code")], { concurrency: 2 })]), { stories: ["US-1"] });
    expect(run.storyStates()).toEqual({ "US-1": "running" });
    expect(run.slots()).toEqual({});
  });
});

describe("retried", () => {
  test("[LC8 ST3 C16 C82] a retried story waits for its turn by priority and resumes where it was, in a free slot", () => {
    const code = agent("code", { onError: fail("broken") });
    const verify = agent("verify", { on: { rejected: backTo("code") }, onError: fail("broken") });
    const step = stories("each", [code, verify], { workspace: "worktree", concurrency: 2, onStoryFailed: "continue" });
    const run = new Driver(workflow([step]), { stories: [at("US-1", 3), at("US-2", 2), at("US-3", 1), at("US-4", 4)] });
    expect(run.slots()).toEqual({ "US-3": 1, "US-2": 2 });
    run.pass("US-2/code");
    run.fails("US-2/verify");
    expect(run.slots()).toEqual({ "US-3": 1, "US-1": 2 });
    run.retry({ story: "US-2" });
    expect(run.storyStates()).toMatchObject({ "US-2": "waiting", "US-1": "running" });
    expect(run.states("US-2")).toEqual({ code: "done", verify: "waiting" });
    run.pass("US-3/code");
    run.pass("US-3/verify");
    expect(run.slots()).toEqual({ "US-1": 2, "US-2": 1 });
    expect(run.states("US-2")).toEqual({ code: "done", verify: "ready" });
    expect(run.happened("story_opened").filter(({ story }) => story === "US-2")).toHaveLength(1);
    expect(run.attempts("US-2/verify")).toHaveLength(1);
  });

  test("[LC5 LC8 ST8] if a failure stops the rest, a retried story is worked on anyway", () => {
    const step = stories("each", [agent("code", { onError: fail("broken") })], { concurrency: 2 });
    const run = new Driver(workflow([step]), { stories: ["US-1", "US-2", "US-3"] });
    run.fails("US-1/code");
    run.fails("US-2/code");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "failed", "US-3": "waiting" });
    run.retry({ story: "US-2" });
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "running", "US-3": "waiting" });
    run.pass("US-2/code");
    expect(run.run.header.end?.reason).toBe("story US-1 failed");
    run.retry();
    run.pass("US-1/code");
    run.pass("US-3/code");
    expect(run.status).toBe("done");
  });

  test("[LC3 LC8] cancel ends a story that waits for its retry, with its steps", () => {
    const step = stories("each", [agent("code", { onError: fail("broken") }), agent("verify")], {
      onStoryFailed: "continue",
    });
    const run = new Driver(workflow([step]), { stories: ["US-1", "US-2"] });
    run.fails("US-1/code");
    run.retry();
    run.cancel();
    expect(run.storyStates()).toEqual({ "US-1": "cancelled", "US-2": "cancelled" });
    expect(run.states("US-1")).toEqual({ code: "cancelled", verify: "cancelled" });
  });
});
