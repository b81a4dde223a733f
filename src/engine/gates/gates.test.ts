// Gates: asking a person and accepting the one answer.

import { describe, expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { unfinished } from "../../../test/support/engine/reports.ts";
import {
  again,
  agent,
  ask,
  atMost,
  backTo,
  decider,
  fail,
  featureDev,
  gate,
  insert,
  limit,
  next,
  spending,
  stories,
  storySpec,
  workflow,
} from "../../../test/support/engine/workflow.ts";
import { namesOf, reasonsOf } from "../../domain/gate.ts";
import { gateId, storyId } from "../../domain/ids.ts";
import { decide } from "../decide.ts";
import { mayHold } from "../definitions.ts";

const review = (options = {}) =>
  gate("review", { approve: next, back: backTo("work"), reject: fail("not approved"), ...options });
const reviewed = (options = {}) => {
  const run = new Driver(workflow([agent("work"), review(options), agent("ship")]));
  run.pass("work");
  return run;
};

describe("asking", () => {
  test("[GA1 CH4 X30] a gate step asks when the walk reaches it, and the run is held", () => {
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

  test("[GA10] ids are derived from run, scope and number", () => {
    const body = [agent("code"), gate("look")];
    const run = new Driver(workflow([agent("plan"), stories("each", body), gate("end")]));
    run.plan("plan", "US-1");
    run.pass("US-1/code");
    expect(run.openGate("US-1/look").id).toBe("run-1.US-1.1");
    run.answer("US-1/look", "approve");
    expect(run.openGate("end").id).toBe("run-1.1");
  });

  test("[GA16 OU8] the question in a story has the run's values and its own, never those of other stories", () => {
    const asks = { ...gate("look"), question: "{{cmd}}, {{verdict}}?" };
    const run = new Driver(workflow([agent("plan"), stories("each", [agent("code"), asks], { concurrency: 2 })]));
    run.pass("plan", { outputs: { cmd: "npm test" }, stories: [storySpec("US-1"), storySpec("US-2")] });
    run.pass("US-1/code", { outputs: { cmd: "make", verdict: "good" } });
    expect(run.openGate("US-1/look").question).toBe("make, good?");
    run.answer("US-1/look", "approve");
    run.pass("US-2/code");
    expect(run.openGate("US-2/look").question).toBe("npm test, [missing: verdict]?");
  });

  test("[GA4] a gate shows the tree of the attempt that led to it", () => {
    const run = new Driver(workflow([agent("work"), gate("first"), gate("second")]));
    run.pass("work", { tree: "t1" });
    expect(run.openGate("first").tree).toBe("t1");
    run.answer("first", "approve");
    expect(run.openGate("second").tree).toBe("t1");
  });

  test("[RT15 GA9] unreadable output has a rule and a limit of its own, a crash keeps that of crashes", () => {
    const onUnreadable = atMost(1, again, ask({ continue: again, stop: fail() }));
    const start = () => new Driver(workflow([agent("a", { onUnreadable, onError: fail() })]));
    const run = start();
    const unread = unfinished("invalid_output", "no STATUS line");
    run.finish("a", unread);
    expect(run.step("a")).toMatchObject({ state: { status: "ready" }, feedback: "no STATUS line" });
    run.finish("a", unread);
    expect(run.openGate("a")).toMatchObject({ cause: "unreadable", feedback: "no STATUS line" });
    const crashed = start();
    crashed.finish("a", unread);
    crashed.finish("a", unfinished("failed", "exit code 1"));
    expect(crashed.status).toBe("failed");
  });

  test("[GA9] an exhausted limit and an unreadable output are named as the cause", () => {
    const more = ask({ continue: again, stop: fail() });
    const run = new Driver(
      workflow([agent("a", { on: { rejected: atMost(0, again, more) }, onError: atMost(0, again, more) })]),
    );
    run.reject("a");
    expect(run.openGate("a").cause).toBe("exhausted");
    run.answer("a", "continue");
    run.finish("a", unfinished("invalid_output", "cannot be read"));
    expect(run.openGate("a")).toMatchObject({
      cause: "unreadable",
      feedback: "cannot be read\n\nBefore that: not good enough",
    });
  });
});

describe("answering", () => {
  test("[GA2 X30] it is answered once; a second answer is refused and names the first author", () => {
    const run = reviewed();
    const asking = run.answering("review", "approve");
    run.must(asking, "user:ann");
    expect(run.refused({ ...asking, option: "reject" }, "user:bob")).toMatchObject({
      code: "answered",
      why: 'gate run-1.1 was answered "approve" by user:ann',
    });
    expect(run.gates("review")[0]?.state).toMatchObject({ status: "answered", by: "user:ann", took: "next" });
    expect(run.states()).toMatchObject({ review: "done", ship: "ready" });
  });

  test.each(["later", "constructor", "toString", "__proto__", ""])(
    "[GA3] %j is not an option and changes nothing",
    (option) => {
      const run = reviewed();
      const refusal = run.refused({ ...run.answering("review", "approve"), option });
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

  test("[GA3 RU8] an unknown gate or story is refused", () => {
    const run = reviewed();
    const asking = run.answering("review", "approve");
    expect(run.refused({ ...asking, gate: gateId("run-1.9") })).toMatchObject({ code: "unknown" });
    expect(run.refused({ ...asking, story: storyId("US-1") })).toMatchObject({ code: "unknown" });
  });

  test("[GA6 X30] the step that is sent back gets the verdict and the person's note", () => {
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
    expect(run.openGate("review")).toMatchObject({ question: "Are you sure?", id: "run-1.2" });
    run.answer("review", "yes");
    expect(run.states()).toMatchObject({ review: "done", ship: "ready" });
  });

  test("[GA11 X30] an option with a reason leads where that reason leads", () => {
    const options = { approve: next, reject: fail("not approved"), "reject:unclear": backTo("work") };
    const run = new Driver(workflow([agent("work"), gate("review", options), agent("ship")]));
    run.pass("work");
    run.answer("review", "reject", { reason: "unclear", note: "what is a widget?" });
    expect(run.states()).toEqual({ work: "ready", review: "waiting", ship: "waiting" });
    expect(run.step("work").feedback).toBe("unclear\n\nwhat is a widget?");
    expect(run.happened("gate_answered")).toMatchObject([{ option: "reject", reason: "unclear", took: "back_to" }]);
  });

  test.each(["too slow", "constructor", "unclear:"])(
    "[GA11] %j has no route of its own: the option's route is taken, and the reason is kept",
    (reason) => {
      const options = { approve: next, reject: fail("not approved"), "reject:unclear": backTo("work") };
      const run = new Driver(workflow([agent("work"), gate("review", options)]));
      run.pass("work");
      run.answer("review", "reject", { reason });
      expect(run.run.header.end?.reason).toBe("not approved");
      expect(run.gates("review")[0]?.state).toMatchObject({ option: "reject", reason, took: "fail" });
    },
  );

  test("[GA11] a reason belongs to its option, and people choose between options", () => {
    const options = { approve: next, reject: fail(), "reject:unclear": again, "reject:late": next };
    const run = new Driver(workflow([gate("review", options)]));
    run.answer("review", "approve", { reason: "unclear" });
    expect(run.status).toBe("done");
    expect(namesOf(options)).toEqual(["approve", "reject"]);
    expect(reasonsOf(options, "reject")).toEqual(["unclear", "late"]);
    expect(reasonsOf(options, "approve")).toEqual([]);
  });

  test("[GA8] again at a gate step asks again", () => {
    const run = reviewed({ later: again });
    run.answer("review", "later");
    expect(run.step("review")).toMatchObject({ visit: 2, state: { status: "held" } });
    expect(run.gates("review").map(({ state }) => state.status)).toEqual(["void", "open"]);
  });
});

describe("going back", () => {
  test("[GA5] past an answered gate voids the approval, and the next visit asks again", () => {
    const ship = agent("ship", { on: { rejected: atMost(1, backTo("work")) } });
    const run = new Driver(workflow([agent("work"), review(), ship]));
    run.pass("work");
    const asking = run.answering("review", "approve");
    run.must(asking);
    run.reject("ship", "does not build");
    expect(run.gates("review").map(({ state }) => state.status)).toEqual(["void"]);
    expect(run.refused(asking)).toMatchObject({ code: "answered" });
    run.pass("work");
    expect(run.openGate("review")).toMatchObject({ visit: 2, id: "run-1.2" });
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

describe("work that changes", () => {
  const shown = () => {
    const run = new Driver(workflow([agent("work"), gate("review"), agent("ship")]));
    run.pass("work", { tree: "t1" });
    return run;
  };

  test("[GA4 RU8] an answer for another tree is refused, and the gate shows that tree from then on", () => {
    const run = shown();
    const refusal = run.refused(run.answering("review", "approve", { tree: "t2" }));
    expect(refusal).toMatchObject({ code: "moved", events: [{ type: "gate_shown", gate: "run-1.1", tree: "t2" }] });
    expect(refusal.run).not.toBeNull();
    expect(run.openGate("review")).toMatchObject({ id: "run-1.1", tree: "t2", visit: 1 });
    expect(run.states()).toEqual({ work: "done", review: "held", ship: "waiting" });
    run.answer("review", "approve", { tree: "t2" });
    expect(run.states()).toMatchObject({ review: "done", ship: "ready" });
  });

  test("[GA4] an answer for the tree shown before is refused", () => {
    const run = shown();
    run.refused(run.answering("review", "approve", { tree: "t2" }));
    expect(run.refused(run.answering("review", "approve", { tree: "t1" }))).toMatchObject({ code: "moved" });
    expect(run.openGate("review").tree).toBe("t1");
  });

  test("[GA4] a tree that is gone is shown too: an answer for a later tree is refused", () => {
    const run = shown();
    expect(run.refused(run.answering("review", "approve", { tree: null }))).toMatchObject({ code: "moved" });
    expect(run.refused(run.answering("review", "approve", { tree: "t9" }))).toMatchObject({ code: "moved" });
    expect(run.refused(run.answering("review", "approve", { tree: null }))).toMatchObject({ code: "moved" });
    run.answer("review", "approve", { tree: null });
    expect(run.states()).toMatchObject({ review: "done" });
  });

  test("[GA4] a rejection is also bound to the tree", () => {
    const run = shown();
    expect(run.refused(run.answering("review", "reject", { tree: "t2" }))).toMatchObject({ code: "moved" });
    expect(run.status).toBe("held");
  });

  test("[GA4 GA3] an unknown option shows no new tree", () => {
    const run = shown();
    expect(run.refused(run.answering("review", "maybe", { tree: "t2" }))).toMatchObject({
      code: "illegal",
      events: [],
    });
    expect(run.openGate("review").tree).toBe("t1");
  });

  test("[GA4] a gate without a tree accepts an answer for any tree", () => {
    const run = reviewed();
    expect(run.openGate("review").tree).toBeNull();
    run.answer("review", "approve", { tree: "t5" });
    expect(run.states()).toMatchObject({ review: "done" });
  });

  test("[GA4 CH6 RE1] the same in a story, and the log alone tells what is shown", () => {
    const run = new Driver(workflow([agent("plan"), stories("each", [agent("code"), gate("look")])]));
    run.plan("plan", "US-1");
    run.pass("US-1/code", { tree: "t1" });
    expect(run.refused(run.answering("US-1/look", "approve", { tree: "t2" })).code).toBe("moved");
    expect(run.openGate("US-1/look").tree).toBe("t2");
    run.answer("US-1/look", "approve");
    expect(run.status).toBe("done");
  });
});

describe("deadlines", () => {
  const options = { approve: next, reject: fail("not approved") };
  const timed = (option = "approve") => {
    const run = new Driver(
      workflow([agent("work"), gate("review", options, { afterMs: 60_000, option }), agent("ship")]),
    );
    run.pass("work", { tree: "t1" });
    return run;
  };

  test("[GA12] it is taken at its time, not earlier", () => {
    const run = timed();
    expect(run.openGate("review").deadline).toEqual({ at: run.at + 60_000, option: "approve" });
    run.at += 59_999;
    expect(run.refused(run.expiring("review"))).toMatchObject({ code: "illegal", events: [] });
    expect(run.status).toBe("held");
    run.at += 1;
    run.must(run.expiring("review"), "deadline");
    expect(run.gates("review")[0]?.state).toMatchObject({ status: "answered", option: "approve", by: "deadline" });
    expect(run.states()).toMatchObject({ review: "done", ship: "ready" });
  });

  test("[GA12 GA3] the option that it declares is a route like any other", () => {
    const run = timed("reject");
    run.at += 60_000;
    run.must(run.expiring("review"), "deadline");
    expect(run.run.header.end?.reason).toBe("not approved");
  });

  test("[GA12 GA2] the first of person and deadline answers", () => {
    const person = timed("reject");
    person.at += 60_000;
    const late = person.expiring("review");
    person.answer("review", "approve");
    expect(person.refused(late)).toMatchObject({ code: "answered" });
    const clock = timed("reject");
    clock.at += 60_000;
    const asking = clock.answering("review", "approve");
    clock.must(clock.expiring("review"), "deadline");
    expect(clock.refused(asking)).toMatchObject({ code: "answered", why: expect.stringContaining("by deadline") });
  });

  test("[GA12] a gate without a deadline waits forever", () => {
    const run = reviewed();
    run.at += 1_000_000_000;
    expect(run.refused(run.expiring("review"))).toMatchObject({ code: "illegal" });
    expect(run.status).toBe("held");
  });

  test("[GA12 GA8] a new question has a deadline of its own", () => {
    const later = { ...options, later: again };
    const run = new Driver(workflow([gate("review", later, { afterMs: 1_000, option: "reject" })]));
    run.at += 900;
    run.answer("review", "later");
    run.at += 999;
    expect(run.refused(run.expiring("review"))).toMatchObject({ code: "illegal" });
    run.at += 1;
    run.must(run.expiring("review"));
    expect(run.status).toBe("failed");
  });

  test("[GA12] a gate route may declare one too, also in a story", () => {
    const passed = ask(options, "Good?", { afterMs: 10, option: "approve" });
    const run = new Driver(workflow([agent("plan"), stories("each", [agent("code", { on: { passed } })])]));
    run.plan("plan", "US-1");
    run.pass("US-1/code");
    run.at += 10;
    run.must(run.expiring("US-1/code"));
    expect(run.storyStates()).toEqual({ "US-1": "done" });
  });

  test("[GA12] an unknown option and an unknown gate are refused", () => {
    const run = timed("forget it");
    run.at += 60_000;
    expect(run.refused(run.expiring("review"))).toMatchObject({ code: "illegal" });
    expect(run.refused({ ...run.expiring("review"), gate: gateId("run-1.9") })).toMatchObject({ code: "unknown" });
    expect(run.refused({ ...run.expiring("review"), story: storyId("US-1") })).toMatchObject({ code: "unknown" });
  });
});

describe("nothing gets past an open gate", () => {
  test("[GA13 LC2 X31] a pause and a resume leave it as it was, and the answer still counts", () => {
    const run = reviewed();
    const before = run.openGate("review");
    run.pause();
    run.resume();
    expect(run.openGate("review")).toEqual(before);
    expect(run.states()).toEqual({ work: "done", review: "held", ship: "waiting" });
    run.answer("review", "approve");
    expect(run.states()).toMatchObject({ review: "done", ship: "ready" });
  });

  test("[GA13 LC7 X31] a retry does not answer it", () => {
    const run = reviewed();
    expect(run.retry()).toMatchObject({ accepted: false, code: "illegal" });
    expect(run.retry({ step: "review" })).toMatchObject({ accepted: false });
    expect(run.retry({ step: "ship" })).toMatchObject({ accepted: false });
    expect(run.states()).toEqual({ work: "done", review: "held", ship: "waiting" });
  });

  test("[GA13 LC5] a retry of one story leaves the gate of another open", () => {
    const body = [agent("code", { onError: fail("broken") }), gate("look"), agent("ship")];
    const run = new Driver(
      workflow([agent("plan"), stories("each", body, { concurrency: 2, onStoryFailed: "continue" })]),
    );
    run.plan("plan", "US-1", "US-2");
    run.pass("US-1/code");
    const before = run.openGate("US-1/look");
    run.fails("US-2/code");
    expect(run.retry({ story: "US-2" }).accepted).toBe(true);
    expect(run.openGate("US-1/look")).toEqual(before);
    expect(run.storyStates()).toEqual({ "US-1": "held", "US-2": "running" });
    expect(run.states("US-1")).toEqual({ code: "done", look: "held", ship: "waiting" });
  });

  test("[GA13 CH1 B49] neither the held step nor a later one can be started, finished or named", () => {
    const run = reviewed();
    const done = run.attempts("work")[0];
    for (const step of ["work", "review", "ship"]) expect(run.refused(run.starting(step)).code).toBe("illegal");
    expect(run.refused(run.finishing(done as never, unfinished("failed")))).toMatchObject({ code: "stale" });
    expect(run.states()).toEqual({ work: "done", review: "held", ship: "waiting" });
  });

  test("[GA13 LC6] a retry of a rejected gate asks again; the rejection is not an approval", () => {
    const run = reviewed();
    run.answer("review", "reject");
    run.retry();
    expect(run.states()).toEqual({ work: "done", review: "held", ship: "waiting" });
    expect(run.gates("review").map(({ state }) => state.status)).toEqual(["void", "open"]);
  });

  test("[GA13 LC3] a cancelled run's gate takes no answer", () => {
    const run = reviewed();
    const asking = run.answering("review", "approve");
    run.cancel();
    expect(run.refused(asking)).toMatchObject({ code: "answered" });
    expect(run.status).toBe("cancelled");
  });

  test("[GA13 RE5] of two answers decided on the same state the first one written counts", () => {
    const run = reviewed();
    const [yes, no] = [run.answering("review", "approve"), run.answering("review", "reject")];
    const asked = { at: run.at, author: "user:x" };
    expect(decide(run.run, { ...yes, ...asked }).accepted).toBe(true);
    expect(decide(run.run, { ...no, ...asked }).accepted).toBe(true);
    run.must(no, "user:ann");
    expect(run.refused(yes, "user:bob").code).toBe("answered");
    expect(run.status).toBe("failed");
  });
});

describe("whether a workflow can ask at all", () => {
  const asks = ask({ approve: next, stop: fail() });
  const rule = (then: Parameters<typeof atMost>[2]) => atMost(1, again, then);

  test.each([
    ["a gate step", workflow([gate("g")])],
    ["a route", workflow([agent("a", { on: { passed: asks } })])],
    ["the limit of a route", workflow([agent("a", { on: { rejected: rule(asks) } })])],
    ["a failure", workflow([agent("a", { onError: asks })])],
    ["the limit of failures", workflow([agent("a", { onError: rule(asks) })])],
    ["a step's budget", workflow([decider("a", { yes: next }, { budget: limit(1, asks) })])],
    ["money", workflow([agent("a", { budget: spending({ costUsd: 1 }, asks) })])],
    ["a story's budget", workflow([stories("s", [agent("a")], { storyBudget: limit(1, asks) })])],
    ["a step of a story", workflow([stories("s", [gate("g")])])],
    ["a cap", workflow([agent("a")], { caps: { then: "gate" } })],
  ])("[GA14] %s can", (_, definition) => {
    expect(mayHold(definition)).toBe(true);
  });

  test("[GA14] without any of them no person is ever asked", () => {
    expect(mayHold(featureDev())).toBe(false);
    expect(mayHold(workflow([agent("a", { on: { rejected: rule(fail()) } })]))).toBe(false);
  });
});
