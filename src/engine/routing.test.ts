// Routes: where each verdict leads.

import { describe, expect, test } from "vitest";
import { Driver } from "../../test/support/engine/driver.ts";
import { unfinished } from "../../test/support/engine/reports.ts";
import {
  again,
  agent,
  ask,
  atMost,
  backTo,
  decider,
  end,
  fail,
  featureDev,
  gate,
  goTo,
  insert,
  limit,
  next,
  stories,
  workflow,
} from "../../test/support/engine/workflow.ts";

/** work, review, polish, ship; review goes back, forward, or past polish. */
function loop(values = {}): Driver {
  const routes = { approved: goTo("ship"), polish: next, needs_fixes: backTo("work"), ...values };
  return new Driver(
    workflow([
      agent("think"),
      agent("work"),
      decider("review", routes, { budget: limit(3) }),
      agent("polish"),
      agent("ship"),
    ]),
  );
}

describe("next and again", () => {
  test("[RT3 A39 B2] a passed step is done and the next one becomes ready", () => {
    const run = loop();
    run.pass("think");
    expect(run.states()).toEqual({
      think: "done",
      work: "ready",
      review: "waiting",
      polish: "waiting",
      ship: "waiting",
    });
  });

  test("[RT4 B4] again repeats the step in the same visit, with feedback", () => {
    const run = new Driver(workflow([agent("work", { on: { rejected: atMost(1, again) } }), agent("ship")]));
    run.reject("work", "the tests are red");
    expect(run.step("work")).toMatchObject({ visit: 1, feedback: "the tests are red", state: { status: "ready" } });
    run.pass("work");
    expect(run.attempts("work").map(({ visit, number }) => [visit, number])).toEqual([
      [1, 1],
      [1, 2],
    ]);
    expect(run.step("work").feedback).toBe("");
  });
});

test("[RT4] an attempt that did not complete leaves what the step was sent back with, behind its own reason, each once", () => {
  const on = { rejected: atMost(2, again) };
  const run = new Driver(workflow([agent("work", { on, onError: atMost(3, again, ask({ stop: fail() })) })]));
  run.reject("work", "the tests are red");
  for (const why of ["it crashed", "it crashed", "it ran out of time"]) run.finish("work", unfinished("failed", why));
  const all = "it ran out of time\n\nBefore that: it crashed\n\nBefore that: the tests are red";
  expect(run.step("work").feedback).toBe(all);
  run.finish("work", unfinished("failed", "it crashed"));
  expect(run.openGate("work").feedback).toBe(all);
  const fresh = new Driver(workflow([agent("work")]));
  fresh.finish("work", unfinished("failed", "it crashed"));
  expect(fresh.step("work").feedback).toBe("it crashed");
});

describe("verdicts", () => {
  test("[RT1 B43 B44] the value of the deciding key picks the route", () => {
    const run = loop();
    run.pass("think");
    run.pass("work");
    run.say("review", "polish");
    expect(run.states()).toMatchObject({ review: "done", polish: "ready" });
  });

  test("[RT1] a value without a rule of its own takes the default, within its limit", () => {
    const review = decider("review", { approved: next });
    const on = { ...review.on, "=": atMost(1, backTo("work"), ask({ stop: fail() })) };
    const run = new Driver(workflow([agent("work"), { ...review, on }]));
    run.pass("work");
    run.say("review", "unsure");
    expect(run.states()).toEqual({ work: "ready", review: "waiting" });
    run.pass("work");
    run.say("review", "puzzled");
    expect(run.states()).toEqual({ work: "done", review: "held" });
    expect(run.happened("attempt_ended").at(-1)?.why).toBe("review: any other value back to work: limit of 1 reached");
  });

  test("[RT14] a rejection that leads on carries its feedback to the step that runs next", () => {
    const red = agent("lint", { on: { rejected: { route: next, limit: null } } });
    const run = new Driver(workflow([red, agent("mend"), agent("ship")]));
    run.reject("lint", "two warnings", "exit");
    expect(run.step("mend")).toMatchObject({ state: { status: "ready" }, feedback: "two warnings" });
    run.pass("mend");
    expect(run.step("ship").feedback).toBe("");

    const jump = agent("lint", { on: { rejected: { route: goTo("ship"), limit: null } } });
    const jumping = new Driver(workflow([jump, agent("mend"), agent("ship")]));
    jumping.reject("lint", "two warnings");
    expect(jumping.step("ship").feedback).toBe("two warnings");
  });

  test("[RT1] a rejection takes the rule of its reason, or the general rule for any other reason", () => {
    const rules = { rejected: atMost(2, again), "rejected:wrong_plan": atMost(2, backTo("plan")) };
    const run = new Driver(workflow([agent("plan"), agent("work", { on: rules })]));
    run.pass("plan");
    run.reject("work", "a typo", "spelling");
    expect(run.states()).toEqual({ plan: "done", work: "ready" });
    run.reject("work", "the plan is wrong", "wrong_plan");
    expect(run.states()).toEqual({ plan: "ready", work: "waiting" });
  });

  test("[RT2 B47] a value without a route is unreadable output: the step repeats, and no output reaches the context", () => {
    const run = loop();
    run.pass("think");
    run.pass("work");
    run.say("review", "maybe", { outputs: { decision: "maybe", notes: "hm" } });
    expect(run.states()).toMatchObject({ review: "ready", polish: "waiting", ship: "waiting" });
    expect(run.context()).not.toHaveProperty("notes");
    expect(run.step("review").feedback).toContain('"maybe" has no route');
    expect(run.attempts("review")[0]?.state).toMatchObject({ outcome: "invalid_output", verdict: null });
  });

  test("[RT2 RT10 antfarm A] a verifier that rejects without a route back never lets the pull request start", () => {
    const verify = { ...agent("verify"), on: { passed: { route: next, limit: null } } };
    const run = new Driver(workflow([agent("fix"), verify, agent("pr")]));
    run.pass("fix");
    run.reject("verify", "still broken");
    expect(run.states()).toEqual({ fix: "done", verify: "ready", pr: "waiting" });
    run.reject("verify", "still broken");
    run.reject("verify", "still broken");
    expect(run.states()).toEqual({ fix: "done", verify: "failed", pr: "waiting" });
  });

  test("[RT5 antfarm A] a verifier that rejects sends the work back, and the pull request waits", () => {
    const verify = agent("verify", { on: { rejected: atMost(3, backTo("fix")) } });
    const run = new Driver(workflow([agent("fix"), verify, agent("pr")]));
    run.pass("fix");
    run.reject("verify", "still broken");
    expect(run.states()).toEqual({ fix: "ready", verify: "waiting", pr: "waiting" });
    expect(run.step("fix").feedback).toBe("still broken");
  });

  test("[RT2 antfarm E] a verifier without a readable verdict has not verified, whatever the context says", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1");
    run.pass("US-1/implement", { outputs: { status: "done" } });
    run.finish("US-1/verify", {
      outcome: "invalid_output",
      why: "no STATUS in the output",
      retryAt: null,
      notes: [],
      usage: { costUsd: 0, inputTokens: 0, outputTokens: 0 },
      session: null,
      tree: null,
    });
    expect(run.storyStates()).toEqual({ "US-1": "running" });
    expect(run.states("US-1")).toEqual({ implement: "done", verify: "ready" });
  });

  test("[RT10 B12 B59] a crash never routes, even where a rejection would", () => {
    const run = new Driver(workflow([agent("work"), agent("review", { on: { rejected: atMost(3, backTo("work")) } })]));
    run.pass("work");
    run.fails("review", "exit 1");
    expect(run.states()).toEqual({ work: "done", review: "ready" });
  });
});

describe("back", () => {
  test("[RT5 B50] the target is ready; the steps between and the routing step wait, each in a new visit", () => {
    const run = new Driver(
      workflow([agent("a"), agent("b"), agent("c"), agent("d", { on: { rejected: atMost(1, backTo("b")) } })]),
    );
    for (const step of ["a", "b", "c"]) run.pass(step);
    run.reject("d", "b is wrong");
    expect(run.states()).toEqual({ a: "done", b: "ready", c: "waiting", d: "waiting" });
    expect(run.run.header.chain.map(({ visit }) => visit)).toEqual([1, 2, 2, 2]);
    expect(run.step("b").feedback).toBe("b is wrong");
    expect(run.step("c").feedback).toBe("");
  });

  test("[RT5 B51] everything from the target on runs again, in order", () => {
    const run = loop();
    const order = () => run.happened("attempt_dispatched").map(({ name }) => name);
    run.pass("think");
    run.pass("work");
    run.say("review", "needs_fixes", { feedback: "fix it" });
    run.pass("work");
    run.say("review", "approved");
    run.pass("ship");
    expect(order()).toEqual(["think", "work", "review", "work", "review", "ship"]);
    expect(run.status).toBe("done");
  });

  test("[RT5] of several steps with the same name the nearest earlier one is meant", () => {
    const check = decider("check", { ok: next, fix: insert("work"), redo: backTo("work") }, { budget: limit(5) });
    const run = new Driver(workflow([agent("work"), check]));
    run.pass("work");
    run.say("check", "fix");
    run.pass("work~2");
    run.say("check", "redo");
    expect(run.states()).toEqual({ work: "done", "work~2": "ready", check: "waiting" });
  });

  test("[RT11 B55] a missing target fails the step with a reason", () => {
    const run = new Driver(workflow([agent("work", { on: { rejected: atMost(1, backTo("nowhere")) } })]));
    run.reject("work");
    expect(run.step("work").state).toEqual({
      status: "failed",
      reason: 'no step "nowhere" before "work" to go back to',
    });
  });
});

describe("forward", () => {
  test("[RT6 ED3 B48] the steps between are skipped, and the target is ready", () => {
    const run = loop();
    run.pass("think");
    run.pass("work");
    run.say("review", "approved");
    expect(run.states()).toEqual({ think: "done", work: "done", review: "done", polish: "skipped", ship: "ready" });
  });

  test("[RT7 B49] a skipped step does not run, and the run is done without it", () => {
    const run = loop();
    run.pass("think");
    run.pass("work");
    run.say("review", "approved");
    run.pass("ship");
    expect(run.status).toBe("done");
    expect(run.attempts("polish")).toEqual([]);
  });

  test("[RT7 B49] a route that goes back before a skipped step makes it wait again", () => {
    const ship = agent("ship", { on: { rejected: atMost(1, backTo("work")) } });
    const review = decider("review", { approved: goTo("ship"), polish: next });
    const run = new Driver(workflow([agent("work"), review, agent("polish"), ship]));
    run.pass("work");
    run.say("review", "approved");
    run.reject("ship");
    expect(run.states()).toEqual({ work: "ready", review: "waiting", polish: "waiting", ship: "waiting" });
    run.pass("work");
    run.say("review", "polish");
    expect(run.states()).toMatchObject({ polish: "ready" });
  });

  test("[RT6] to the very next step nothing is skipped", () => {
    const run = new Driver(workflow([agent("a", { on: { passed: goTo("b") } }), agent("b")]));
    run.pass("a");
    expect(run.states()).toEqual({ a: "done", b: "ready" });
    expect(run.happened("steps_skipped")).toEqual([]);
  });

  test("[RT11] a target that is not after the step fails it with a reason", () => {
    const run = new Driver(workflow([agent("a"), agent("b", { on: { passed: goTo("a") } })]));
    run.pass("a");
    run.pass("b");
    expect(run.step("b").state).toEqual({ status: "failed", reason: 'no step "a" after "b" to go to' });
  });
});

describe("insert", () => {
  const check = () =>
    decider("check", { ok: next, fix: atMost(2, insert("debug", "work"), ask({ accept: next, stop: fail() })) });

  test("[RT8 ED4 CH5] steps go before the routing step, which is visited again under its own id", () => {
    const run = new Driver(workflow([agent("work"), check(), agent("ship"), agent("debug")]));
    run.pass("work");
    run.say("check", "fix", { feedback: "two gaps" });
    expect(run.states()).toEqual({
      work: "done",
      "debug~2": "ready",
      "work~2": "waiting",
      check: "waiting",
      ship: "waiting",
      debug: "waiting",
    });
    expect(run.step("check").visit).toBe(2);
    run.pass("debug~2");
    run.pass("work~2");
    expect(run.states()).toMatchObject({ check: "ready" });
  });

  test("[RT8 ED4 LI5 CH5] ids are never reused, and the routing step reaches its limit", () => {
    const run = new Driver(workflow([agent("work"), check(), agent("ship"), agent("debug")]));
    run.pass("work");
    for (const number of [2, 3]) {
      run.say("check", "fix");
      run.pass(`debug~${number}`);
      run.pass(`work~${number}`);
    }
    run.say("check", "fix");
    expect(run.step("check").state.status).toBe("held");
    expect(run.run.header.chain.map(({ id }) => id)).toEqual([
      "work",
      "debug~2",
      "work~2",
      "debug~3",
      "work~3",
      "check",
      "ship",
      "debug",
    ]);
    expect(run.run.header.totals.steps).toBe(8);
  });
});

test("[RT9 X30] a route may ask a person", () => {
  const run = new Driver(workflow([agent("work", { on: { passed: ask({ ok: next, no: fail("no") }, "Ship?") } })]));
  run.pass("work", { tree: "t1", feedback: "look at it" });
  expect(run.status).toBe("held");
  expect(run.openGate("work")).toMatchObject({
    question: "Ship?",
    cause: "route",
    tree: "t1",
    feedback: "look at it",
    visit: 1,
  });
});

test("[RT9 RU4] a route may fail the step, and with it the run", () => {
  const run = new Driver(workflow([agent("work", { on: { rejected: fail("not possible") } }), gate("review")]));
  run.reject("work");
  const reason = "not possible: not good enough";
  expect(run.step("work").state).toEqual({ status: "failed", reason });
  expect(run.run.header.end).toMatchObject({ status: "failed", reason });
});

describe("end", () => {
  const early = (route = end) =>
    new Driver(
      workflow([agent("look"), decider("triage", { nothing: route, work: next }), agent("work"), gate("ask")]),
    );

  test("[RT17 RU4 ME5] finishes the run at once as done; what is behind is skipped", () => {
    const run = early();
    run.pass("look");
    run.say("triage", "nothing", { outputs: { decision: "nothing" } });
    expect(run.states()).toEqual({ look: "done", triage: "done", work: "skipped", ask: "skipped" });
    expect(run.step("work").state).toMatchObject({ by: "route", reason: "triage ended the run early" });
    expect(run.status).toBe("done");
    expect(run.context()).toMatchObject({ decision: "nothing" });
    expect(run.messages("run_done")).toHaveLength(1);
    expect(run.effects.filter(({ type }) => type === "close_run")).toHaveLength(1);
  });

  test("[RT17 GA3] is an answer at a gate, and what a deadline takes", () => {
    const options = { more: next, enough: end };
    const run = new Driver(workflow([agent("a"), gate("ask", options), agent("b")]));
    run.pass("a");
    run.answer("ask", "enough");
    expect([run.status, run.states()]).toEqual(["done", { a: "done", ask: "done", b: "skipped" }]);
    const late = new Driver(workflow([gate("ask", options, { afterMs: 5, option: "enough" }), agent("b")]));
    late.at += 5;
    late.must(late.expiring("ask"), "deadline");
    expect(late.status).toBe("done");
  });

  test("[RT17 LI1 LI12] may follow a limit; a step whose budget is spent before it starts is skipped with the rest", () => {
    const run = new Driver(workflow([agent("a", { on: { rejected: atMost(1, again, end) } }), agent("b")]));
    run.reject("a");
    run.reject("a");
    expect([run.status, run.states()]).toEqual(["done", { a: "done", b: "skipped" }]);
    const spent = { atMost: 9, then: end, spend: { costUsd: 1, tokens: null, wallMs: null, hard: false } };
    const poor = new Driver(workflow([agent("a", { budget: spent, on: { rejected: atMost(3, again) } }), agent("b")]));
    poor.reject("a", "no", null, { usage: { costUsd: 2, inputTokens: 0, outputTokens: 0 } });
    poor.must(poor.starting("a"));
    expect([poor.status, poor.states()]).toEqual(["done", { a: "skipped", b: "skipped" }]);
  });

  test("[RT17 RT14] a rejection that ends has no step that could get its feedback, and plans nothing", () => {
    const run = new Driver(workflow([agent("a", { on: { rejected: end } }), stories("each", [agent("code")])]));
    run.reject("a", "nothing to do", null, { stories: [] });
    expect([run.status, run.states()]).toEqual(["done", { a: "done", each: "skipped" }]);
    expect(run.happened("stories_planned")).toEqual([]);
  });

  test("[RT17 ST5] in a story it finishes that story, with what it said, and no other", () => {
    const body = [decider("code", { done: next, nothing: end }), agent("check")];
    const run = new Driver(workflow([stories("each", body), agent("ship")]), { stories: ["US-1", "US-2"] });
    run.say("US-1/code", "nothing", { outputs: { decision: "nothing" } });
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "running" });
    expect(run.states("US-1")).toEqual({ code: "done", check: "skipped" });
    expect(run.context()).toMatchObject({ decision: "nothing" });
    run.say("US-2/code", "done");
    run.pass("US-2/check");
    expect(run.states()).toEqual({ each: "done", ship: "ready" });
  });
});
