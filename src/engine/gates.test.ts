// Gates: asking a person, and taking the one answer.

import { describe, expect, test } from "vitest";
import { gateId, storyId } from "../domain/ids.ts";
import { Driver } from "./testing/driver.ts";
import { unfinished } from "./testing/reports.ts";
import { again, agent, ask, atMost, backTo, fail, gate, insert, next, stories, workflow } from "./testing/workflow.ts";

const review = (options = {}) =>
  gate("review", { approve: next, back: backTo("work"), reject: fail("not approved"), ...options });
const reviewed = (options = {}) => {
  const run = new Driver(workflow([agent("work"), review(options), agent("ship")]));
  run.pass("work");
  return run;
};

describe("asking", () => {
  test("[GA1 CH4 X30] a gate step asks when the walk comes to it, and the run is held", () => {
    const run = reviewed();
    expect(run.states()).toEqual({ work: "done", review: "held", ship: "waiting" });
    expect(run.status).toBe("held");
    expect(run.openGate("review")).toMatchObject({ question: "review?", cause: "step", visit: 1, tree: null });
  });

  test("[GA1] a gate may be the first step", () => {
    const run = new Driver(workflow([gate("start"), agent("work")]));
    expect(run.status).toBe("held");
    run.answer("start", "approve");
    expect(run.states()).toEqual({ start: "done", work: "ready" });
  });

  test("[GA10] ids follow from run, scope and number", () => {
    const body = [agent("code"), gate("look")];
    const run = new Driver(workflow([agent("plan"), stories("each", body), gate("end")]));
    run.plan("plan", "US-1");
    run.pass("US-1/code");
    expect(run.openGate("US-1/look").id).toBe("run-1.US-1.1");
    run.answer("US-1/look", "approve");
    expect(run.openGate("end").id).toBe("run-1.run.1");
  });

  test("[GA9] an exhausted limit and an unreadable output say so", () => {
    const more = ask({ continue: again, stop: fail() });
    const run = new Driver(
      workflow([agent("a", { on: { rejected: atMost(0, again, more) }, onError: atMost(0, again, more) })]),
    );
    run.reject("a");
    expect(run.openGate("a").cause).toBe("exhausted");
    run.answer("a", "continue");
    run.finish("a", unfinished("invalid_output", "cannot be read"));
    expect(run.openGate("a")).toMatchObject({ cause: "unreadable", feedback: "cannot be read" });
  });
});

describe("answering", () => {
  test("[GA2 X30] it is answered once; the second hears who was first", () => {
    const run = reviewed();
    const asking = run.answering("review", "approve");
    run.must(asking, "user:ann");
    expect(run.refused({ ...asking, option: "reject" } as never, "user:bob")).toMatchObject({
      code: "answered",
      why: 'gate run-1.run.1 was answered "approve" by user:ann',
    });
    expect(run.gates("review")[0]?.state).toMatchObject({ status: "answered", by: "user:ann", took: "next" });
    expect(run.states()).toMatchObject({ review: "done", ship: "ready" });
  });

  test.each(["later", "constructor", "toString", "__proto__", ""])(
    "[GA3] %j is no option and changes nothing",
    (option) => {
      const run = reviewed();
      const refusal = run.refused({ ...run.answering("review", "approve"), option } as never);
      expect(refusal).toMatchObject({ code: "illegal" });
      expect(refusal.why).toContain("it has: approve, back, reject");
      expect(run.status).toBe("held");
    },
  );

  test("[GA3 RT9] each option is a route", () => {
    const back = reviewed();
    back.answer("review", "back");
    expect(back.states()).toEqual({ work: "ready", review: "waiting", ship: "waiting" });
    const no = reviewed();
    no.answer("review", "reject");
    expect(no.run.header.end?.reason).toBe("not approved");
    const more = reviewed({ more: insert("work") });
    more.answer("review", "more");
    expect(more.states()).toEqual({ work: "done", "work~2": "ready", review: "waiting", ship: "waiting" });
  });

  test("[GA3 RU8] a gate or a story that nobody knows is refused", () => {
    const run = reviewed();
    const asking = run.answering("review", "approve");
    expect(run.refused({ ...asking, gate: gateId("run-1.run.9") } as never)).toMatchObject({ code: "unknown" });
    expect(run.refused({ ...asking, story: storyId("US-1") } as never)).toMatchObject({ code: "unknown" });
  });

  test("[GA4] an answer for another tree than was shown is refused, and the right one is taken", () => {
    const run = new Driver(workflow([agent("work", { on: { passed: ask({ ok: next, no: fail() }) } })]));
    run.pass("work", { tree: "t1" });
    const asking = run.answering("work", "ok", { tree: "t2" });
    expect(run.refused(asking)).toMatchObject({ code: "moved" });
    expect(run.refused({ ...asking, tree: null } as never)).toMatchObject({ code: "moved" });
    run.answer("work", "ok", { tree: "t1" });
    expect(run.status).toBe("done");
  });

  test("[GA6 X30] the step that is sent back hears the verdict and the person's note", () => {
    const work = agent("work", { on: { rejected: atMost(0, again, ask({ retry: again, stop: fail() })) } });
    const run = new Driver(workflow([work]));
    run.reject("work", "red tests");
    run.answer("work", "retry", { note: "try the other library" });
    expect(run.step("work").feedback).toBe("red tests\n\ntry the other library");
  });

  test("[GA7] an answer may ask another question, and the step stays held", () => {
    const run = reviewed({ doubt: ask({ yes: next, no: fail("no") }, "Are you sure?") });
    run.answer("review", "doubt");
    expect(run.states()).toMatchObject({ review: "held" });
    expect(run.openGate("review")).toMatchObject({ question: "Are you sure?", id: "run-1.run.2" });
    run.answer("review", "yes");
    expect(run.states()).toMatchObject({ review: "done", ship: "ready" });
  });

  test("[GA8] again at a gate step asks anew", () => {
    const run = reviewed({ later: again });
    run.answer("review", "later");
    expect(run.step("review")).toMatchObject({ visit: 2, state: { status: "held" } });
    expect(run.gates("review").map(({ state }) => state.status)).toEqual(["void", "open"]);
  });
});

describe("going back", () => {
  test("[GA5] over an answered gate voids the approval, and the next visit asks anew", () => {
    const ship = agent("ship", { on: { rejected: atMost(1, backTo("work")) } });
    const run = new Driver(workflow([agent("work"), review(), ship]));
    run.pass("work");
    const asking = run.answering("review", "approve");
    run.must(asking);
    run.reject("ship", "does not build");
    expect(run.gates("review").map(({ state }) => state.status)).toEqual(["void"]);
    expect(run.refused(asking)).toMatchObject({ code: "answered" });
    run.pass("work");
    expect(run.openGate("review")).toMatchObject({ visit: 2, id: "run-1.run.2" });
    expect(run.status).toBe("held");
  });

  test("[GA5] a gate before the target keeps its answer", () => {
    const ship = agent("ship", { on: { rejected: atMost(1, backTo("work")) } });
    const run = new Driver(workflow([gate("start"), agent("work"), ship]));
    run.answer("start", "approve");
    run.pass("work");
    run.reject("ship");
    expect(run.gates("start").map(({ state }) => state.status)).toEqual(["answered"]);
  });
});
