// Messages: notifications for people.

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
  gate,
  limit,
  next,
  spending,
  stories,
  workflow,
} from "../../test/support/engine/workflow.ts";
import { laneOf, type Message } from "../domain/effect.ts";

const kinds = (messages: readonly Message[]) => messages.map(({ kind }) => kind);

describe("a person is needed", () => {
  test("[ME1 X26] each question is sent once, with its text and its step", () => {
    const run = new Driver(workflow([agent("work"), gate("review"), gate("again")]));
    run.pass("work");
    const asked = {
      id: "run-1.1",
      cause: "step",
      options: ["approve", "reject"],
      feedback: "",
      tree: null,
      deadline: null,
    };
    const message = { gate: asked, kind: "needs_you", story: null, step: "review", text: "review?", at: run.at };
    expect(run.messages()).toEqual([message]);
    run.answer("review", "approve");
    expect(run.messages("needs_you").map(({ text }) => text)).toEqual(["review?", "again?"]);
  });

  test("[ME1 GA5 GA8] a question that is asked again is sent again", () => {
    const run = new Driver(workflow([agent("work"), gate("review", { approve: next, later: again })]));
    run.pass("work");
    run.answer("review", "later");
    expect(run.messages("needs_you")).toHaveLength(2);
  });

  test("[ME1 GA4] work that changed is shown in the refused answer, and no message is sent", () => {
    const run = new Driver(workflow([agent("work"), gate("review")]));
    run.pass("work", { tree: "t1" });
    run.refused(run.answering("review", "approve", { tree: "t2" }));
    expect(run.messages("needs_you")).toHaveLength(1);
  });

  test("[ME1] the message of a story names the story", () => {
    const run = new Driver(workflow([agent("plan"), stories("each", [gate("look")])]));
    run.plan("plan", "US-1");
    expect(run.messages("needs_you")).toMatchObject([{ story: "US-1", step: "look", text: "look?" }]);
  });
});

describe("a step is stuck", () => {
  const stuck = (then: Parameters<typeof limit>[1]) => {
    const review = decider("review", { ok: next, fix: backTo("work") }, { budget: limit(1, then) });
    const run = new Driver(workflow([agent("work"), review, agent("ship")]));
    for (let round = 0; round < 2; round += 1) {
      expect(run.messages("stuck")).toEqual([]);
      run.pass("work");
      run.say("review", "fix");
    }
    return run;
  };

  test.each([
    ["fails", fail("")],
    ["asks", ask({ continue: backTo("work"), stop: fail() })],
    ["continues", next],
  ] as const)("[ME2 LI10 B53 B75] a reached limit is sent once and by name, if the step then %s", (_, then) => {
    const run = stuck(then);
    const text = "review: all routes back together: limit of 1 reached";
    expect(run.messages("stuck")).toEqual([{ kind: "stuck", story: null, step: "review", text, at: run.at }]);
  });

  test("[ME2 ME6] first the limit, then its consequence", () => {
    expect(kinds(stuck(ask({ continue: backTo("work"), stop: fail() })).messages())).toEqual(["stuck", "needs_you"]);
    expect(kinds(stuck(fail("")).messages())).toEqual(["stuck", "run_failed"]);
  });

  test("[ME2 B75] an exhausted limit of failures is sent too", () => {
    const run = new Driver(workflow([agent("work", { onError: atMost(1, again, fail("")) })]));
    run.fails("work");
    run.fails("work");
    expect(run.messages("stuck")).toMatchObject([{ text: "work: failure: limit of 1 reached" }]);
  });
});

describe("a budget is spent", () => {
  test("[ME3 LI8 X37] a cap is reported when an attempt would have started, not earlier", () => {
    const run = new Driver(workflow([agent("a"), agent("b")], { caps: { costUsd: 1 } }));
    run.pass("a", { usage: { costUsd: 1, inputTokens: 0, outputTokens: 0 } });
    expect(run.messages()).toEqual([]);
    run.must(run.starting("b"));
    expect(kinds(run.messages())).toEqual(["budget", "run_failed"]);
    expect(run.messages("budget")).toMatchObject([{ step: "b", text: "the run has spent its 1 USD" }]);
  });

  test("[ME3 ME1 LI11] if it asks, the question is sent too", () => {
    const run = new Driver(workflow([agent("a")], { caps: { attempts: 0, then: "gate" } }));
    run.must(run.starting("a"));
    expect(kinds(run.messages())).toEqual(["budget", "needs_you"]);
  });

  test("[ME3 LI12] the message of a step's budget names the step", () => {
    const budget = spending({ tokens: 10 }, next);
    const run = new Driver(workflow([agent("a", { on: { rejected: atMost(9, again) }, budget }), agent("b")]));
    run.reject("a", "no", null, { usage: { costUsd: 0, inputTokens: 9, outputTokens: 1 } });
    run.must(run.starting("a"));
    expect(run.messages()).toMatchObject([{ kind: "budget", text: "a: its budget of 10 tokens is spent" }]);
  });
});

describe("something ended", () => {
  test("[ME4 ME5 X26] the end of each story and of the run is sent once, in order", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1", "US-2");
    for (const place of ["US-1/implement", "US-1/verify", "US-2/implement", "US-2/verify", "test", "pr"])
      run.pass(place);
    run.say("review", "approved");
    expect(kinds(run.messages())).toEqual(["story_done", "story_done", "run_done"]);
    expect(run.messages("story_done")[0]).toMatchObject({ story: "US-1", text: "US-1 is done: US-1" });
  });

  test("[ME5 B75] a run that fails says why, once for each time", () => {
    const run = new Driver(workflow([agent("a", { onError: fail("broken") })]));
    run.fails("a", "exit 3");
    expect(run.messages()).toMatchObject([{ kind: "run_failed", text: "The run failed: broken: exit 3" }]);
    run.retry();
    run.fails("a", "exit 4");
    expect(run.messages("run_failed")).toHaveLength(2);
    run.retry();
    run.pass("a");
    expect(kinds(run.messages()).at(-1)).toBe("run_done");
  });

  test("[ME4 ST8] a failed story is not reported as done", () => {
    const run = new Driver(featureDev({ maxRetries: 1 }));
    run.plan("plan", "US-1");
    run.fails("US-1/implement");
    expect(kinds(run.messages())).toEqual(["stuck", "run_failed"]);
  });

  test("[ME5 LC3] a cancelled run sends no message, since a person asked for it", () => {
    const run = new Driver(workflow([agent("a")]));
    run.claim("a");
    run.cancel();
    expect(run.messages()).toEqual([]);
  });

  test("[ME5] the end of a run without steps is sent too", () => {
    expect(kinds(new Driver(workflow([])).messages())).toEqual(["run_done"]);
  });
});

describe("messages are effects", () => {
  test("[ME6 RU7] of the decision that they report, in a lane of their own", () => {
    const run = new Driver(workflow([agent("a"), gate("g")]));
    const { effects } = run.pass("a");
    expect(effects).toMatchObject([{ type: "notify", run: "run-1", message: { at: run.at } }]);
    const close = run.answer("g", "approve").effects;
    const lanes = [...effects, ...close].map(laneOf);
    expect(lanes).toEqual(["notify:run-1", "notify:run-1", "run:run-1"]);
  });

  test("[ME6] one receiver does not wait for another", () => {
    const message: Message = { kind: "stuck", story: null, step: null, text: "", at: 0 };
    const to = (target: string) => laneOf({ type: "deliver", run: "run-1" as never, target, message, id: "1" });
    expect(to("one")).not.toBe(to("two"));
  });

  test("[ME6 RU8] a refusal, a pause and a lost attempt send no message", () => {
    const run = new Driver(workflow([agent("a"), gate("g")]));
    run.refused(run.starting("g"));
    run.pause();
    run.resume();
    run.lose("a");
    run.finish("a", unfinished("rate_limited"));
    expect(run.messages()).toEqual([]);
  });
});
