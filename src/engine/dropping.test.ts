// Dropping: one step or one story ends as failed or as done, and the rest continues.

import { describe, expect, test } from "vitest";
import { Driver } from "../../test/support/engine/driver.ts";
import { agent, gate, integrate, stories, workflow } from "../../test/support/engine/workflow.ts";
import { partName, storyId } from "../domain/ids.ts";

type As = "done" | "failed";
const dropStory = (of: string, as: As, reason = "") => ({ type: "drop_story", of: storyId(of), as, reason }) as const;
const dropStep = (step: string, as: As, story: string | null = null) =>
  ({ type: "drop_step", story: story === null ? null : storyId(story), step, as, reason: "obsolete" }) as const;

const chain = () => new Driver(workflow([agent("a"), gate("ask"), agent("b", { mandatory: true }), agent("c")]));

describe("a step that is dropped", () => {
  test("[DP1] ends as failed or as done, and the chain goes on or fails", () => {
    const done = chain();
    done.must(dropStep("a", "done"));
    expect(done.states()).toEqual({ a: "skipped", ask: "held", b: "waiting", c: "waiting" });
    done.must(dropStep("ask", "done"));
    expect(done.states()).toEqual({ a: "skipped", ask: "done", b: "ready", c: "waiting" });
    expect(done.gates("ask")).toMatchObject([{ state: { status: "void", reason: "dropped as done: obsolete" } }]);
    const failed = chain();
    failed.must(dropStep("a", "failed"));
    expect([failed.status, failed.run.header.end?.reason]).toEqual(["failed", "dropped as failed: obsolete"]);
    failed.retry();
    expect(failed.states()).toMatchObject({ a: "ready" });
  });

  test("[DP2] is stopped first, and ends when its attempt has ended, whatever that says", () => {
    const run = chain();
    run.claim("a");
    run.begin("a");
    run.must(dropStep("a", "done"));
    expect(run.effects.map(({ type }) => type)).toContain("stop_attempt");
    expect(run.states()).toMatchObject({ a: "running" });
    expect(run.refused(dropStep("a", "failed")).why).toBe("step a is being dropped already");
    const [attempt] = run.attempts("a");
    if (!attempt) throw new Error("there is no attempt");
    run.must(run.finishing(attempt, { ...reportOf(), outcome: "lost" }, null), "driver");
    expect(run.states()).toMatchObject({ a: "done", ask: "held" });
    expect(run.context()).toEqual({});
    const pulled = chain();
    pulled.claim("a", "pull");
    pulled.must(dropStep("a", "done"));
    expect(pulled.states()).toMatchObject({ a: "done" });
  });

  test("[DP2] with its parts, which are all stopped, and a retry performs them again", () => {
    const names = ["x", "y", "z"].map((name) => ({ name: partName(name) }));
    const parts = { of: { list: names }, need: "all", others: "finish" } as const;
    const run = new Driver(workflow([{ ...agent("look"), parts }, agent("b")]));
    run.claim("look#x");
    run.pass("look#y");
    run.must(dropStep("look", "failed"));
    expect([run.states(), run.parts("look")]).toMatchObject([{ look: "running" }, { x: "running", z: "stopped" }]);
    expect(run.refused(run.starting("look#z")).code).toBe("illegal");
    const [attempt] = run.attempts("look#x");
    if (!attempt) throw new Error("there is no attempt");
    run.must(run.finishing(attempt, { ...reportOf(), outcome: "lost" }, null), "driver");
    expect([run.status, run.run.header.end?.reason]).toEqual(["failed", "dropped as failed: obsolete"]);
    run.retry();
    expect(run.parts("look")).toEqual({ x: "ready", y: "passed", z: "ready" });
    run.must(dropStep("look", "done"));
    expect(run.states()).toEqual({ look: "done", b: "ready" });
  });

  test("[DP3] what is over, to come, mandatory or unknown is refused in words", () => {
    const run = chain();
    expect(run.refused(dropStep("b", "done")).why).toContain("has not been reached");
    expect(run.refused(dropStep("x", "done")).code).toBe("unknown");
    run.pass("a");
    expect(run.refused(dropStep("a", "failed")).why).toBe("step a is done already");
    run.answer("ask", "approve");
    expect(run.refused(dropStep("b", "done")).why).toContain("cannot count as done without its work");
    run.must(dropStep("b", "failed"));
    expect(run.refused(dropStep("c", "failed")).code).toBe("over");
  });
});

const reportOf = () =>
  ({
    why: "",
    retryAt: null,
    notes: [],
    usage: { costUsd: 0, inputTokens: 0, outputTokens: 0 },
    session: null,
    tree: null,
  }) as const;

const three = (onStoryFailed: "stop" | "continue" = "continue") => {
  const body = [agent("code"), agent("check"), integrate()];
  const all = stories("all", body, { concurrency: 2, onStoryFailed, workspace: "worktree" });
  const specs = ["US-1", "US-2", "US-3"].map((id) => ({
    id: storyId(id),
    title: id,
    description: "",
    acceptanceCriteria: [],
    dependsOn: id === "US-3" ? [storyId("US-1")] : [],
  }));
  const run = new Driver(workflow([all, agent("end")]), { stories: specs });
  const statuses = () => run.run.header.stories.map(({ status }) => status);
  return { run, statuses };
};

describe("a story that is dropped", () => {
  test("[DP4 DP5] as done: the rest of it is skipped, nothing of it is integrated, and what depends on it begins", () => {
    const { run, statuses } = three();
    run.claim("US-1/code");
    run.begin("US-1/code");
    run.must(dropStory("US-1", "done", "bought instead"));
    expect([statuses(), run.states("US-1")]).toMatchObject([["running", "running", "waiting"], { code: "running" }]);
    expect(run.refused(dropStory("US-1", "failed")).why).toBe("story US-1 is being dropped already");
    const [attempt] = run.attempts("US-1/code");
    if (!attempt) throw new Error("there is no attempt");
    run.must(run.finishing(attempt, { ...reportOf(), outcome: "cancelled" }, null), "driver");
    expect(statuses()).toEqual(["done", "running", "running"]);
    expect(run.states("US-1")).toEqual({ code: "cancelled", check: "skipped", integrate: "skipped" });
    expect(run.messages("story_done")).toEqual([]);
    expect(run.refused(dropStory("US-1", "failed")).why).toBe("story US-1 is done already");
  });

  test("[DP4] as failed: what depends on it is blocked, the others continue, and it can be retried", () => {
    const { run, statuses } = three();
    run.must(dropStory("US-1", "failed"));
    expect(statuses()).toEqual(["failed", "running", "blocked"]);
    for (const step of ["code", "check", "integrate"]) run.pass(`US-2/${step}`);
    expect(run.status).toBe("failed");
    run.retry();
    expect(statuses()).toEqual(["running", "done", "waiting"]);
  });

  test("[DP4 DP6] one that has not begun is dropped as failed, and a retry begins it", () => {
    const { run, statuses } = three();
    run.must(dropStory("US-3", "failed"));
    for (const story of ["US-1", "US-2"])
      for (const step of ["code", "check", "integrate"]) run.pass(`${story}/${step}`);
    expect([run.status, statuses()]).toEqual(["failed", ["done", "done", "failed"]]);
    run.retry();
    expect([statuses()[2], run.states("US-3")]).toMatchObject(["running", { code: "ready" }]);
  });

  test("[DP6] one that has not begun, that waits or that has failed can be dropped; what is over cannot", () => {
    const { run, statuses } = three();
    run.must(dropStory("US-3", "done"));
    expect(statuses()).toEqual(["running", "running", "done"]);
    run.reject("US-1/code");
    expect(statuses()[0]).toBe("failed");
    run.must(dropStory("US-1", "done"));
    expect(statuses()).toEqual(["done", "running", "done"]);
    run.must(dropStory("US-2", "done"));
    expect(run.states()).toMatchObject({ all: "done", end: "ready" });
    expect(run.refused(dropStory("US-9", "done")).why).toBe("there is no story US-9");
    run.cancel();
    expect(run.refused(dropStory("US-2", "failed")).code).toBe("over");
  });
});
