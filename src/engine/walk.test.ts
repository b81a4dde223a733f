// The walk: moving chains forward.

import { describe, expect, test } from "vitest";
import { Driver } from "../../test/support/engine/driver.ts";
import {
  agent,
  atMost,
  backTo,
  decider,
  featureDev,
  gate,
  goTo,
  limit,
  next,
  stories,
  workflow,
} from "../../test/support/engine/workflow.ts";
import type { Event } from "../domain/event.ts";
import { decide } from "./decide.ts";
import { replay } from "./evolve.ts";

test("[CH1 A7 A8] a later step waits until every earlier one is over", () => {
  const run = new Driver(featureDev());
  run.plan("plan", "US-1");
  run.pass("US-1/implement");
  expect(run.states()).toMatchObject({ test: "waiting", pr: "waiting", review: "waiting" });
  run.pass("US-1/verify");
  expect(run.states()).toMatchObject({ test: "ready", pr: "waiting" });
  run.pass("test");
  expect(run.states()).toMatchObject({ pr: "ready", review: "waiting" });
});

test("[CH4] a step that is performed becomes ready, a gate asks, stories open", () => {
  const run = new Driver(workflow([agent("a"), gate("b"), stories("c", [agent("code")])]));
  run.plan("a", "US-1");
  expect(run.states()).toEqual({ a: "done", b: "held", c: "waiting" });
  run.answer("b", "approve");
  expect(run.states()).toEqual({ a: "done", b: "done", c: "running" });
  expect(run.states("US-1")).toEqual({ code: "ready" });
});

test("[CH2] a command without an effect changes nothing, whatever the state of the run", () => {
  const run = new Driver(featureDev());
  const idle = () => {
    const before = run.run;
    expect(run.resume()).toMatchObject({ accepted: true, events: [] });
    expect(run.run).toEqual(before);
  };
  idle();
  run.plan("plan", "US-1");
  idle();
  run.claim("US-1/implement");
  idle();
  run.pass("US-1/implement");
  run.reject("US-1/verify");
  idle();
});

describe("a crash in between", () => {
  const whole = () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1", "US-2");
    run.pass("US-1/implement");
    run.reject("US-1/verify");
    run.pass("US-1/implement");
    run.pass("US-1/verify");
    run.pass("US-2/implement");
    run.pass("US-2/verify");
    run.pass("test");
    return run;
  };

  test("[CH3 B11 antfarm S] the end of a step and the start of the next are one decision", () => {
    const run = new Driver(workflow([agent("a"), agent("b")]));
    expect(run.pass("a").events.map(({ type }) => type)).toEqual([
      "attempt_ended",
      "outputs_set",
      "step_done",
      "step_readied",
    ]);
  });

  test("[CH3 antfarm S] a log that was cut off before the walk is repaired by the next command", () => {
    const { events } = whole();
    const heals = ["step_done", "story_changed", "steps_reset", "step_opened", "story_merged"];
    let healed = 0;
    events.forEach((event, index) => {
      if (!heals.includes(event.type)) return;
      const cut = replay(events.slice(0, index + 1));
      if (!cut) throw new Error("nothing to heal");
      const decision = decide(cut, { type: "resume_run", at: event.at, author: "driver" });
      if (!decision.accepted) throw new Error(decision.why);
      const ready = [decision.run.header, ...Object.values(decision.run.stories)].flatMap(({ chain }) =>
        chain.filter(({ state }) => state.status === "ready" || state.status === "held"),
      );
      expect(ready, `after ${event.type} (${index})`).toHaveLength(1);
      if (decision.events.length > 0) healed += 1;
    });
    expect(healed).toBeGreaterThan(10);
  });
});

test("[CH5] ids and order stay stable, whatever was inserted", () => {
  const check = decider("check", { fix: atMost(3, { to: "insert", steps: [agent("a").name] }), ok: next });
  const run = new Driver(workflow([agent("a"), check, agent("z")]));
  run.pass("a");
  run.say("check", "fix");
  run.pass("a~2");
  run.say("check", "fix");
  run.pass("a~3");
  run.say("check", "ok");
  expect(Object.keys(run.states())).toEqual(["a", "a~2", "a~3", "check", "z"]);
});

test("[CH6] a transition that loads one story decides as if it had loaded all", () => {
  // The test driver compares both for every command of every test; here the stories affect each other.
  const run = new Driver(
    workflow([
      agent("plan"),
      stories("each", [agent("code")], { concurrency: 2, onStoryFailed: "continue", storyBudget: limit(0) }),
    ]),
  );
  run.plan("plan", "US-1", "US-2", "US-3");
  run.claim("US-1/code");
  run.claim("US-2/code");
  run.pass("US-2/code");
  run.reject("US-1/code");
  run.pass("US-3/code");
  expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "done", "US-3": "done" });
  expect(run.status).toBe("failed");
});

describe("edits", () => {
  const run = () => {
    const review = agent("review", { on: { rejected: atMost(2, backTo("plan")), passed: goTo("end") } });
    return new Driver(
      workflow([agent("plan"), stories("each", [agent("code")]), agent("test"), review, agent("x"), agent("end")]),
    );
  };

  test("[ED1 ED2 ED5 B50] a reset: new visits, attempts kept, feedback for the target and the stories step", () => {
    const edited = run();
    edited.plan("plan", "US-1");
    edited.pass("US-1/code");
    edited.pass("test", { outputs: { results: "green" } });
    edited.reject("review", "wrong idea");
    expect(edited.happened("steps_reset")).toMatchObject([
      {
        steps: ["plan", "each", "test", "review"],
        cleared: ["results"],
        keeps: "review",
        feedback: { steps: ["plan", "each"], text: "wrong idea" },
        reason: "review went back to plan",
      },
    ]);
    expect(edited.step("plan")).toMatchObject({ visit: 2, feedback: "wrong idea" });
    expect(edited.step("test")).toMatchObject({ visit: 2, feedback: "" });
    expect(edited.attempts("test")).toHaveLength(1);
  });

  test("[ED3 ED5] a skip names the steps and the reason", () => {
    const edited = run();
    edited.plan("plan", "US-1");
    edited.pass("US-1/code");
    edited.pass("test");
    edited.pass("review");
    expect(edited.happened("steps_skipped")).toMatchObject([
      { steps: ["x"], by: "route", reason: "review jumped ahead to end" },
    ]);
  });

  test("[ED4 RT12] an inserted step is in its first visit and gets the feedback", () => {
    const check = decider("check", { fix: atMost(1, { to: "insert", steps: [agent("a").name] }) });
    const edited = new Driver(workflow([agent("a"), check]));
    edited.pass("a", { outputs: { changes: "one" } });
    edited.say("check", "fix", { feedback: "a gap" });
    expect(edited.step("a~2")).toMatchObject({ name: "a", visit: 1, produced: [], feedback: "a gap" });
    expect(edited.step("check")).toMatchObject({ visit: 2, feedback: "a gap" });
  });
});

describe("status", () => {
  test("[RU5 X4] running while a step runs, is ready or waits for a time; held while a person is asked", () => {
    const run = new Driver(workflow([agent("a"), gate("b")]));
    expect(run.status).toBe("running");
    run.claim("a");
    expect(run.status).toBe("running");
    run.pass("a");
    expect(run.status).toBe("held");
    run.pause();
    expect(run.status).toBe("paused");
    run.answer("b", "approve");
    expect(run.status).toBe("done");
  });
});

test("[RU8] a refused command neither loses nor adds events", () => {
  const run = new Driver(workflow([agent("a")]));
  const before: readonly Event[] = [...run.events];
  run.refused(run.starting("nothing"));
  run.refused({ type: "retry_run", story: null, step: null });
  expect(run.events).toEqual(before);
});
