// Notes of people: they reach the next attempt, and stay until one that had them completes.

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
  gate,
  integrate,
  next,
  stories,
  withParts,
  workflow,
} from "../../test/support/engine/workflow.ts";
import { noteId, storyId } from "../domain/ids.ts";

const twoStories = () => {
  const run = new Driver(
    workflow([agent("plan"), stories("each", [agent("code"), agent("check")], { concurrency: 2 })]),
  );
  run.plan("plan", "A", "B");
  return run;
};

describe("delivery", () => {
  test("[PN1] a note on a run goes to the next attempt anywhere in it, and to no other", () => {
    const run = twoStories();
    run.note("use tabs");
    run.claim("B/code");
    run.claim("A/code");
    expect([run.notes("A/code"), run.notes("B/code")]).toEqual([[], ["use tabs"]]);
  });

  test("[PN1] a note on a story goes to that story's next attempt, also before the story has begun", () => {
    const run = new Driver(workflow([stories("each", [agent("code")])]), { stories: ["A", "B"] });
    run.note("mind the cache", "B");
    run.claim("A/code");
    expect(run.notes("A/code")).toEqual([]);
    run.pass("A/code");
    run.claim("B/code");
    expect(run.notes("B/code")).toEqual(["mind the cache"]);
  });

  test("[PN1] a step that no agent performs gets none", () => {
    const run = new Driver(workflow([{ ...integrate("build") }, agent("work")]));
    run.note("be quick");
    run.claim("build");
    expect(run.notes("build")).toEqual([]);
    run.pass("build");
    run.claim("work");
    expect(run.notes("work")).toEqual(["be quick"]);
  });

  test("[PN2] it stays until an attempt that had it completes, and then it is gone", () => {
    const run = new Driver(workflow([agent("work", { onError: atMost(9, again) }), agent("ship")]));
    run.note("use tabs");
    for (const outcome of ["lost", "failed", "timed_out", "rate_limited", "invalid_output"] as const) {
      run.claim("work");
      expect(run.notes("work")).toEqual(["use tabs"]);
      run.finish("work", unfinished(outcome));
    }
    run.claim("work");
    run.note("and spaces");
    expect(run.notes("work")).toEqual(["use tabs"]);
    run.pass("work");
    run.claim("ship");
    expect(run.notes("ship")).toEqual(["and spaces"]);
    run.pass("ship");
    expect(run.run.header.notes).toEqual([]);
  });

  test("[PN2] an agent that asks a person has not used it up", () => {
    const run = new Driver(workflow([agent("work")]));
    run.note("use tabs");
    run.finish("work", unfinished("failed", "", { asked: { question: "Which?", options: ["left", "right"] } }));
    run.answer("work", "left");
    run.claim("work");
    expect(run.notes("work")).toEqual(["use tabs", "You asked: Which?\nThe answer: left"]);
  });

  test("[PN3] a note that no attempt would read is refused, in words", () => {
    const run = twoStories();
    const add = { type: "add_note", note: noteId("n"), text: "x" } as const;
    expect(run.refused({ ...add, of: storyId("C") })).toMatchObject({ code: "unknown", why: "the run has no story C" });
    for (const step of ["A/code", "A/check"]) run.pass(step);
    expect(run.refused({ ...add, of: storyId("A") }).why).toContain("story A is done");
    run.must({ type: "cancel_run", reason: "" });
    expect(run.refused({ ...add, of: null }).why).toContain("the run is cancelled");
  });

  test("[PN3] a failed run takes one: its retry reads it", () => {
    const run = new Driver(workflow([agent("work", { onError: { route: fail("no"), limit: null } })]));
    run.fails("work");
    run.note("the server is up again");
    run.must({ type: "retry_run", story: null, step: null });
    run.claim("work");
    expect(run.notes("work")).toEqual(["the server is up again"]);
  });
});

describe("to a running agent", () => {
  const atWork = () => {
    const run = twoStories();
    for (const place of ["A/code", "B/code"]) {
      run.claim(place);
      run.begin(place);
    }
    return run;
  };
  const texts = (run: Driver) => run.run.header.notes.map(({ text }) => text);

  test("[PN5] it is told by the process that performs the attempt, and then has the note like one of its prompt", () => {
    const run = atWork();
    const note = run.tell("A/code", "use tabs");
    expect(run.effects.at(-1)).toMatchObject({ type: "tell_attempt", note, text: "use tabs" });
    expect(run.notes("A/code")).toEqual([]);
    expect(run.settleNote("A/code", note, null).accepted).toBe(true);
    expect([run.notes("A/code"), run.notes("B/code")]).toEqual([["use tabs"], []]);
    run.pass("A/code");
    run.claim("A/check");
    expect([run.notes("A/check"), texts(run)]).toEqual([[], []]);
  });

  test("[PN5 PN2] one that was told and then lost gives the note to the next attempt", () => {
    const run = atWork();
    run.settleNote("A/code", run.tell("A/code", "use tabs"), null);
    run.lose("A/code");
    run.claim("A/code");
    expect(run.notes("A/code")).toEqual(["use tabs"]);
  });

  test("[PN5] one that cannot be told leaves nothing; no other attempt gets it meanwhile", () => {
    const run = atWork();
    const note = run.tell("A/code", "use tabs");
    run.pass("B/code");
    run.claim("B/check");
    expect(run.notes("B/check")).toEqual([]);
    run.settleNote("A/code", note, "it takes no messages");
    expect(texts(run)).toEqual([]);
    expect(run.happened("note_withdrawn")).toMatchObject([{ note, why: "it takes no messages" }]);
    expect(run.settleNote("A/code", note, null)).toMatchObject({ accepted: false, code: "stale" });
  });

  test("[PN5] one that ends before it was told leaves the note to the next attempt, however it ended", () => {
    const run = atWork();
    run.tell("A/code", "use tabs");
    run.pass("A/code");
    run.claim("A/check");
    expect(run.notes("A/check")).toEqual(["use tabs"]);
  });

  test("[PN5] an attempt that has not begun, is being stopped, has ended or is pulled is refused, in words", () => {
    const run = twoStories();
    const running = run.claim("A/code");
    const { id: attempt, story } = running;
    const tell = { type: "tell_attempt", story, attempt, note: noteId("n"), of: story, text: "x" } as const;
    expect(run.refused(tell).why).toBe("code has not begun yet");
    run.begin("A/code");
    run.must({ type: "stop_attempt", story, attempt, reason: "no" });
    expect(run.refused(tell).why).toBe("code is being stopped");
    run.must(run.finishing(running, unfinished("cancelled"), null));
    expect(run.refused(tell)).toMatchObject({ code: "stale" });
    const pulled = run.claim("B/code", "pull");
    run.begin("B/code");
    expect(run.refused({ ...tell, story: pulled.story, attempt: pulled.id }).why).toContain("an agent that pulls");
  });
});

describe("at a step with parts", () => {
  const parts = (how: Parameters<typeof withParts>[2] = {}) => {
    const step = withParts(agent("review", { onError: atMost(1, again) }), ["security", "speed", "style"], how);
    const run = new Driver(workflow([step, agent("ship")]));
    run.note("mind the cache");
    return run;
  };
  const texts = (run: Driver) => run.run.header.notes.map(({ text }) => text);

  test("[PN6] a note is for all parts: each has it until an attempt of that part completes, and then it is gone", () => {
    const run = parts();
    for (const name of ["security", "speed", "style"]) run.claim(`review#${name}`);
    for (const name of ["security", "speed", "style"]) expect(run.notes(`review#${name}`)).toEqual(["mind the cache"]);
    run.pass("review#security");
    run.fails("review#speed");
    run.reject("review#style", "no");
    run.claim("review#speed");
    expect(run.notes("review#speed")).toEqual(["mind the cache"]);
    run.pass("review#speed");
    expect(texts(run)).toEqual([]);
  });

  test("[PN6] a part that is at work has it in its next attempt; no other step gets it meanwhile", () => {
    const step = withParts(agent("review", { onError: atMost(1, again) }), ["speed", "style"]);
    const run = new Driver(workflow([stories("each", [step], { concurrency: 2 })]), { stories: ["A", "B"] });
    run.claim("A/review#speed");
    run.note("mind the cache");
    run.claim("A/review#style");
    expect(run.notes("A/review#speed")).toEqual([]);
    run.claim("B/review#speed");
    expect(run.notes("B/review#speed")).toEqual([]);
    run.fails("A/review#speed");
    run.claim("A/review#speed");
    expect(run.notes("A/review#speed")).toEqual(["mind the cache"]);
  });

  test("[PN6] what no part has read goes to the next attempt; what one has read does not", () => {
    const run = parts({ need: 1 });
    for (const name of ["security", "speed", "style"]) for (const _ of [1, 2]) run.fails(`review#${name}`);
    expect(texts(run)).toEqual(["mind the cache"]);
    run.must({ type: "retry_run", story: null, step: null });
    run.claim("review#style");
    expect(run.notes("review#style")).toEqual(["mind the cache"]);
    run.pass("review#style");
    for (const name of ["security", "speed"]) for (const _ of [1, 2]) run.fails(`review#${name}`);
    expect([run.state("review"), texts(run)]).toEqual(["done", []]);
  });

  test("[PN6] a part that is stopped because the others have decided needs it no more", () => {
    const run = parts({ need: 1, others: "stop" });
    run.claim("review#security");
    run.pass("review#security");
    expect([run.state("ship"), texts(run)]).toEqual(["ready", []]);
  });
});

test("[AT17] facts are recorded however an attempt ended, and reach neither the context nor a decision", () => {
  const facts = { outputs: { score: "3" }, files: ["a.ts"] };
  const run = new Driver(workflow([agent("work", { on: { rejected: atMost(2, again) } })]));
  run.reject("work", "no", null, { facts });
  run.finish("work", unfinished("failed", "no", { facts }));
  run.finish("work", unfinished("lost", "no", { facts }));
  run.pass("work", { facts });
  expect(run.happened("attempt_ended").map((event) => event.facts)).toEqual([facts, facts, facts, facts]);
  expect(run.run.header.context).toEqual({});
  expect(JSON.stringify(run.run.header.attempts)).not.toContain("a.ts");
});

describe("at a gate", () => {
  const asking = () => {
    const run = new Driver(
      workflow([
        agent("work"),
        gate("review", { approve: next, back: backTo("work"), stop: fail("no") }),
        agent("ship"),
      ]),
    );
    run.pass("work");
    return run;
  };

  test("[PN4 GA6] what a person says with an approval reaches the step behind the gate", () => {
    const run = asking();
    run.answer("review", "approve", { note: "but rename it" });
    run.claim("ship");
    expect(run.notes("ship")).toEqual(["but rename it"]);
  });

  test("[PN4 GA6] what a person says when the work is sent back survives an attempt that fails", () => {
    const run = asking();
    run.answer("review", "back", { note: "no globals", reason: "style" });
    expect(run.step("work").feedback).toBe("style\n\nno globals");
    run.fails("work");
    run.claim("work");
    expect(run.notes("work")).toEqual(["style\n\nno globals"]);
  });

  test("[PN4] what a person says to end the run is for nobody", () => {
    const run = asking();
    run.answer("review", "stop", { note: "never" });
    expect(run.run.header.notes).toEqual([]);
  });

  test("[GA15] what a person decides in the place of a step is the value of its deciding key", () => {
    const options = { ship: next, rework: backTo("work"), again };
    const judge = decider("judge", { good: next, unsure: ask(options) }, { decide: "verdict" });
    const run = new Driver(workflow([agent("work"), judge, agent("ship")]));
    const context = () => run.run.header.context;
    run.pass("work");
    run.say("judge", "unsure", { outputs: { verdict: "unsure", score: "3" } });
    run.answer("judge", "rework");
    expect(context()).toMatchObject({ verdict: "rework", score: "3" });
    run.pass("work");
    run.say("judge", "unsure", { outputs: { verdict: "unsure" } });
    run.answer("judge", "again");
    expect(context()["verdict"]).toBe("unsure");
    run.say("judge", "unsure", { outputs: { verdict: "unsure" } });
    run.answer("judge", "ship");
    expect(context()).toMatchObject({ verdict: "ship" });
    expect(run.step("judge").produced).toEqual(["verdict"]);
  });

  test("[GA16] a gate shows what the step before it said, and its question has the values of the run", () => {
    const asks = { ...gate("review"), question: "Approve {{plan}} for {{task}}{{nothing}}?" };
    const run = new Driver(workflow([agent("work"), asks, agent("ship")]));
    run.pass("work", { outputs: { plan: "a plan with {{task}}" } });
    const shown = run.openGate("review");
    expect(shown).toMatchObject({
      question: "Approve a plan with {{task}} for the task[missing: nothing]?",
      said: "PLAN: a plan with {{task}}",
      feedback: "",
    });
    expect(run.messages("needs_you")[0]).toMatchObject({
      text: shown.question,
      gate: { id: shown.id, cause: "step", options: ["approve", "reject"], feedback: shown.said, deadline: null },
    });
    const summed = new Driver(workflow([agent("work"), gate("review")]));
    summed.pass("work", { summary: "I did it" });
    expect(summed.openGate("review").said).toBe("I did it");
  });

  test("[GA16] a gate behind stories shows how many are done, and which", () => {
    const each = stories("each", [agent("code")]);
    const run = new Driver(workflow([each, gate("review")]), { stories: ["A", "B"] });
    run.pass("A/code");
    run.pass("B/code");
    expect(run.openGate("review").said).toMatch(/^2 of 2 stories done:\n- A: .+\n- B: /);
  });

  test("[GA16] a gate that asks again, or that work is sent to, shows why", () => {
    const run = new Driver(workflow([agent("work"), gate("review", { approve: next, again }), agent("ship")]));
    run.pass("work");
    run.answer("review", "again", { note: "I need a day" });
    expect(run.openGate("review").feedback).toBe("I need a day");
  });
});
