// Edits by people: the same rules apply, and they may come at any time, not only at the end of a step.

import { describe, expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { addAfter, addBefore, amend, asks, reorder, restart, skip, split } from "../../../test/support/engine/edits.ts";
import {
  agent,
  ask,
  backTo,
  fail,
  gate,
  integrate,
  next,
  ralph,
  stories,
  workflow,
} from "../../../test/support/engine/workflow.ts";

/** A story of three steps, of which the first is ready. */
function three(): Driver {
  const body = [agent("a", { onError: fail("broken") }), agent("b", { mandatory: true }), agent("c")];
  return new Driver(workflow([stories("each", body, { onStoryFailed: "continue" })]), { stories: ["US-1", "US-2"] });
}

describe("a person", () => {
  test("[ED24 X31] changes steps that are still to come, and the record names no step as the author", () => {
    const run = three();
    run.claim("US-1/a");
    run.edit("US-1", amend("c", "only the model"), skip("c"), addAfter("b", "c: the rest"));
    expect(run.states("US-1")).toEqual({ a: "running", b: "waiting", "c~2": "waiting", c: "skipped" });
    expect(run.happened("chain_edited")[0]).toMatchObject({ by: null, author: "user:ann", story: "US-1", notes: [] });
    for (const step of ["a", "b", "c~2"]) run.pass(`US-1/${step}`);
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "running" });
  });

  test("[ED24] a ready step waits again if a step is inserted before it, and the inserted step is ready", () => {
    const run = three();
    run.edit("US-1", addBefore("a", "c"));
    expect(run.states("US-1")).toEqual({ "c~2": "ready", a: "waiting", b: "waiting", c: "waiting" });
    run.refused(run.starting("US-1/a"));
    run.pass("US-1/c~2");
    expect(run.step("US-1/a")).toMatchObject({ state: { status: "ready" }, visit: 2 });
  });

  test("[ED24] a ready step keeps its feedback when it waits again", () => {
    const verify = agent("verify", { on: { rejected: backTo("code") } });
    const run = new Driver(workflow([stories("each", [agent("code"), verify])]), { stories: ["US-1"] });
    run.pass("US-1/code");
    run.reject("US-1/verify", "no tests");
    run.edit("US-1", addBefore("code", "verify"));
    expect(run.step("US-1/code")).toMatchObject({ state: { status: "waiting" }, feedback: "no tests" });
  });

  test("[ED24 ED15] a ready step may be moved after others, skipped or split", () => {
    const run = three();
    run.edit("US-1", reorder("b", "a", "c"));
    expect(run.states("US-1")).toEqual({ b: "ready", a: "waiting", c: "waiting" });
    run.edit("US-1", split("b", "b", "c"));
    expect(run.states("US-1")).toEqual({ "b~2": "ready", "c~2": "waiting", a: "waiting", c: "waiting" });
    run.pass("US-1/b~2");
    run.edit("US-1", skip("c~2"));
    expect(run.states("US-1")).toMatchObject({ "c~2": "skipped", a: "ready" });
  });

  test("[ED24] a ready step with nothing inserted before it stays ready, in the same visit", () => {
    const run = three();
    run.edit("US-1", addAfter("a", "c"));
    expect(run.step("US-1/a")).toMatchObject({ state: { status: "ready" }, visit: 1 });
    expect(run.happened("steps_reset")).toEqual([]);
  });

  test("[ED24] skipping all remaining steps ends the story", () => {
    const run = three();
    run.pass("US-1/a");
    run.pass("US-1/b");
    run.edit("US-1", skip("c"));
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "running" });
  });

  test("[ED24 C82] changes the description of a failed step, then retries it", () => {
    const run = three();
    run.fails("US-1/a");
    run.edit("US-1", amend("a", "with the old library"), addAfter("a", "c"));
    expect(run.states("US-1")).toEqual({ a: "failed", "c~2": "waiting", b: "waiting", c: "waiting" });
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "running" });
    for (const step of ["a", "b", "c"]) run.pass(`US-2/${step}`);
    expect(run.status).toBe("failed");
    run.edit("US-1", amend("a", "with the new library"));
    expect(run.status).toBe("failed");
    run.retry();
    expect(run.step("US-1/a")).toMatchObject({ state: { status: "ready" }, description: "with the new library" });
  });

  test("[ED24 ED10] steps requested before a running or failed step go after it", () => {
    const run = three();
    run.claim("US-1/a");
    run.edit("US-1", addBefore("a", "c"));
    expect(run.ids("US-1")).toEqual(["a", "c~2", "b", "c"]);
    run.fails("US-1/a");
    run.edit("US-1", addBefore("a", "c"));
    expect(run.ids("US-1")).toEqual(["a", "c~3", "c~2", "b", "c"]);
    expect(run.happened("chain_edited").map(({ notes }) => notes.length)).toEqual([1, 1]);
  });

  test("[ED24] edits a story that waits to be resumed", () => {
    const run = three();
    run.fails("US-1/a");
    run.retry();
    expect(run.storyStates()).toEqual({ "US-1": "waiting", "US-2": "running" });
    run.edit("US-1", addBefore("a", "c"));
    for (const step of ["a", "b", "c"]) run.pass(`US-2/${step}`);
    expect(run.states("US-1")).toEqual({ "c~2": "ready", a: "waiting", b: "waiting", c: "waiting" });
  });

  test("[ED24] edits the run's own chain, also while it is paused", () => {
    const run = new Driver(workflow([agent("plan"), agent("ship")]));
    run.pause();
    run.edit(null, addAfter("plan", "plan: once more"), skip("ship"));
    expect(run.states()).toEqual({ plan: "ready", "plan~2": "waiting", ship: "skipped" });
    expect(run.status).toBe("paused");
  });

  test("[ED23] may skip or split a gate step: its gate becomes void", () => {
    const held = new Driver(workflow([agent("a"), gate("look"), agent("b")]));
    held.edit(null, skip("look"));
    held.pass("a");
    expect(held.states()).toEqual({ a: "done", look: "skipped", b: "ready" });

    const code = agent("code", { on: { rejected: ask({ again: { to: "again" }, stop: fail() }) } });
    const run = new Driver(workflow([code, agent("b")]));
    run.reject("code", "no", null, { outputs: { issues: "names" } });
    run.answer("code", "again");
    run.edit(null, split("code", "b", "b"));
    expect(run.gates("code").map(({ state }) => state.status)).toEqual(["void"]);
    expect(run.context()).toEqual({});
    expect(run.states()).toEqual({ "b~2": "ready", "b~3": "waiting", b: "waiting" });
  });
});

describe("refused", () => {
  test("[ED24 ED7 RU8] with one bad operation nothing is changed", () => {
    const run = three();
    const refusal = run.refused(run.editing("US-1", skip("c"), skip("b")));
    expect(refusal).toMatchObject({ code: "illegal", why: "operation 2 (skip): b is never skipped", events: [] });
    expect(run.refused(run.editing("US-1"))).toMatchObject({ why: "the request has no operations" });
  });

  test("[ED24 ED19] a restart: only a running step can request one", () => {
    const run = three();
    run.claim("US-1/a");
    expect(run.refused(run.editing("US-1", restart("a"))).why).toContain("use `pawl retry` for a failed one");
    expect(run.refused(run.editing("US-1", amend("a", "x"))).why).toContain("a is running; only steps");
  });

  test("[ED24 RU6] in a run or story that is done or cancelled, and in a story that has not begun", () => {
    const run = three();
    for (const step of ["a", "b", "c"]) run.pass(`US-1/${step}`);
    const late = run.refused(run.editing("US-1", addAfter("c", "c")));
    expect(late).toMatchObject({ code: "over", why: "story US-1 is done" });
    expect(run.refused(run.editing("US-9", skip("c")))).toMatchObject({ code: "unknown" });
    for (const step of ["a", "b", "c"]) run.pass(`US-2/${step}`);
    const over = run.refused(run.editing(null, addAfter("each", "each")));
    expect(over).toMatchObject({ code: "over", why: "the run is done" });
    const cancelled = three();
    expect(cancelled.refused(cancelled.editing("US-2", skip("c")))).toMatchObject({ code: "unknown" });
    cancelled.cancel();
    expect(cancelled.refused(cancelled.editing("US-1", skip("c")))).toMatchObject({ code: "over" });
  });

  test("[ED12 ED24] after the last step, whatever its state", () => {
    const run = new Driver(ralph(), { stories: ["US-1"] });
    const ids = Array.from({ length: 10 }, (_, index) => `step-${String(index + 1).padStart(3, "0")}`);
    for (const id of ids.slice(0, 9)) run.pass(`US-1/${id}`);
    run.claim("US-1/step-010");
    const why = () => run.refused(run.editing("US-1", addBefore("step-010", "coding"))).why;
    expect(why()).toContain("step-010 is running, and nothing may follow it");
    run.pass("US-1/step-010");
    expect(why()).toContain("step-010 is done, and nothing may follow it");
  });

  test("[ED12 C110] after the integration; before one that is only ready there is still a place", () => {
    const body = [agent("code"), integrate("integrate", { onError: { route: fail("no disk"), limit: null } })];
    const run = new Driver(workflow([stories("each", body)]), { stories: ["US-1"] });
    run.pass("US-1/code");
    run.edit("US-1", addAfter("code", "code"));
    expect(run.states("US-1")).toEqual({ code: "done", "code~2": "ready", integrate: "waiting" });
    run.pass("US-1/code~2");
    run.claim("US-1/integrate");
    const late = () => run.refused(run.editing("US-1", addAfter("code", "code"))).why;
    expect(late()).toContain("integrate is running, and nothing may follow it");
    run.fails("US-1/integrate");
    expect(late()).toContain("integrate is failed, and nothing may follow it");
  });

  test("[ED22] a stories step cannot be added", () => {
    const run = new Driver(workflow([agent("plan"), stories("each", [agent("code")])]));
    expect(run.refused(run.editing(null, addAfter("plan", "each"))).why).toContain('there is no step type "each"');
  });
});

test("[ED14 ED25] a person and the step that runs may edit in turn", () => {
  const body = [agent("a", { editable: true, on: { passed: next } }), agent("b"), agent("c")];
  const run = new Driver(workflow([stories("each", body)]), { stories: ["US-1"] });
  run.claim("US-1/a");
  run.edit("US-1", skip("b"));
  run.pass("US-1/a", asks(addAfter("b", "c")));
  expect(run.states("US-1")).toEqual({ a: "done", b: "skipped", "c~2": "ready", c: "waiting" });
});
