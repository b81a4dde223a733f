// Starting, pausing, resuming, cancelling and retrying a run.

import { describe, expect, test } from "vitest";
import { Driver } from "../../test/support/engine/driver.ts";
import { passed, unfinished } from "../../test/support/engine/reports.ts";
import {
  again,
  agent,
  ask,
  atMost,
  backTo,
  fail,
  featureDev,
  gate,
  limit,
  next,
  stories,
  workflow,
} from "../../test/support/engine/workflow.ts";

const line = () => new Driver(workflow([agent("a"), agent("b")]));

describe("start", () => {
  test("[RU1 A2 A52 A100] the chain has the order of the workflow; the first step is ready, the others wait", () => {
    const run = new Driver(featureDev());
    expect(run.states()).toEqual({
      plan: "ready",
      implement: "waiting",
      test: "waiting",
      pr: "waiting",
      review: "waiting",
    });
    expect(run.status).toBe("running");
    expect(run.run.header.totals).toMatchObject({ attempts: 0, steps: 5 });
  });

  test("[RU2 B57 X13] the run carries its own copy of the workflow", () => {
    const definition = workflow([agent("a")]);
    const run = new Driver(structuredClone(definition));
    expect(run.happened("run_started")[0]?.definition).toEqual(definition);
    expect(run.run.header.definition).toEqual(definition);
  });

  test("[RU1] a run without steps is done at once", () => {
    const run = new Driver(workflow([]));
    expect(run.status).toBe("done");
    expect(run.effects.filter(({ type }) => type === "close_run")).toEqual([{ type: "close_run", run: "run-1" }]);
  });
});

describe("end", () => {
  test("[RU4 RU7 A39] when no step is left the run is done, and it is closed once", () => {
    const run = line();
    run.pass("a");
    run.pass("b");
    expect(run.status).toBe("done");
    expect(run.effects.filter(({ type }) => type === "close_run")).toEqual([{ type: "close_run", run: "run-1" }]);
  });

  test.each(["done", "failed", "cancelled"] as const)("[RU6 X5] a run that is %s takes nothing new", (end) => {
    const run = new Driver(workflow([agent("a", { onError: fail("broken") })]));
    const attempt = run.claim("a", "pull");
    const finish = run.finishing(attempt, end === "done" ? passed() : unfinished("failed"));
    if (end === "cancelled") run.cancel();
    else run.must(finish);
    expect(run.status).toBe(end);
    expect(run.refused(run.starting("a"))).toMatchObject({ code: "over" });
    expect(run.refused(finish)).toMatchObject({ code: "stale" });
    expect(run.refused({ type: "cancel_run", reason: "" })).toMatchObject({ code: "over" });
    expect(run.refused({ type: "pause_run" })).toMatchObject({ code: "illegal" });
    expect(run.refused({ type: "resume_run" })).toMatchObject({ code: "over" });
    expect(run.effects.filter(({ type }) => type === "close_run")).toHaveLength(1);
  });
});

describe("pause and resume", () => {
  test("[LC1 X31] no attempt starts; a result is still recorded and the walk continues", () => {
    const run = line();
    const attempt = run.claim("a");
    run.pause();
    expect(run.status).toBe("paused");
    run.must(run.finishing(attempt, passed()));
    expect(run.states()).toEqual({ a: "done", b: "ready" });
    expect(run.refused(run.starting("b"))).toMatchObject({ code: "illegal", why: "the run is paused" });
    run.resume();
    run.pass("b");
    expect(run.status).toBe("done");
  });

  test("[LC1] answers are recorded too, and a run may end while it is paused", () => {
    const run = new Driver(workflow([gate("only")]));
    run.pause();
    run.answer("only", "approve");
    expect(run.status).toBe("done");
  });

  test("[LC2 CH2] pausing and resuming changes nothing else", () => {
    const run = line();
    run.claim("a");
    const before = run.run;
    expect(run.pause()).toMatchObject({ accepted: true, events: [{ type: "run_paused" }] });
    expect(run.resume()).toMatchObject({ accepted: true, events: [{ type: "run_resumed" }] });
    expect(run.run).toEqual(before);
  });

  test("[LC2] resuming a running run changes nothing; a second pause is refused", () => {
    const run = line();
    expect(run.resume()).toMatchObject({ accepted: true, events: [] });
    run.pause();
    expect(run.pause()).toMatchObject({ accepted: false, code: "illegal" });
  });

  test("[LC9] a run that failed while paused is open again after a retry", () => {
    const run = new Driver(workflow([agent("a", { onError: fail("broken") })]));
    run.claim("a");
    run.pause();
    run.fails("a");
    expect(run.status).toBe("failed");
    run.retry();
    expect(run.status).toBe("running");
  });
});

describe("cancel", () => {
  test("[LC3 LC4 X31] a pushed attempt is stopped and keeps its step until then; the rest is cancelled", () => {
    const run = line();
    const attempt = run.claim("a");
    run.cancel("enough");
    expect(run.states()).toEqual({ a: "running", b: "cancelled" });
    expect(run.run.header.end).toMatchObject({ status: "cancelled", reason: "enough" });
    expect(run.effects).toEqual([
      { type: "stop_attempt", run: "run-1", story: null, attempt: attempt.id },
      { type: "close_run", run: "run-1" },
    ]);
    run.must(run.finishing(attempt, unfinished("cancelled"), null), "driver");
    expect(run.states()).toEqual({ a: "cancelled", b: "cancelled" });
  });

  test("[LC4] a pulled attempt ends at once", () => {
    const run = line();
    run.claim("a", "pull");
    run.cancel();
    expect(run.attempts("a")[0]?.state).toMatchObject({ phase: "ended", outcome: "cancelled" });
    expect(run.states()).toEqual({ a: "cancelled", b: "cancelled" });
    expect(run.effects.map(({ type }) => type)).toEqual(["close_run"]);
  });

  test("[LC3] done steps and done stories stay done; the others and their gates end", () => {
    const body = [agent("code", { on: { rejected: ask({ ok: next, no: fail() }) } }), agent("verify")];
    const run = new Driver(workflow([agent("plan"), stories("each", body, { concurrency: 2 }), agent("ship")]));
    run.plan("plan", "US-1", "US-2", "US-3", "US-4");
    run.pass("US-1/code");
    run.pass("US-1/verify");
    run.reject("US-2/code");
    run.pass("US-3/code");
    run.cancel();
    expect(run.storyStates()).toEqual({
      "US-1": "done",
      "US-2": "cancelled",
      "US-3": "cancelled",
      "US-4": "cancelled",
    });
    expect(run.gates("US-2/code").map(({ state }) => state.status)).toEqual(["void"]);
    expect(run.states("US-3")).toEqual({ code: "done", verify: "cancelled" });
    expect(run.states()).toEqual({ plan: "done", each: "cancelled", ship: "cancelled" });
  });

  test("[LC3 CH6] a failed story stays failed", () => {
    const run = new Driver(
      workflow([
        agent("plan"),
        stories("each", [agent("code"), agent("verify")], { concurrency: 2, onStoryFailed: "continue" }),
      ]),
    );
    run.plan("plan", "US-1", "US-2");
    run.reject("US-1/code");
    run.cancel();
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "cancelled" });
    expect(run.states("US-1")).toEqual({ code: "failed", verify: "waiting" });
  });
});

describe("retry", () => {
  test("[LC5 X31] the failed step is ready again, and its limits are renewed", () => {
    const run = new Driver(workflow([agent("a"), agent("b", { onError: atMost(1, again) })]));
    run.pass("a");
    run.fails("b");
    run.fails("b");
    expect(run.status).toBe("failed");
    expect(run.retry()).toMatchObject({ accepted: true });
    expect(run.status).toBe("running");
    expect(run.states()).toEqual({ a: "done", b: "ready" });
    run.fails("b");
    expect(run.status).toBe("running");
    run.fails("b");
    expect(run.status).toBe("failed");
    expect(run.attempts("b")).toHaveLength(4);
  });

  test("[LC5] a failed story resumes at its failed step, with a new budget", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1", "US-2");
    run.pass("US-1/implement");
    run.reject("US-1/verify");
    run.pass("US-1/implement");
    run.reject("US-1/verify");
    expect(run.status).toBe("failed");
    run.retry();
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-2": "waiting" });
    expect(run.states("US-1")).toEqual({ implement: "done", verify: "ready" });
    expect(run.states()).toMatchObject({ implement: "running" });
    run.reject("US-1/verify");
    expect(run.status).toBe("running");
    run.pass("US-1/implement");
    run.pass("US-1/verify");
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "running" });
  });

  test("[LC5 ED1] it is a new visit, and the step keeps its feedback", () => {
    const run = new Driver(workflow([agent("a", { on: { rejected: atMost(1, again) } })]));
    run.reject("a", "no tests");
    run.reject("a", "still none");
    expect(run.status).toBe("failed");
    run.retry();
    expect(run.step("a")).toMatchObject({ state: { status: "ready" }, visit: 2, feedback: "no tests" });
  });

  test("[LC5 LI5] the run's own limits are not those of a story", () => {
    const review = agent("review", { on: { rejected: atMost(1, backTo("each"), fail("review exhausted")) } });
    const code = agent("code", { onError: fail("broken") });
    const run = new Driver(workflow([agent("plan"), stories("each", [code]), review]));
    run.plan("plan", "US-1");
    run.pass("US-1/code");
    run.reject("review", "more");
    run.fails("FIX-1/code");
    run.retry();
    run.pass("FIX-1/code");
    run.reject("review", "more");
    expect(run.run.header.end?.reason).toContain("review exhausted");
  });

  test("[LC6] a failed gate asks again; it is never offered to a worker", () => {
    const run = new Driver(workflow([agent("work"), gate("review"), agent("ship")]));
    run.pass("work");
    run.answer("review", "reject");
    expect(run.status).toBe("failed");
    run.retry();
    expect(run.status).toBe("held");
    expect(run.step("review")).toMatchObject({ visit: 2, state: { status: "held" } });
    expect(run.gates("review").map(({ state }) => state.status)).toEqual(["void", "open"]);
    run.answer("review", "approve");
    expect(run.states()).toMatchObject({ ship: "ready" });
  });

  test("[LC6] so does a gate in a story", () => {
    const run = new Driver(workflow([agent("plan"), stories("each", [agent("code"), gate("look")])]));
    run.plan("plan", "US-1");
    run.pass("US-1/code");
    run.answer("US-1/look", "reject");
    run.retry({ story: "US-1" });
    expect(run.states("US-1")).toEqual({ code: "done", look: "held" });
    expect(run.storyStates()).toEqual({ "US-1": "held" });
    expect(run.status).toBe("held");
  });

  test("[LC6 ST7] a stories step without stories fails again and is never offered to a worker", () => {
    const run = new Driver(featureDev());
    run.pass("plan");
    run.retry();
    expect(run.states()).toMatchObject({ implement: "failed" });
    expect(run.status).toBe("failed");
  });

  test("[LC7] one story or one step; if it has not failed, the retry is refused", () => {
    const body = [agent("code"), agent("verify")];
    const options = { concurrency: 2, onStoryFailed: "continue" as const, storyBudget: limit(0) };
    const run = new Driver(workflow([agent("plan"), stories("each", body, options)]));
    run.plan("plan", "US-1", "US-2", "US-3");
    expect(run.retry()).toMatchObject({ accepted: false, why: "nothing in this run has failed" });
    run.reject("US-1/code");
    run.reject("US-2/code");
    run.reject("US-3/code");
    expect(run.retry({ story: "US-9" })).toMatchObject({ accepted: false, why: "story US-9 has not failed" });
    expect(run.retry({ step: "verify" })).toMatchObject({ accepted: false, why: "step verify has not failed" });
    expect(run.retry({ story: "US-2" })).toMatchObject({ accepted: true });
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "running", "US-3": "failed" });
    expect(run.retry({ story: "US-2" })).toMatchObject({ accepted: false });
  });

  test("[LC7] the name of a stories step means the steps that failed inside it", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1");
    for (let time = 0; time < 2; time += 1) {
      run.pass("US-1/implement");
      run.reject("US-1/verify");
    }
    expect(run.retry({ step: "implement" })).toMatchObject({ accepted: true });
    expect(run.states("US-1")).toEqual({ implement: "done", verify: "ready" });
    expect(run.states()).toMatchObject({ implement: "running" });
  });

  test("[LC8 ST3] with a concurrency of one, stories are retried one at a time", () => {
    const code = agent("code", { onError: fail("broken") });
    const run = new Driver(workflow([agent("plan"), stories("each", [code], { onStoryFailed: "continue" })]));
    run.plan("plan", "US-1", "US-2");
    run.fails("US-1/code");
    expect(run.retry()).toMatchObject({ accepted: true });
    expect(run.storyStates()).toEqual({ "US-1": "waiting", "US-2": "running" });
    expect(run.states("US-1")).toEqual({ code: "waiting" });
    run.refused(run.starting("US-1/code"));
    run.fails("US-2/code");
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-2": "failed" });
    run.retry();
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-2": "waiting" });
    run.pass("US-1/code");
    run.pass("US-2/code");
    expect(run.status).toBe("done");
    expect(run.attempts("US-1/code")).toHaveLength(2);
  });

  test("[LC9 X31] a done or cancelled run cannot be retried; a failed one cannot be resumed, only retried", () => {
    const done = new Driver(workflow([]));
    expect(done.retry()).toMatchObject({ accepted: false, code: "over" });
    const cancelled = line();
    cancelled.cancel();
    expect(cancelled.retry()).toMatchObject({ accepted: false, code: "over" });
    const failed = line();
    failed.reject("a");
    const refusal = failed.resume();
    expect(refusal).toMatchObject({ accepted: false, code: "over" });
    expect(refusal.accepted ? "" : refusal.why).toContain("pawl retry");
  });
});

test("[LC10] resume may name another executor: it counts from there on, and a run that is over keeps its own", () => {
  const driver = new Driver(workflow([agent("work")]));
  const resume = (executor?: string) =>
    driver.ask({ type: "resume_run", ...(executor === undefined ? {} : { executor }) });
  resume("codex");
  expect(driver.run.header.executor).toBe("codex");
  resume();
  expect(driver.run.header.executor).toBe("codex");
  driver.pass("work");
  resume("claude");
  expect(driver.run.header.executor).toBe("codex");
});
