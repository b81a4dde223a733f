// Stories: when each is worked on, and what its end means.

import { describe, expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import {
  agent,
  ask,
  atMost,
  backTo,
  decider,
  fail,
  featureDev,
  gate,
  limit,
  next,
  stories,
  storySpec,
  workflow,
} from "../../../test/support/engine/workflow.ts";
import { storyId } from "../../domain/ids.ts";

type Options = Parameters<typeof stories>[2];

/** plan, then code and verify for each story, then ship. */
function each(options: Options = {}, ...planned: Parameters<typeof storySpec>[]): Driver {
  const body = [agent("code"), agent("verify", { on: { rejected: backTo("code") } })];
  const run = new Driver(workflow([agent("plan"), stories("each", body, options), agent("ship")]));
  if (planned.length > 0) run.plan("plan", ...planned.map((spec) => storySpec(...spec)));
  return run;
}

function work(run: Driver, story: string): void {
  run.pass(`${story}/code`);
  run.pass(`${story}/verify`);
}

describe("planning", () => {
  test("[ST1 A34 A50 A100] stories keep the planner's order, and the first is opened", () => {
    const run = each({}, ["US-2"], ["US-1"], ["US-3"]);
    expect(run.storyStates()).toEqual({ "US-2": "running", "US-1": "waiting", "US-3": "waiting" });
    expect(run.states()).toEqual({ plan: "done", each: "running", ship: "waiting" });
    expect(run.states("US-2")).toEqual({ code: "ready", verify: "waiting" });
  });

  test("[ST1] a rejected plan plans nothing", () => {
    const plan = agent("plan", { on: { rejected: atMost(1, { to: "again" }) } });
    const run = new Driver(workflow([plan, stories("each", [agent("code")])]));
    run.reject("plan", "too big", null, { stories: [storySpec("US-1")] });
    expect(run.storyStates()).toEqual({});
  });

  test("[ST2 A99 antfarm F] a corrected plan replaces the first: no story is duplicated", () => {
    const check = agent("check", { on: { rejected: atMost(2, backTo("plan")) } });
    const run = new Driver(workflow([agent("plan"), check, stories("each", [agent("code")])]));
    run.plan("plan", "S1", "S2");
    run.reject("check");
    run.plan("plan", "S1", "S2", "S3");
    run.pass("check");
    expect(run.storyStates()).toEqual({ S1: "running", S2: "waiting", S3: "waiting" });
  });

  test("[ST2 A99] stories that a new plan leaves out are dropped", () => {
    const check = agent("check", { on: { rejected: atMost(2, backTo("plan")) } });
    const run = new Driver(workflow([agent("plan"), check, stories("each", [agent("code")])]));
    run.plan("plan", "S1", "S2");
    run.reject("check");
    run.plan("plan", storySpec("S3"), { ...storySpec("S2"), title: "Another S2" });
    expect(run.storyStates()).toEqual({ S3: "waiting", S2: "waiting" });
    expect(run.run.header.stories[1]?.title).toBe("Another S2");
  });

  test("[ST2 A99] stories that are done stay done after a new plan", () => {
    const review = agent("review", { on: { rejected: atMost(2, backTo("plan")) } });
    const run = new Driver(workflow([agent("plan"), stories("each", [agent("code")]), review]));
    run.plan("plan", "S1");
    run.pass("S1/code");
    run.reject("review", "something is missing");
    run.plan("plan", "S1", "S2");
    expect(run.storyStates()).toEqual({ S1: "done", S2: "running" });
    run.pass("S2/code");
    run.pass("review");
    expect(run.attempts("S1/code")).toHaveLength(1);
    expect(run.status).toBe("done");
  });

  test("[ST7 A24 antfarm L] without any story the step fails at once instead of looping forever", () => {
    const run = new Driver(featureDev());
    run.pass("plan");
    expect(run.step("implement").state.status).toBe("failed");
    expect(run.run.header.end?.reason).toContain("planning did not produce STORIES_JSON");
  });
});

describe("order", () => {
  test("[ST3 A23] one at a time, in order", () => {
    const run = each({}, ["US-1"], ["US-2"]);
    work(run, "US-1");
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "running" });
    work(run, "US-2");
    expect(run.states()).toEqual({ plan: "done", each: "done", ship: "ready" });
  });

  test("[ST3] as many at once as allowed", () => {
    const run = each({ concurrency: 2 }, ["US-1"], ["US-2"], ["US-3"]);
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-2": "running", "US-3": "waiting" });
    work(run, "US-2");
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-2": "done", "US-3": "running" });
  });

  test("[ST3] a story waits for its dependencies; a later one without any goes first", () => {
    const run = each({ concurrency: 2 }, ["US-1"], ["US-2", "US-1"], ["US-3"]);
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-2": "waiting", "US-3": "running" });
    work(run, "US-1");
    expect(run.storyStates()).toMatchObject({ "US-1": "done", "US-2": "running" });
  });

  test("[ST3 A45 A6] a story that is sent back is worked on before later ones", () => {
    const run = each({}, ["US-1"], ["US-2"]);
    run.pass("US-1/code");
    run.reject("US-1/verify");
    expect(run.states("US-1")).toEqual({ code: "ready", verify: "waiting" });
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-2": "waiting" });
  });

  test("[ST11] stories that depend on each other fail the step", () => {
    const run = each({}, ["US-1", "US-2"], ["US-2", "US-1"]);
    expect(run.run.header.end?.reason).toBe("each: stories depend on each other and none can start");
  });
});

describe("one story", () => {
  test("[ST4 A5 A101 A102] verification follows each story, and the rest follows all of them", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1", "US-2");
    const seen = [run.states("US-1")];
    run.claim("US-1/implement");
    seen.push(run.states("US-1"));
    run.pass("US-1/implement");
    seen.push(run.states("US-1"));
    run.claim("US-1/verify");
    seen.push(run.states("US-1"));
    run.pass("US-1/verify");
    seen.push(run.states("US-1"));
    expect(seen.map(({ implement, verify }) => [implement, verify])).toEqual([
      ["ready", "waiting"],
      ["running", "waiting"],
      ["done", "ready"],
      ["done", "running"],
      ["done", "done"],
    ]);
    run.pass("US-2/implement");
    run.pass("US-2/verify");
    expect(run.states()).toEqual({ plan: "done", implement: "done", test: "ready", pr: "waiting", review: "waiting" });
    expect(run.happened("attempt_dispatched").map(({ name }) => name)).toEqual([
      "plan",
      "implement",
      "verify",
      "implement",
      "verify",
    ]);
  });

  test("[ST4 A43] the developer gets the verifier's findings", () => {
    const run = each({}, ["US-1"]);
    run.pass("US-1/code");
    run.reject("US-1/verify", "no tests");
    expect(run.step("US-1/code")).toMatchObject({ visit: 2, feedback: "no tests" });
    run.pass("US-1/code");
    expect(run.step("US-1/code").feedback).toBe("");
  });

  test("[ST4 A36 antfarm G] if two stories finish in the same second, the rejected one goes back", () => {
    const run = each({ concurrency: 2 }, ["US-1"], ["US-2"]);
    run.pass("US-1/code");
    run.pass("US-2/code");
    run.claim("US-1/verify");
    run.claim("US-2/verify");
    run.pass("US-1/verify");
    run.reject("US-2/verify", "not this one");
    expect(run.storyStates()).toEqual({ "US-1": "done", "US-2": "running" });
    expect(run.states("US-2")).toEqual({ code: "ready", verify: "waiting" });
    expect(run.states("US-1")).toEqual({ code: "done", verify: "done" });
  });

  test("[ST5 OU8 A37] outputs are the story's until it is done, then the run's", () => {
    const run = each({}, ["US-1"], ["US-2"]);
    run.pass("US-1/code", { outputs: { changes: "one file" } });
    expect(run.context("US-1")).toEqual({ changes: "one file" });
    expect(run.context()).toEqual({});
    run.pass("US-1/verify");
    expect(run.context()).toEqual({ changes: "one file" });
    expect(run.context("US-2")).toEqual({});
  });

  test("[ST6 ST5] a story without verification is done after its one step", () => {
    const run = new Driver(workflow([agent("plan"), stories("each", [agent("code")])]));
    run.plan("plan", "US-1", "US-2");
    run.pass("US-1/code");
    run.pass("US-2/code");
    expect(run.status).toBe("done");
  });

  test("[ST6 A1] a perfect agent finishes feature-dev", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1", "US-2", "US-3");
    for (const story of ["US-1", "US-2", "US-3"]) {
      run.pass(`${story}/implement`);
      run.pass(`${story}/verify`);
    }
    for (const step of ["test", "pr"]) run.pass(step);
    run.say("review", "approved");
    expect(run.status).toBe("done");
    expect(run.run.header.totals.attempts).toBe(10);
  });
});

describe("failing", () => {
  test("[ST8 A44 A24] stop: no new story opens, running ones finish, then the step fails", () => {
    const run = each({ concurrency: 2, storyBudget: limit(0) }, ["US-1"], ["US-2"], ["US-3"]);
    run.pass("US-1/code");
    run.reject("US-1/verify");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "running", "US-3": "waiting" });
    expect(run.status).toBe("running");
    work(run, "US-2");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "done", "US-3": "waiting" });
    expect(run.run.header.end?.reason).toBe("story US-1 failed");
  });

  test("[ST8] continue: the others are worked on, then the step fails", () => {
    const run = each({ storyBudget: limit(0), onStoryFailed: "continue" }, ["US-1"], ["US-2"]);
    run.pass("US-1/code");
    run.reject("US-1/verify");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "running" });
    work(run, "US-2");
    expect(run.status).toBe("failed");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "done" });
  });

  test("[ST9] dependents of a failed story are blocked, also indirect ones", () => {
    const options: Options = { storyBudget: limit(0), onStoryFailed: "continue" };
    const run = each(options, ["US-1"], ["US-2", "US-1"], ["US-3", "US-2"], ["US-4"]);
    run.pass("US-1/code");
    run.reject("US-1/verify");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "blocked", "US-3": "blocked", "US-4": "running" });
    work(run, "US-4");
    expect(run.run.header.end?.reason).toBe("story US-1 failed; blocked by it: US-2, US-3");
  });

  test("[ST9 LC5] a retry of the failed story unblocks its dependents", () => {
    const run = each({ storyBudget: limit(0), onStoryFailed: "continue" }, ["US-1"], ["US-2", "US-1"]);
    run.pass("US-1/code");
    run.reject("US-1/verify");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "blocked" });
    run.retry();
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-2": "waiting" });
    run.pass("US-1/verify");
    work(run, "US-2");
    expect(run.states()).toMatchObject({ each: "done", ship: "ready" });
  });
});

describe("sent back", () => {
  test("[ST10 A9 B71] going back to finished stories adds a story with the findings", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1");
    run.pass("US-1/implement");
    run.pass("US-1/verify");
    run.pass("test");
    run.pass("pr");
    run.say("review", "needs_fixes", { feedback: "- names are wrong\n2) no tests" });
    expect(run.storyStates()).toEqual({ "US-1": "done", "FIX-1": "running" });
    const [, planned] = run.happened("stories_planned");
    expect(planned?.stories).toEqual([
      {
        id: "FIX-1",
        title: "Address review feedback",
        description: "- names are wrong\n2) no tests",
        acceptanceCriteria: ["names are wrong", "no tests", "Typecheck passes"],
        dependsOn: [],
      },
    ]);
    run.pass("FIX-1/implement");
    run.pass("FIX-1/verify");
    for (const step of ["test", "pr"]) run.pass(step);
    run.say("review", "needs_fixes", { feedback: "again" });
    expect(run.storyStates()).toEqual({ "US-1": "done", "FIX-1": "done", "FIX-2": "running" });
    expect(run.attempts("US-1/implement")).toHaveLength(1);
  });

  test("[ST20] it takes the first number that no planned id has, in any case of its letters", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "fix-1", "FIX-003", "fix-3");
    for (const id of ["fix-1", "FIX-003", "fix-3"])
      for (const step of ["implement", "verify"]) run.pass(`${id}/${step}`);
    for (const added of ["FIX-2", "FIX-4"]) {
      for (const step of ["test", "pr"]) run.pass(step);
      run.say("review", "needs_fixes", { feedback: "names are wrong" });
      expect(run.storyStates()).toMatchObject({ [added]: "running" });
      for (const step of ["implement", "verify"]) run.pass(`${added}/${step}`);
    }
    expect(Object.keys(run.storyStates())).toEqual(["fix-1", "FIX-003", "fix-3", "FIX-2", "FIX-4"]);
  });

  test("[ST20 ST2] a new plan that names a story in another case means that story, also as a dependency", () => {
    const review = agent("review", { on: { rejected: atMost(2, backTo("plan")) } });
    const run = new Driver(workflow([agent("plan"), stories("each", [agent("code")]), review]));
    run.plan("plan", "US-1");
    run.pass("US-1/code");
    run.reject("review", "wrong colour");
    run.pass("plan");
    run.pass("FIX-1/code");
    run.reject("review", "still wrong");
    run.plan("plan", "fix-1", storySpec("US-2", "fix-1"));
    expect(run.storyStates()).toEqual({ "US-1": "done", "FIX-1": "done", "US-2": "running" });
  });

  test("[ST10 B71] a route that goes back past the stories also adds one", () => {
    const review = agent("review", { on: { rejected: atMost(1, backTo("plan")) } });
    const run = new Driver(workflow([agent("plan"), stories("each", [agent("code")]), review]));
    run.plan("plan", "US-1");
    run.pass("US-1/code");
    run.reject("review", "wrong colour");
    run.pass("plan");
    expect(run.storyStates()).toEqual({ "US-1": "done", "FIX-1": "running" });
  });

  test("[ST10] a person who sends the work back without a note still gets a new story", () => {
    const look = gate("look", { approve: next, reject: backTo("each") });
    const run = new Driver(workflow([agent("plan"), stories("each", [agent("code")]), look]));
    run.plan("plan", "US-1");
    run.pass("US-1/code");
    run.answer("look", "reject");
    expect(run.storyStates()).toEqual({ "US-1": "done", "FIX-1": "running" });
  });

  test("[ST10] stories that a route jumped over are worked on as planned, without an extra story", () => {
    const choose = decider("choose", { skip: { to: "go_to", step: agent("ship").name }, work: next });
    const ship = agent("ship", { on: { rejected: atMost(1, backTo("choose")) } });
    const run = new Driver(workflow([agent("plan"), choose, stories("each", [agent("code")]), ship]));
    run.plan("plan", "US-1");
    run.say("choose", "skip");
    run.reject("ship", "nothing was done");
    run.say("choose", "work");
    expect(run.storyStates()).toEqual({ "US-1": "running" });
  });
});

describe("held", () => {
  const asking = (concurrency: number) => {
    const body = [agent("code", { on: { rejected: ask({ accept: next, stop: fail("stopped") }) } })];
    const run = new Driver(workflow([agent("plan"), stories("each", body, { concurrency })]));
    run.plan("plan", "US-1", "US-2", "US-3");
    return run;
  };

  test("[ST12 GA1 X30] a question holds its story and its slot, and the others continue", () => {
    const run = asking(2);
    run.reject("US-1/code");
    expect(run.storyStates()).toEqual({ "US-1": "held", "US-2": "running", "US-3": "waiting" });
    expect(run.status).toBe("running");
    run.pass("US-2/code");
    run.pass("US-3/code");
    expect(run.status).toBe("held");
    run.answer("US-1/code", "accept");
    expect(run.status).toBe("done");
  });

  test("[ST12 RU5] if all stories wait for a person the run is held", () => {
    const run = asking(1);
    run.reject("US-1/code");
    expect(run.storyStates()).toEqual({ "US-1": "held", "US-2": "waiting", "US-3": "waiting" });
    expect(run.status).toBe("held");
    expect(run.run.stories[storyId("US-2")]).toBeUndefined();
  });

  test("[ST12 ST8] an answer may fail its story", () => {
    const run = asking(1);
    run.reject("US-1/code");
    run.answer("US-1/code", "stop");
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "waiting", "US-3": "waiting" });
    expect(run.status).toBe("failed");
  });
});
