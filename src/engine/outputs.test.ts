// Outputs: which keys reach the context, and how long they stay there.

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
  limit,
  next,
  stories,
  storySpec,
  workflow,
} from "../../test/support/engine/workflow.ts";
import { storyId } from "../domain/ids.ts";
import { contextOf } from "../domain/run.ts";
import { replay } from "./evolve.ts";
import { isSafeBranch } from "./outputs.ts";

describe("accepting", () => {
  test("[OU1 A33 B3] the outputs of a step are in the context of the next", () => {
    const run = new Driver(workflow([agent("a"), agent("b")], { context: { base: "main" } }));
    run.pass("a", { outputs: { changes: "one file" } });
    expect(run.context()).toEqual({ base: "main", changes: "one file" });
  });

  test("[OU2] an attempt that did not complete sets nothing", () => {
    const run = new Driver(workflow([agent("a")]));
    run.pass("a", { outputs: {} });
    const failed = new Driver(workflow([agent("a")]));
    failed.finish("a", { ...unfinished("failed"), outputs: { changes: "half" } } as never);
    expect(failed.context()).toEqual({});
  });

  test("[OU2] nor does one whose step runs again", () => {
    const run = new Driver(workflow([agent("a", { on: { rejected: atMost(1, again) } })]));
    run.reject("a", "red", null, { outputs: { changes: "half" } });
    expect(run.context()).toEqual({});
  });

  test("[OU3 RU3 antfarm M] an agent cannot set TASK and REPO", () => {
    const run = new Driver(workflow([agent("a"), agent("b")]));
    run.pass("a", { outputs: { task: "something else", repo: "/etc", run_id: "9", changes: "one" } });
    expect(run.run.header.task).toBe("the task");
    expect(run.context()).toEqual({ changes: "one" });
    expect(run.happened("attempt_ended")[0]?.notes).toEqual([
      "TASK was ignored: only Pawl sets it",
      "REPO was ignored: only Pawl sets it",
      "RUN_ID was ignored: only Pawl sets it",
    ]);
  });

  test("[OU3 RU3] nor keys that the caller gave", () => {
    const run = new Driver(workflow([agent("a")]), { context: { ticket: "42" } });
    run.pass("a", { outputs: { ticket: "43" } });
    expect(run.context()).toEqual({ ticket: "42" });
  });

  test("[OU4 X10] with produces only its keys and the deciding one are accepted", () => {
    const review = decider("review", { ok: next }, { produces: ["notes"] });
    const run = new Driver(workflow([review]));
    run.say("review", "ok", { outputs: { decision: "ok", notes: "fine", mood: "good" } });
    expect(run.context()).toEqual({ decision: "ok", notes: "fine" });
    expect(run.happened("attempt_ended")[0]?.notes).toEqual([
      'MOOD was ignored: the step "review" does not declare it in produces',
    ]);
  });
});

describe("going back", () => {
  const loop = () =>
    new Driver(
      workflow([
        agent("plan"),
        agent("work"),
        decider("review", { approved: next, fix: backTo("work"), redo: backTo("plan") }, { budget: limit(5) }),
        agent("ship"),
      ]),
    );

  test("[OU6 B51] it clears the outputs of the reset steps, and keeps those of the routing step and of earlier ones", () => {
    const run = loop();
    run.pass("plan", { outputs: { idea: "a tree" } });
    run.pass("work", { outputs: { changes: "one", hint: "old" } });
    run.say("review", "fix", { outputs: { decision: "fix", issues: "no tests" } });
    expect(run.context()).toEqual({ idea: "a tree", decision: "fix", issues: "no tests" });
    expect(run.happened("steps_reset")[0]).toMatchObject({ cleared: ["changes", "hint"], keeps: "review" });
  });

  test("[OU5 OU6 B63] when the routing step ends again its whole set is replaced", () => {
    const run = loop();
    run.pass("plan");
    run.pass("work");
    run.say("review", "fix", { outputs: { decision: "fix", issues: "no tests" } });
    run.pass("work", { outputs: { changes: "two" } });
    run.say("review", "approved", { outputs: { decision: "approved", notes: "good" } });
    expect(run.context()).toEqual({ changes: "two", decision: "approved", notes: "good" });
  });

  test("[OU6] going further back later clears the outputs of the first routing step", () => {
    const verify = agent("verify", { on: { rejected: atMost(1, backTo("work")) } });
    const review = agent("review", { on: { rejected: atMost(1, backTo("work")) } });
    const run = new Driver(workflow([agent("work"), verify, review]));
    run.pass("work");
    run.reject("verify", "x", null, { outputs: { issues: "red" } });
    run.pass("work");
    run.pass("verify", { outputs: { verified: "yes" } });
    expect(run.context()).toEqual({ verified: "yes" });
    run.reject("review", "y", null, { outputs: { findings: "two" } });
    expect(run.context()).toEqual({ findings: "two" });
  });

  test("[OU6] a reset step no longer clears keys that it had set", () => {
    const check = agent("check", { on: { rejected: atMost(1, backTo("a")) } });
    const run = new Driver(workflow([agent("a"), agent("b"), check]));
    run.pass("a");
    run.pass("b", { outputs: { notes: "of b" } });
    run.reject("check");
    run.pass("a", { outputs: { notes: "of a" } });
    run.pass("b");
    expect(run.context()).toEqual({ notes: "of a" });
  });

  test("[OU5] a step that a person repeats replaces its outputs", () => {
    const work = agent("work", { on: { rejected: atMost(0, again, ask({ retry: again, stop: fail() })) } });
    const run = new Driver(workflow([work]));
    run.reject("work", "x", null, { outputs: { issues: "red" } });
    expect(run.context()).toEqual({ issues: "red" });
    run.answer("work", "retry");
    run.pass("work", { outputs: { changes: "one" } });
    expect(run.context()).toEqual({ changes: "one" });
  });
});

describe("the branch", () => {
  test("[OU7] a step sets it once, to a usable name", () => {
    const run = new Driver(workflow([agent("a"), agent("b"), agent("c")]));
    run.pass("a", { outputs: { branch: "../../etc" } });
    expect(run.context()).toEqual({});
    run.pass("b", { outputs: { branch: "feature/x" } });
    run.pass("c", { outputs: { branch: "other" } });
    expect(run.context()).toEqual({ branch: "feature/x" });
  });

  test("[OU7] a branch that the caller gave stays", () => {
    const run = new Driver(workflow([agent("a")]), { branch: "pawl/run-1" });
    run.pass("a", { outputs: { branch: "other" } });
    expect(run.context()).toEqual({ branch: "pawl/run-1" });
  });

  test("[OU7] it stays when its step runs again, whether the step names it, another one or none", () => {
    for (const outputs of [{ branch: "feature/x" }, { branch: "other" }, {}]) {
      const check = agent("check", { on: { rejected: atMost(1, backTo("setup")) } });
      const run = new Driver(workflow([agent("setup"), check]));
      run.pass("setup", { outputs: { branch: "feature/x", tests: "npm test" } });
      run.reject("check");
      expect(run.context()).toEqual({ branch: "feature/x" });
      run.pass("setup", { outputs });
      expect(run.context()).toEqual({ branch: "feature/x" });
    }
  });

  test("[OU7 LC5] it stays when its step had failed and is retried", () => {
    const run = new Driver(workflow([agent("setup"), agent("work")]));
    run.reject("setup", "no tests", null, { outputs: { branch: "feature/x", issues: "none" } });
    run.retry();
    run.pass("setup", { outputs: { branch: "feature/y" } });
    expect(run.context()).toEqual({ branch: "feature/x" });
  });

  test.each([
    ["feature/x", true],
    ["US-1", true],
    ["a..b", false],
    ["a//b", false],
    ["a.lock", false],
    ["a.lock/b", false],
    ["a/", false],
    ["a.", false],
    ["-x", false],
    ["a b", false],
    ["", false],
    [`a${"b".repeat(120)}`, false],
  ])("[OU7] %j as a branch: %s", (name, usable) => {
    expect(isSafeBranch(name)).toBe(usable);
  });
});

test("[OU8 A37] the verifier sees the outputs of its story's developer, and no other story does", () => {
  const run = new Driver(featureDev());
  run.plan("plan", "US-1", "US-2");
  run.pass("US-1/implement", { outputs: { changes: "one" } });
  expect(run.context("US-1")).toEqual({ changes: "one" });
  run.reject("US-1/verify", "x", null, { outputs: { issues: "red" } });
  expect(run.context("US-1")).toEqual({ issues: "red" });
  run.pass("US-1/implement", { outputs: { changes: "two" } });
  run.pass("US-1/verify");
  expect(run.context()).toEqual({ changes: "two" });
  expect(run.context("US-2")).toEqual({});
});

describe("outputs of several stories", () => {
  const start = (...ids: string[]) => {
    const review = agent("review", { on: { rejected: atMost(2, backTo("each")) } });
    const run = new Driver(workflow([agent("plan"), stories("each", [agent("code")]), agent("sum"), review]));
    run.plan("plan", ...ids);
    return run;
  };
  const say = (run: Driver, story: string, outputs: Record<string, string>) => run.pass(`${story}/code`, { outputs });

  test("[OU10] different values are collected, a line for each story; one value, or the same one, stays as it is", () => {
    const run = start("US-1", "US-2", "US-3");
    say(run, "US-1", { verdict: "good", cmd: "npm test", pr: "1" });
    say(run, "US-2", { verdict: "bad\nvery", cmd: "npm test" });
    say(run, "US-3", { verdict: "good", cmd: "make" });
    expect(run.context()).toEqual({
      verdict: "US-1: good\nUS-2: bad\n  very\nUS-3: good",
      cmd: "US-1 and 1 more: npm test\nUS-3: make",
      pr: "1",
    });
  });

  test("[OU10] a story that is added later adds its line; what a step of the run says replaces them all", () => {
    const run = start("US-1", "US-2");
    say(run, "US-1", { verdict: "a" });
    say(run, "US-2", { verdict: "b" });
    run.pass("sum");
    run.reject("review", "no");
    say(run, "FIX-1", { verdict: "c" });
    expect(run.context()["verdict"]).toBe("US-1: a\nUS-2: b\nFIX-1: c");
    run.pass("sum", { outputs: { verdict: "all good" } });
    expect(run.context()["verdict"]).toBe("all good");
    run.reject("review", "no");
    say(run, "FIX-2", { verdict: "d" });
    expect(run.context()["verdict"]).toBe("d");
  });

  test("[OU8 OU10] a story reads the run's own value and its own, never those of other stories", () => {
    const run = new Driver(workflow([agent("plan"), stories("each", [agent("code")])]));
    run.pass("plan", { outputs: { cmd: "npm test" }, stories: [storySpec("US-1"), storySpec("US-2")] });
    say(run, "US-1", { cmd: "make", verdict: "good" });
    expect(run.context()).toEqual({ cmd: "make", verdict: "good" });
    expect(contextOf(run.run, storyId("US-2"))).toEqual({ cmd: "npm test" });
    expect(contextOf(run.run, null)).toEqual({ cmd: "make", verdict: "good" });
  });

  test("[OU10] what is collected has a limit, and says that there is more", () => {
    const ids = Array.from({ length: 40 }, (_, index) => `US-${index + 1}`);
    const run = start(...ids);
    for (const id of ids) say(run, id, { log: `${id} ${"x".repeat(1_000)}` });
    expect(run.context()["log"]?.length).toBeLessThan(17_000);
    expect(run.context()["log"]).toMatch(/^US-1: US-1 x+\nUS-2: [^]*… \(more stories set it\)$/);
  });

  test("[OU10 RE1] an event of an older run, without what it collects, is the last story's value", () => {
    const run = start("US-1", "US-2");
    say(run, "US-1", { verdict: "a" });
    say(run, "US-2", { verdict: "b" });
    const older = run.events.map((event) => {
      if (event.type !== "story_merged") return event;
      const { collected: _, ...rest } = event;
      return { ...rest, set: { verdict: rest.of === "US-1" ? "a" : "b" } };
    });
    expect(replay(older)?.header).toMatchObject({
      context: { verdict: "b" },
      collected: { verdict: { story: "US-2", same: 1 } },
    });
  });
});

describe("notes", () => {
  const back = () => {
    const check = agent("check", {
      summary: true,
      on: { rejected: atMost(2, backTo("b")), "rejected:once": atMost(1, again) },
    });
    const run = new Driver(workflow([agent("a", { summary: true }), agent("b", { summary: true }), check]));
    run.pass("a", { summary: "found two files" });
    run.pass("b", { summary: "changed one" });
    return run;
  };

  test("[OU9 C4] the summary of a step becomes its notes, beside its keys", () => {
    const run = back();
    expect(run.step("a").notes).toBe("found two files");
    expect(run.step("b").notes).toBe("changed one");
    expect(run.step("check").notes).toBeUndefined();
    expect(run.context()).toEqual({});
  });

  test("[OU9] going back clears the notes of reset steps; the others stay", () => {
    const run = back();
    run.reject("check", "not enough", null, { summary: "it is red" });
    expect(run.step("a").notes).toBe("found two files");
    expect(run.step("b").notes).toBeUndefined();
    expect(run.step("check").notes).toBeUndefined();
    run.pass("b", { summary: "changed both" });
    expect(run.step("b").notes).toBe("changed both");
  });

  test("[OU9 OU2] a step that runs again has none, nor has one without a summary", () => {
    const run = back();
    run.reject("check", "unsure", "once", { summary: "half" });
    expect(run.step("check").notes).toBeUndefined();
    run.pass("check");
    expect(run.step("check").notes).toBeUndefined();
  });

  test("[OU9 LC5] a retry clears those of the failed step", () => {
    const run = new Driver(workflow([agent("a", { summary: true })]));
    run.reject("a", "red", null, { summary: "tried" });
    expect(run.step("a")).toMatchObject({ state: { status: "failed" }, notes: "tried" });
    run.retry();
    expect(run.step("a").notes).toBeUndefined();
  });
});
