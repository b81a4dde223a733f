// Steps that ask before they start, and runs that ask before every step.

import { describe, expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { unfinished } from "../../../test/support/engine/reports.ts";
import {
  again,
  agent,
  ask,
  atMost,
  backTo,
  fail,
  gate,
  limit,
  next,
  stories,
  workflow,
} from "../../../test/support/engine/workflow.ts";
import { defaultCaps } from "../../domain/definition.ts";
import { why } from "../why.ts";

const marked = () => workflow([agent("plan"), agent("build", { waits: true, on: { rejected: atMost(3, again) } })]);

describe("a step that waits", () => {
  test("[WT1 GA16 ME1 WY4] asks before it starts, and shows what the step before said", () => {
    const run = new Driver(marked());
    run.pass("plan", { outputs: { design: "small" }, tree: "t1" });
    const asked = run.openGate("build");
    expect(asked).toMatchObject({
      cause: "waits",
      question: "build is ready to start. Continue?",
      options: { continue: again, skip: { to: "next" }, stop: fail("build: stopped by a person") },
      said: "DESIGN: small",
      feedback: "",
      tree: null,
    });
    expect(run.status).toBe("held");
    expect(run.refused(run.starting("build")).why).toBe("step build is held, not ready");
    expect(run.messages("needs_you").map(({ text }) => text)).toEqual(["build is ready to start. Continue?"]);
    expect(why(run.run, run.at)).toContain("Answer with `pawl answer run-1.1 OPTION` (continue or skip or stop)");
  });

  test("[WT1 WT3] asks once per visit: neither a rejection nor a lost attempt asks again, going back does", () => {
    const review = agent("review", { on: { rejected: atMost(2, backTo("build")) } });
    const build = agent("build", { waits: true, on: { rejected: atMost(3, again) } });
    const run = new Driver(workflow([build, review]));
    run.answer("build", "continue");
    expect(run.states()).toMatchObject({ build: "ready" });
    run.reject("build");
    run.lose("build");
    run.pass("build");
    expect(run.gates("build")).toHaveLength(1);
    run.reject("review", "too slow");
    expect(run.openGate("build")).toMatchObject({ cause: "waits", visit: 2, feedback: "too slow" });
    run.answer("build", "continue");
    expect(run.step("build").feedback).toBe("too slow");
  });

  test("[WT3 LI9] continue renews no limit, and a second answer is refused", () => {
    const build = agent("build", { on: { rejected: atMost(1, again) } });
    const run = new Driver(workflow([build]), { waits: "all" });
    const first = run.answering("build", "continue");
    run.must(first, "user:ann");
    expect(run.refused(first).why).toContain('was answered "continue" by user:ann');
    run.reject("build");
    run.answer("build", "continue");
    run.reject("build");
    expect(run.happened("limits_renewed")).toEqual([]);
    expect(run.status).toBe("failed");
  });

  test("[WT3 LC5] stop fails the step, and a retry asks again", () => {
    const run = new Driver(marked());
    run.pass("plan");
    run.answer("build", "stop");
    expect(run.run.header.end).toMatchObject({ status: "failed", reason: "build: stopped by a person" });
    expect(run.retry().accepted).toBe(true);
    run.answer("build", "continue");
    run.pass("build");
    expect(run.status).toBe("done");
  });

  test("[WT3 D89] skip goes on without the step, and is not offered for one that is mandatory", () => {
    const run = new Driver(marked());
    run.pass("plan");
    run.answer("build", "skip");
    expect(run.status).toBe("done");
    expect(run.attempts("build")).toEqual([]);
    const strict = new Driver(workflow([agent("build", { waits: true, mandatory: true })]));
    expect(Object.keys(strict.openGate("build").options)).toEqual(["continue", "stop"]);
  });

  test("[WT4 PN4] the note of the answer reaches the attempt as a note, not as feedback", () => {
    const run = new Driver(marked());
    run.pass("plan");
    run.answer("build", "continue", { note: "keep the old API" });
    expect(run.step("build").feedback).toBe("");
    run.claim("build");
    expect(run.notes("build")).toEqual(["keep the old API"]);
  });

  test("[WT1 LC1 LC2] a pause leaves the question open, and its answer starts nothing until the run resumes", () => {
    const run = new Driver(marked());
    run.pass("plan");
    run.pause();
    run.answer("build", "continue");
    expect(run.refused(run.starting("build")).why).toBe("the run is paused");
    run.resume();
    run.pass("build");
    expect(run.status).toBe("done");
  });

  test("[WT1 ST3 ST12] in a story it holds that story alone, and each of four asks for itself", () => {
    const body = [agent("build", { waits: true }), agent("check")];
    const run = new Driver(workflow([stories("each", body, { concurrency: 4 })]), {
      stories: ["A", "B", "C", "D", "E"],
    });
    expect(run.storyStates()).toEqual({ A: "held", B: "held", C: "held", D: "held", E: "waiting" });
    run.answer("C/build", "continue");
    run.pass("C/build");
    run.pass("C/check");
    expect(run.storyStates()).toEqual({ A: "held", B: "held", C: "done", D: "held", E: "held" });
  });

  test("[WT3 LI11] the question comes before the cap's own, and the answer to that one starts the step", () => {
    const caps = { ...defaultCaps, attempts: 1, then: "gate" as const };
    const run = new Driver(workflow([agent("plan"), agent("build", { waits: true })], { caps }));
    run.pass("plan");
    run.answer("build", "continue");
    run.must(run.starting("build"));
    expect(run.openGate("build").cause).toBe("cap");
    run.answer("build", "continue");
    run.pass("build");
    expect(run.gates("build").map(({ cause }) => cause)).toEqual(["waits", "cap"]);
    expect(run.status).toBe("done");
  });

  test("[WT1 GA14] gates and stories do not wait", () => {
    const run = new Driver(workflow([gate("ask"), agent("build")]), { waits: "all" });
    expect(run.openGate("ask").cause).toBe("step");
    run.answer("ask", "approve");
    expect(run.openGate("build").cause).toBe("waits");
  });
});

describe("the level of a run", () => {
  test("[WT2] all asks before every attempt, but not again after an attempt that decided nothing", () => {
    const build = agent("build", { on: { rejected: atMost(3, again) }, onError: atMost(3, again) });
    const run = new Driver(workflow([build]), { waits: "all" });
    run.answer("build", "continue");
    run.reject("build", "red");
    expect(run.openGate("build")).toMatchObject({
      question: "build is ready to start again. Continue?",
      feedback: "red",
    });
    run.answer("build", "continue");
    run.finish("build", unfinished("timed_out"));
    expect(run.openGate("build").cause).toBe("waits");
    run.answer("build", "continue");
    run.lose("build");
    run.finish("build", unfinished("rate_limited"));
    run.pass("build");
    expect(run.gates("build")).toHaveLength(3);
  });

  test("[WT2] none asks before no step, and a run without a level asks where the workflow says so", () => {
    const none = new Driver(marked(), { waits: "none" });
    none.pass("plan");
    none.pass("build");
    expect(none.status).toBe("done");
    const silent = new Driver(marked());
    expect(silent.run.header).not.toHaveProperty("waits");
    silent.pass("plan");
    expect(silent.status).toBe("held");
  });

  test("[WT3] an answer at another gate that repeats the step is the word to start it", () => {
    const then = ask({ once: again, stop: fail("stopped") });
    const build = agent("build", { budget: limit(1, then), on: { rejected: again } });
    const run = new Driver(workflow([build]), { waits: "all" });
    run.answer("build", "continue");
    run.reject("build");
    run.answer("build", "continue");
    run.reject("build");
    expect(run.openGate("build").cause).toBe("exhausted");
    run.answer("build", "once");
    expect(run.states()).toEqual({ build: "ready" });
  });

  test("[WT5] a lower level withdraws the questions that it does not ask, and their steps start with their feedback", () => {
    const body = [agent("build", { waits: true, on: { rejected: atMost(2, again) } })];
    const run = new Driver(workflow([stories("each", body, { concurrency: 2 })]), {
      stories: ["A", "B"],
      waits: "all",
    });
    run.answer("A/build", "continue");
    run.reject("A/build", "red");
    run.waits("marked");
    expect(run.storyStates()).toEqual({ A: "running", B: "held" });
    expect(run.step("A/build")).toMatchObject({ state: { status: "ready" }, feedback: "red" });
    run.waits("none");
    expect(run.storyStates()).toEqual({ A: "running", B: "running" });
    expect(run.gates("B/build").map(({ state }) => state.status)).toEqual(["void"]);
  });

  test("[WT5] a higher level asks for a step that is ready, and leaves what runs and what was answered", () => {
    const run = new Driver(workflow([agent("one"), agent("two"), agent("three")]));
    run.waits("all");
    expect(run.openGate("one").cause).toBe("waits");
    run.answer("one", "continue");
    run.claim("one");
    run.waits("none");
    run.waits("all");
    run.pass("one");
    expect(run.openGate("two").cause).toBe("waits");
    run.answer("two", "continue");
    expect(run.waits("all").events).toEqual([]);
    expect(run.states()).toMatchObject({ two: "ready" });
  });

  test("[WT5 RU6] other questions stay, a failed run keeps the level for its retry, a run that is over refuses it", () => {
    const run = new Driver(workflow([gate("ask", { approve: next, reject: fail("no") }), agent("build")]), {
      waits: "all",
    });
    run.waits("none");
    expect(run.openGate("ask").cause).toBe("step");
    run.answer("ask", "reject");
    run.waits("all");
    expect(run.status).toBe("failed");
    run.retry();
    run.answer("ask", "approve");
    run.answer("build", "continue");
    run.pass("build");
    expect(run.refused({ type: "change_waits", waits: "none" }).why).toBe("the run is done");
  });
});
