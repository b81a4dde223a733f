// Integration as the engine sees it, and steps that a route inserts: where they go, which step gets the feedback, and the limit.

import { describe, expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { addAfter, asks, skip } from "../../../test/support/engine/edits.ts";
import {
  agent,
  atMost,
  decider,
  end,
  fail,
  insert,
  integrate,
  limit,
  next,
  ralph,
  stories,
  storySpec,
  workflow,
} from "../../../test/support/engine/workflow.ts";
import { stepName } from "../../domain/ids.ts";

const conflict = "a.ts: both changed line 3";

/** code, review and the integration, with a spare step that resolves conflicts. */
function short(options: Parameters<typeof stories>[2] = {}): Driver {
  const body = [agent("code"), agent("test"), agent("review"), agent("resolve", { spare: true }), integrate()];
  const specs = ["US-1", storySpec("US-2", "US-1")];
  return new Driver(workflow([stories("each", body, options)]), { stories: specs });
}

function reviewed(run: Driver): Driver {
  for (const step of ["code", "test", "review"]) run.pass(`US-1/${step}`);
  return run;
}

describe("integration", () => {
  test("[CH4 RU1 ST18] a spare step is in no chain at its start; the integration is ready when all before it is over", () => {
    const run = short();
    expect(run.states("US-1")).toEqual({ code: "ready", test: "waiting", review: "waiting", integrate: "waiting" });
    reviewed(run);
    expect(run.states("US-1")).toMatchObject({ review: "done", integrate: "ready" });
    const spare = new Driver(workflow([agent("a"), agent("help", { spare: true })]));
    expect(spare.ids()).toEqual(["a"]);
  });

  test("[ST18 C84 C90] a story is done only after its integration, and its dependents begin only then", () => {
    const run = reviewed(short({ concurrency: 2 }));
    run.claim("US-1/integrate");
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-2": "waiting" });
    run.pass("US-1/integrate");
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "running" });
  });

  test("[ST18 C110] a story that cannot be integrated fails, and none of its dependents begins", () => {
    const run = reviewed(short({ concurrency: 2 }));
    run.reject("US-1/integrate", "the base is gone");
    expect(run.step("US-1/integrate").state).toEqual({
      status: "failed",
      reason: "it cannot be integrated: the base is gone",
    });
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "blocked" });
  });

  test("[RT8 RT12 C91] a spare step resolves a conflict, then the review and the integration run again", () => {
    const run = reviewed(short());
    run.reject("US-1/integrate", conflict, "conflict");
    expect(run.ids("US-1")).toEqual(["code", "test", "resolve~2", "review", "integrate"]);
    expect(run.states("US-1")).toEqual({
      code: "done",
      test: "done",
      "resolve~2": "ready",
      review: "waiting",
      integrate: "waiting",
    });
    expect(run.step("US-1/resolve~2")).toMatchObject({ visit: 1, feedback: conflict });
    expect(run.step("US-1/review")).toMatchObject({ visit: 2, feedback: conflict });
    expect(run.step("US-1/integrate")).toMatchObject({ visit: 2, feedback: "" });
    expect(run.step("US-1/test").visit).toBe(1);
    expect(run.happened("steps_reset").at(-1)).toMatchObject({ reason: "integrate inserted resolve" });
    run.pass("US-1/resolve~2");
    run.pass("US-1/review");
    run.pass("US-1/integrate");
    expect(run.storyStates()).toMatchObject({ "US-1": "done" });
  });

  test("[RT8 LI1 C91] as often as the limit allows, each time with a new step", () => {
    const run = reviewed(short());
    for (const resolve of ["resolve~2", "resolve~3"]) {
      run.reject("US-1/integrate", conflict, "conflict");
      run.pass(`US-1/${resolve}`);
      run.pass("US-1/review");
    }
    expect(run.ids("US-1")).toEqual(["code", "test", "resolve~2", "resolve~3", "review", "integrate"]);
    run.reject("US-1/integrate", conflict, "conflict");
    expect(run.storyStates()).toMatchObject({ "US-1": "failed" });
    expect(run.messages("stuck")).toHaveLength(1);
  });

  test("[RT13 ED21 ME2 C35 C91] if the chain is full the step fails and says so", () => {
    const run = new Driver(ralph(), { stories: ["US-1"] });
    const id = (number: number) => `step-${String(number).padStart(3, "0")}`;
    run.pass(`US-1/${id(1)}`);
    const twenty = Array.from({ length: 20 }, () => "testing");
    run.pass(`US-1/${id(2)}`, asks(addAfter(id(2), ...twenty)));
    for (const step of run.ids("US-1").slice(2, -1)) run.pass(`US-1/${step}`);
    run.reject("US-1/integrate", conflict, "conflict");
    const reason = "integrate must insert steps, but the chain already has the maximum number of steps";
    expect(run.step("US-1/integrate").state).toEqual({ status: "failed", reason });
    expect(run.storyStates()).toEqual({ "US-1": "failed" });
    expect(run.messages("stuck").map(({ text }) => text)).toEqual([reason]);
    expect(run.ids("US-1")).toHaveLength(31);
  });

  test("[RT13 ED21] one place left is enough for one step", () => {
    const run = reviewed(short({ maxSteps: 4 }));
    run.reject("US-1/integrate", conflict, "conflict");
    expect(run.states("US-1")).toMatchObject({ "resolve~2": "ready" });
    const full = reviewed(short({ maxSteps: 3 }));
    full.reject("US-1/integrate", conflict, "conflict");
    expect(full.states("US-1")).toMatchObject({ integrate: "failed" });
  });

  test("[RT12 ED20 C39] a step that a route inserts continues the numbers", () => {
    const run = new Driver(ralph(), { stories: ["US-1"] });
    for (let number = 1; number <= 10; number += 1) run.pass(`US-1/step-${String(number).padStart(3, "0")}`);
    run.reject("US-1/integrate", conflict, "conflict");
    expect(run.ids("US-1").slice(9)).toEqual(["step-011", "step-010", "integrate"]);
    expect(run.step("US-1/step-011").name).toBe("resolve");
  });
});

describe("inserting", () => {
  const before = (step: string, ...steps: string[]) => ({ ...insert(...steps), before: stepName(step) });

  test("[RT8 ED4] before a named step: everything from there to the routing step runs again", () => {
    const check = agent("check", { on: { rejected: atMost(1, before("b", "fix", "a")) } });
    const run = new Driver(workflow([agent("a"), agent("b"), agent("c"), agent("fix", { spare: true }), check]));
    for (const step of ["a", "b", "c"]) run.pass(step, { outputs: { [step]: "said" } });
    run.reject("check", "a gap");
    expect(run.states()).toEqual({
      a: "done",
      "fix~2": "ready",
      "a~2": "waiting",
      b: "waiting",
      c: "waiting",
      check: "waiting",
    });
    expect(["fix~2", "a~2", "b", "c"].map((step) => run.step(step).feedback)).toEqual(["a gap", "", "a gap", ""]);
    expect(run.context()).toEqual({ a: "said" });
    for (const step of ["fix~2", "a~2", "b", "c", "check"]) run.pass(step);
    expect(run.status).toBe("done");
  });

  test("[RT8] of several steps with that name the nearest earlier one is meant", () => {
    const check = agent("check", { on: { rejected: atMost(2, before("b", "b")) } });
    const run = new Driver(workflow([agent("b"), check]));
    run.pass("b");
    run.reject("check");
    for (const step of ["b~2", "b"]) run.pass(step);
    run.reject("check");
    expect(run.ids()).toEqual(["b~2", "b~3", "b", "check"]);
    expect(run.states()).toMatchObject({ "b~2": "done", "b~3": "ready" });
  });

  test("[RT11] without an earlier step of that name the step fails with a reason", () => {
    const check = agent("check", { on: { rejected: atMost(1, before("nowhere", "a")) } });
    const run = new Driver(workflow([agent("a"), check]));
    run.pass("a");
    run.reject("check");
    expect(run.run.header.end?.reason).toBe('no step "nowhere" before "check" to insert before');
  });

  test("[RT12] without feedback no step gets any", () => {
    const check = agent("check", { on: { rejected: atMost(1, insert("a")) } });
    const run = new Driver(workflow([agent("a"), check]));
    run.pass("a");
    run.reject("check", "");
    expect(run.step("a~2").feedback).toBe("");
    expect(run.happened("steps_inserted")[0]).not.toHaveProperty("feedback");
  });

  test("[RT8 ED14] a step of the span that an edit skipped stays skipped", () => {
    const review = agent("review", { on: { rejected: atMost(1, before("a", "b")) } });
    const body = [agent("plan", { editable: true }), agent("a"), agent("b"), review];
    const run = new Driver(workflow([stories("each", body, { storyBudget: limit(0, fail("")) })]), {
      stories: ["US-1"],
    });
    run.pass("US-1/plan", asks(skip("b")));
    run.pass("US-1/a");
    run.reject("US-1/review", "more");
    expect(run.states("US-1")).toEqual({ plan: "done", "b~2": "ready", a: "waiting", b: "skipped", review: "waiting" });
  });
});

describe("a story that ends early", () => {
  const body = [
    agent("code"),
    decider("enough", { yes: end, no: next }),
    agent("review"),
    agent("resolve", { spare: true }),
    integrate("integrate", {
      on: {
        passed: { route: next, limit: null },
        rejected: { route: fail("no"), limit: null },
        "rejected:conflict": atMost(1, { to: "insert", steps: [stepName("resolve")], before: stepName("enough") }),
      },
    }),
  ];
  const early = () => {
    const each = stories("each", body, { workspace: "worktree" });
    const run = new Driver(workflow([each]), { stories: ["US-1", storySpec("US-2", "US-1")] });
    run.pass("US-1/code");
    run.say("US-1/enough", "yes");
    return run;
  };

  test("[RT17 ST18] is integrated before it is done: nobody loses what it has", () => {
    const run = early();
    expect(run.states("US-1")).toEqual({ code: "done", enough: "done", review: "skipped", integrate: "ready" });
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-2": "waiting" });
    run.pass("US-1/integrate");
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "running" });
  });

  test("[RT17 RT7] goes back as any other when it cannot be integrated; what the end skipped can run then", () => {
    const run = early();
    run.reject("US-1/integrate", conflict, "conflict");
    expect(run.states("US-1")).toEqual({
      code: "done",
      "resolve~2": "ready",
      enough: "waiting",
      review: "waiting",
      integrate: "waiting",
    });
    run.pass("US-1/resolve~2");
    run.say("US-1/enough", "no");
    expect(run.states("US-1")).toMatchObject({ review: "ready" });
  });
});
