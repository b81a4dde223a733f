// Limits: how often something repeats, and what happens then.

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
  fail,
  featureDev,
  goTo,
  insert,
  limit,
  next,
  stories,
  workflow,
} from "../../test/support/engine/workflow.ts";

describe("what a limit means, by kind", () => {
  const story = (maxRetries: number) => {
    const run = new Driver(featureDev({ maxRetries }));
    run.plan("plan", "US-1");
    return run;
  };

  test.each([1, 2, 3])("[LI1 LI2 LI3 A44 Y6 X39] with max_retries %i, that rejection of a story is final", (times) => {
    const run = story(times);
    for (let rejection = 1; rejection <= times; rejection += 1) {
      expect(run.status).toBe("running");
      run.pass("US-1/implement");
      run.reject("US-1/verify");
    }
    expect(run.status).toBe("failed");
    expect(run.storyStates()).toEqual({ "US-1": "failed" });
  });

  test.each([1, 2, 3])(
    "[LI1 LI2 A49 B4 Y6 X39] a single step with max_retries %i fails at the next failure",
    (times) => {
      const run = new Driver(workflow([agent("work", { onError: atMost(times, again) })]));
      for (let failure = 1; failure <= times; failure += 1) {
        run.fails("work");
        expect(run.step("work").state.status).toBe("ready");
      }
      run.fails("work");
      expect(run.status).toBe("failed");
      expect(run.attempts("work")).toHaveLength(times + 1);
    },
  );

  test.each([1, 3])("[LI1 LI2 B52 Y6 X39] a decision with %i retries goes back exactly that often", (times) => {
    const review = decider("review", { fix: backTo("work") }, { budget: limit(times, fail("exhausted")) });
    const run = new Driver(workflow([agent("work"), review]));
    for (let route = 1; route <= times; route += 1) {
      run.pass("work");
      run.say("review", "fix");
      expect(run.step("work").state.status).toBe("ready");
    }
    run.pass("work");
    run.say("review", "fix");
    expect(run.status).toBe("failed");
  });

  test("[LI1] a limit of 0 takes the route of the limit at once", () => {
    const run = new Driver(
      workflow([agent("work", { on: { rejected: atMost(0, again, goTo("ship")) } }), agent("ship")]),
    );
    run.reject("work");
    expect(run.states()).toEqual({ work: "done", ship: "ready" });
  });

  test("[LI1 LI2] insert repeats, so it reaches its limit", () => {
    const check = decider("check", { fix: atMost(2, insert("debug"), fail("too often")) });
    const run = new Driver(workflow([agent("debug"), check]));
    run.pass("debug");
    run.say("check", "fix");
    run.pass("debug~2");
    run.say("check", "fix");
    run.pass("debug~3");
    run.say("check", "fix");
    expect(run.status).toBe("failed");
  });
});

describe("a story's budget", () => {
  test("[LI3 A44] the second rejection of a story is final with antfarm's default", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1", "US-2");
    run.pass("US-1/implement");
    run.reject("US-1/verify");
    expect(run.status).toBe("running");
    run.pass("US-1/implement");
    run.reject("US-1/verify");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "waiting" });
    expect(run.status).toBe("failed");
  });

  test("[LI3 A48] the second failure of the developer is final too", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1");
    run.fails("US-1/implement");
    expect(run.storyStates()).toEqual({ "US-1": "running" });
    run.fails("US-1/implement");
    expect(run.storyStates()).toEqual({ "US-1": "failed" });
    expect(run.status).toBe("failed");
  });

  test("[LI3 A44 A48] a failure and a rejection draw on the same budget", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1");
    run.fails("US-1/implement");
    run.pass("US-1/implement");
    run.reject("US-1/verify");
    expect(run.status).toBe("failed");
  });

  test("[LI17] at its end `continue` takes the route that it refused, and the story has its tries again", () => {
    const asks = ask({ continue: again, stop: fail() });
    const code = agent("code", { on: { rejected: { route: again, limit: null } } });
    const verify = agent("verify", { on: { rejected: { route: backTo("code"), limit: null } } });
    const each = stories("each", [code, verify], { storyBudget: limit(0, asks) });
    const run = new Driver(workflow([agent("plan"), each]));
    run.plan("plan", "US-1");
    run.pass("US-1/code");
    run.reject("US-1/verify", "two tests are red");
    run.answer("US-1/verify", "continue");
    expect(run.states("US-1")).toEqual({ code: "ready", verify: "waiting" });
    expect(run.step("US-1/code").feedback).toBe("two tests are red");
    run.reject("US-1/code");
    run.answer("US-1/code", "continue");
    expect(run.states("US-1")).toEqual({ code: "ready", verify: "waiting" });
  });

  test("[LI3] each story has its own", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1", "US-2");
    for (const story of ["US-1", "US-2"]) {
      run.pass(`${story}/implement`);
      run.reject(`${story}/verify`);
      run.pass(`${story}/implement`);
      run.pass(`${story}/verify`);
    }
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "done" });
  });

  test("[LI3 A47] a verifier's own failures have their own limit and use none of the story's", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1");
    run.pass("US-1/implement");
    run.fails("US-1/verify");
    run.fails("US-1/verify");
    expect(run.states("US-1")).toEqual({ implement: "done", verify: "ready" });
    run.reject("US-1/verify");
    expect(run.storyStates()).toEqual({ "US-1": "running" });
    run.pass("US-1/implement");
    run.fails("US-1/verify");
    expect(run.storyStates()).toEqual({ "US-1": "failed" });
  });

  test("[LI3] a route with its own limit does not use the story's budget", () => {
    const body = [agent("code"), agent("verify", { on: { rejected: atMost(3, backTo("code")) } })];
    const run = new Driver(workflow([agent("plan"), stories("each", body, { storyBudget: limit(0) })]));
    run.plan("plan", "US-1");
    for (let rejection = 1; rejection <= 3; rejection += 1) {
      run.pass("US-1/code");
      run.reject("US-1/verify");
      expect(run.status).toBe("running");
    }
    run.pass("US-1/code");
    run.reject("US-1/verify");
    expect(run.status).toBe("failed");
  });
});

describe("a step's budget", () => {
  const threeWay = (budget = limit(3, ask({ continue: backTo("work"), accept: next, stop: fail() }))) =>
    new Driver(
      workflow([
        agent("brainstorm"),
        agent("work"),
        decider("review", { approved: next, needs_fixes: backTo("work"), rejected: backTo("brainstorm") }, { budget }),
        agent("compound"),
      ]),
    );

  test("[LI4 B52] all routes back share it: the fourth one asks a person", () => {
    const run = threeWay();
    run.pass("brainstorm");
    for (const value of ["needs_fixes", "rejected", "needs_fixes"]) {
      run.pass("work");
      run.say("review", value);
      if (value === "rejected") run.pass("brainstorm");
    }
    run.pass("work");
    run.say("review", "rejected");
    expect(run.status).toBe("held");
    expect(run.openGate("review").cause).toBe("exhausted");
    expect(run.states()).toMatchObject({ compound: "waiting" });
  });

  /** Three routes back are taken; the fourth asks. */
  const exhausted = () => {
    const run = threeWay();
    run.pass("brainstorm");
    for (const value of ["rejected", "needs_fixes", "needs_fixes", "needs_fixes"]) {
      run.pass("work");
      run.say("review", value);
      if (value === "rejected") run.pass("brainstorm");
    }
    return run;
  };

  test.each(["needs_fixes", "rejected"])(
    "[LI1 LI2 LI4 B52 B54 B64 B78] whatever the first three were, only the fourth route back (%s) asks",
    (last) => {
      for (const first of ["needs_fixes", "rejected"]) {
        for (const second of ["needs_fixes", "rejected"]) {
          const run = threeWay();
          run.pass("brainstorm");
          for (const value of [first, second, first]) {
            run.pass("work");
            run.say("review", value);
            expect(run.status).toBe("running");
            if (value === "rejected") run.pass("brainstorm");
          }
          run.pass("work");
          run.say("review", last);
          expect(run.states()).toEqual({ brainstorm: "done", work: "done", review: "held", compound: "waiting" });
        }
      }
    },
  );

  test("[LI4 RT1 B48 B64] approved continues, however many routes back were taken", () => {
    const run = threeWay();
    run.pass("brainstorm");
    for (let round = 0; round < 3; round += 1) {
      run.pass("work");
      run.say("review", "needs_fixes");
    }
    run.pass("work");
    run.say("review", "approved");
    expect(run.states()).toMatchObject({ review: "done", compound: "ready" });
  });

  test("[LI9 GA3 B52] continue goes back again and starts a new count: three, then it asks again", () => {
    const run = exhausted();
    run.answer("review", "continue", { note: "one more try" });
    expect(run.states()).toMatchObject({ brainstorm: "done", work: "ready", review: "waiting" });
    for (let round = 0; round < 3; round += 1) {
      run.pass("work");
      run.say("review", "needs_fixes");
      expect(run.status).toBe("running");
    }
    run.pass("work");
    run.say("review", "needs_fixes");
    expect(run.openGate("review").id).toBe("run-1.2");
  });

  test("[GA3 B52] accept continues, and stop fails the run", () => {
    const accepted = exhausted();
    accepted.answer("review", "accept");
    expect(accepted.states()).toMatchObject({ review: "done", compound: "ready" });
    const stopped = exhausted();
    stopped.answer("review", "stop");
    expect(stopped.run.header.end).toMatchObject({ status: "failed", reason: "it failed" });
  });

  test("[LI4] failures of the step use none of it", () => {
    const run = threeWay(limit(1, fail("exhausted")));
    run.pass("brainstorm");
    run.pass("work");
    run.fails("review");
    run.fails("review");
    run.say("review", "needs_fixes");
    expect(run.states()).toMatchObject({ work: "ready" });
  });

  test("[LI4] an exhausted budget does not affect them", () => {
    const run = threeWay(limit(1, fail("exhausted")));
    run.pass("brainstorm");
    run.pass("work");
    run.say("review", "needs_fixes");
    run.pass("work");
    run.fails("review");
    expect(run.states()).toMatchObject({ review: "ready" });
  });

  test("[LI4] a route that also has its own limit ends at whichever is reached first", () => {
    const routes = { fix: atMost(1, backTo("work"), fail("own limit")), redo: backTo("work") };
    const review = decider("review", routes, { budget: limit(2, fail("shared limit")) });
    const own = new Driver(workflow([agent("work"), review]));
    own.pass("work");
    own.say("review", "fix");
    own.pass("work");
    own.say("review", "fix");
    expect(own.run.header.end?.reason).toContain("own limit");

    const shared = new Driver(workflow([agent("work"), review]));
    for (const value of ["redo", "redo", "fix"]) {
      shared.pass("work");
      shared.say("review", value);
    }
    expect(shared.run.header.end?.reason).toContain("shared limit");
  });
});

describe("what limits count", () => {
  test("[LI5 Y6] no visit and no inner loop resets a limit", () => {
    const run = new Driver(
      workflow([
        agent("plan"),
        agent("work"),
        agent("verify", { on: { rejected: atMost(2, backTo("work"), fail("verify exhausted")) } }),
        agent("review", { on: { rejected: atMost(2, backTo("plan")) } }),
      ]),
    );
    run.pass("plan");
    run.pass("work");
    run.reject("verify");
    run.pass("work");
    run.pass("verify");
    run.reject("review");
    run.pass("plan");
    run.pass("work");
    run.reject("verify");
    run.pass("work");
    expect(run.step("verify").visit).toBe(4);
    run.reject("verify");
    expect(run.run.header.end?.reason).toContain("verify exhausted");
  });

  test("[LI5] inserted steps with the same name share its limit", () => {
    const work = agent("work", { onError: atMost(1, again, fail("work exhausted")) });
    const check = decider("check", { fix: atMost(5, insert("work")) });
    const run = new Driver(workflow([work, check]));
    run.fails("work");
    run.pass("work");
    run.say("check", "fix");
    run.fails("work~2");
    expect(run.run.header.end?.reason).toContain("work exhausted");
  });

  test("[LI6 B14] lost and rate-limited attempts use no limit of the step", () => {
    const run = new Driver(workflow([agent("work", { onError: atMost(1, again) })]));
    for (let time = 0; time < 5; time += 1) {
      run.lose("work");
      run.finish("work", unfinished("rate_limited"));
    }
    run.fails("work");
    expect(run.step("work").state.status).toBe("ready");
    run.fails("work");
    expect(run.status).toBe("failed");
  });

  test("[LI7 B14] a step that is lost more often than allowed fails", () => {
    const run = new Driver(workflow([agent("work")], { caps: { lostPerStep: 2 } }));
    run.lose("work");
    run.lose("work");
    expect(run.step("work").state.status).toBe("ready");
    run.lose("work");
    expect(run.step("work").state).toEqual({ status: "failed", reason: "work was lost 3 times" });
  });

  test("[LI9] an answer that repeats renews the limits of the step that asked", () => {
    const more = ask({ continue: again, stop: fail("stopped") });
    const run = new Driver(workflow([agent("work", { onError: atMost(1, again, more) })]));
    run.fails("work");
    run.fails("work");
    run.answer("work", "continue");
    expect(run.step("work").state.status).toBe("ready");
    run.fails("work");
    expect(run.step("work").state.status).toBe("ready");
    run.fails("work");
    expect(run.step("work").state.status).toBe("held");
  });

  test("[LI9 LI5] an answer that continues renews nothing", () => {
    const review = decider("review", { fix: atMost(0, backTo("work"), ask({ accept: next, back: backTo("work") })) });
    const run = new Driver(workflow([agent("work"), review]));
    run.pass("work");
    run.say("review", "fix");
    run.answer("review", "accept");
    expect(run.status).toBe("done");
    expect(run.happened("limits_renewed")).toEqual([]);
  });

  test("[LI10 B53] a failure names the limit that was reached", () => {
    const run = new Driver(
      workflow([agent("work"), agent("review", { on: { rejected: atMost(1, backTo("work"), fail("")) } })]),
    );
    run.pass("work");
    run.reject("review");
    run.pass("work");
    run.reject("review");
    const reason = "review: rejected back to work: limit of 1 reached: not good enough";
    expect(run.run.header.end?.reason).toBe(reason);
  });

  test("[LI10] a failure after failures also says what went wrong", () => {
    const run = new Driver(workflow([agent("work", { onError: atMost(0, again, fail("")) })]));
    run.fails("work", "exit 137");
    expect(run.run.header.end?.reason).toBe("work: failure: limit of 0 reached: exit 137");
  });
});
