// A person stops one attempt and keeps the run.

import { expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { passed, unfinished } from "../../../test/support/engine/reports.ts";
import { again, agent, atMost, fail, limit, stories, workflow } from "../../../test/support/engine/workflow.ts";

const one = () => new Driver(workflow([agent("build"), agent("check")]));

test("[AT19 AT8] an attempt that Pawl started is stopped, ends as cancelled and holds its step", () => {
  const run = one();
  const attempt = run.claim("build");
  const stop = run.stopping("build", "it is on the wrong track");
  const { effects } = run.must(stop, "user:ann");
  expect(effects).toEqual([{ type: "stop_attempt", run: "run-1", story: null, attempt: attempt.id }]);
  expect(run.status).toBe("running");
  expect(run.refused(stop).why).toBe(`attempt ${attempt.id} is being stopped already`);
  expect(run.refused(run.finishing(attempt, passed())).why).toContain("is being stopped");
  run.must(run.finishing(attempt, passed({ tree: "t1" }), null));
  expect(run.attempts("build")[0]?.state).toMatchObject({
    outcome: "cancelled",
    why: "it is on the wrong track",
    discards: true,
  });
  expect(run.openGate("build")).toMatchObject({
    cause: "stopped",
    question: "build was stopped. Start it again?",
    options: { continue: again, skip: { to: "next" }, stop: fail("build: stopped by a person") },
    tree: null,
  });
  run.answer("build", "continue", { note: "leave the tests alone" });
  run.claim("build");
  expect(run.notes("build")).toEqual(["leave the tests alone"]);
  expect(run.refused(stop).why).toContain("has already ended (cancelled)");
});

test("[AT19 LC4] a pulled attempt ends at once, and its token is void", () => {
  const run = one();
  const attempt = run.claim("build", "pull");
  run.must(run.stopping("build"), "user:ann");
  expect(run.openGate("build").cause).toBe("stopped");
  expect(run.refused(run.finishing(attempt, passed())).why).toContain("has already ended");
  run.answer("build", "stop");
  expect(run.status).toBe("failed");
});

test("[AT19 WT3 D89] a person may go on without the step that was stopped", () => {
  const run = one();
  run.claim("build", "pull");
  run.must(run.stopping("build"), "user:ann");
  run.answer("build", "skip");
  run.pass("check");
  expect(run.status).toBe("done");
});

test("[AT19 LI6] it uses no limit, and what the step was sent back for stays", () => {
  const build = agent("build", { budget: { ...limit(1), errors: true }, on: { rejected: again }, onError: again });
  const run = new Driver(workflow([build]), { waits: "all" });
  run.answer("build", "continue");
  run.reject("build", "red");
  run.answer("build", "continue");
  for (const _ of [1, 2, 3]) {
    run.claim("build", "pull");
    run.must(run.stopping("build"), "user:ann");
    run.answer("build", "continue");
  }
  expect(run.step("build").feedback).toBe("red");
  run.pass("build");
  expect(run.status).toBe("done");
});

test("[AT19 ST12] in a story it holds that story alone, and a cancel or a dead driver ends what is being stopped", () => {
  const run = new Driver(workflow([stories("each", [agent("build")], { concurrency: 2 })]), { stories: ["A", "B"] });
  const attempt = run.claim("A/build");
  run.must(run.stopping("A/build"), "user:ann");
  run.pass("B/build");
  run.must(run.finishing(attempt, unfinished("lost"), null));
  expect(run.storyStates()).toEqual({ A: "held", B: "done" });
  run.answer("A/build", "continue");
  const second = run.claim("A/build");
  run.must(run.stopping("A/build"), "user:ann");
  run.cancel();
  run.must(run.finishing(second, unfinished("cancelled"), null));
  expect(run.states("A")).toEqual({ build: "cancelled" });
  expect(run.refused({ type: "stop_attempt", story: null, attempt: second.id, reason: "" }).why).toBe(
    "the run is cancelled",
  );
});

test("[LI22] a budget with errors counts rejections, failures and time-outs together, and no lost attempt", () => {
  const build = agent("build", { budget: { ...limit(2), errors: true }, on: { rejected: again }, onError: again });
  const run = new Driver(workflow([build]));
  run.fails("build");
  run.lose("build");
  run.reject("build");
  run.lose("build");
  expect(run.status).toBe("running");
  run.finish("build", unfinished("timed_out", "too slow"));
  expect(run.run.header.end?.reason).toContain("limit reached");
  const counted = run.attempts("build").filter(({ state }) => state.phase === "ended" && state.outcome !== "lost");
  expect(counted).toHaveLength(3);
  expect(run.messages("stuck").map(({ text }) => text)).toEqual(["build: all retries together: limit of 2 reached"]);
});

test("[LI22 LI3] in a story such errors do not draw on the story's budget", () => {
  const build = agent("build", { budget: { ...limit(2), errors: true }, on: { rejected: again }, onError: again });
  const run = new Driver(workflow([stories("each", [build], { storyBudget: limit(0) })]), { stories: ["A"] });
  run.fails("A/build");
  run.reject("A/build");
  run.pass("A/build");
  expect(run.status).toBe("done");
});

test("[RT16] an outcome with a rule of its own takes that one, and its limit counts that outcome alone", () => {
  const build = agent("build", {
    onError: atMost(1, again),
    onErrorBy: { timed_out: { route: again, limit: limit(2, fail("too slow")) } },
  });
  const run = new Driver(workflow([build]));
  run.finish("build", unfinished("timed_out"));
  run.fails("build");
  run.finish("build", unfinished("timed_out"));
  expect(run.status).toBe("running");
  run.finish("build", unfinished("timed_out", "after 10 min"));
  expect(run.run.header.end?.reason).toBe("too slow: after 10 min");
});
