// Conditions of steps: when a step runs, and what becomes of it when it does not.

import { describe, expect, test } from "vitest";
import { Driver } from "../../test/support/engine/driver.ts";
import {
  agent,
  ask,
  atMost,
  backTo,
  decider,
  decision,
  end,
  fail,
  gate,
  goTo,
  next,
  stories,
  workflow,
} from "../../test/support/engine/workflow.ts";
import { stepName } from "../domain/ids.ts";
import type { Vote } from "../domain/vote.ts";

const when = (key: string, ...values: string[]) => ({ if: { key, values } });
const said = (outputs: Record<string, string>) => ({ outputs });

/** triage says what kind of work it is; only a bug is reproduced, and only large work is designed. */
function triaged(context: Record<string, string> = {}): Driver {
  const triage = agent("triage", { produces: ["kind", "size"] });
  const chain = [triage, agent("reproduce", when("kind", "bug", "crash")), agent("design", when("size", "large"))];
  return new Driver(workflow([...chain, agent("work")], { context }));
}

describe("a step with a condition", () => {
  test("[IF1 IF3] runs if its key has one of the values, in any case and with spaces around it", () => {
    const run = triaged();
    run.pass("triage", said({ kind: "  Crash\n", size: "small" }));
    expect(run.states()).toEqual({ triage: "done", reproduce: "ready", design: "waiting", work: "waiting" });
    run.pass("reproduce");
    expect(run.states()).toMatchObject({ design: "skipped", work: "ready" });
  });

  test("[IF1 IF2] is skipped by a route with the reason if it has another, and the walk goes on", () => {
    const run = triaged();
    run.pass("triage", said({ kind: "feature", size: "large" }));
    expect(run.states()).toEqual({ triage: "done", reproduce: "skipped", design: "ready", work: "waiting" });
    expect(run.step("reproduce").state).toEqual({
      status: "skipped",
      by: "route",
      reason: 'it runs if kind is bug or crash, and kind is "feature"',
    });
  });

  test("[IF3] unknown is never a pass: a key without a value is equal to nothing", () => {
    const run = triaged();
    run.pass("triage", said({ size: "" }));
    expect(run.states()).toMatchObject({ reproduce: "skipped", design: "skipped", work: "ready" });
    expect(run.step("reproduce").state).toMatchObject({
      reason: "it runs if kind is bug or crash, and kind has no value",
    });
    expect(new Driver(workflow([agent("a", when("constructor", "x")), agent("b")])).states()).toEqual({
      a: "skipped",
      b: "ready",
    });
  });

  test("[IF1] is asked at the beginning of a run, too, and a run whose steps are all skipped is done", () => {
    const first = (mode: string) =>
      new Driver(workflow([agent("a", when("mode", "full")), agent("b", when("mode", "full"))], { context: { mode } }));
    expect(first("full").states()).toEqual({ a: "ready", b: "waiting" });
    expect([first("quick").status, first("quick").states()]).toEqual(["done", { a: "skipped", b: "skipped" }]);
  });

  test("[IF1 GA1 WT1 CH4] may be a gate, stories, a decision, or wait: nothing is asked or opened when it is skipped", () => {
    const chain = (mode: string) =>
      new Driver(
        workflow(
          [
            { ...gate("ask"), ...when("mode", "careful") },
            { ...stories("each", [agent("code")]), ...when("mode", "careful") },
            { ...decision("read", { proceed: next }), ...when("mode", "careful") },
            agent("slow", { waits: true, ...when("mode", "careful") }),
            agent("ship"),
          ],
          { context: { mode } },
        ),
      );
    expect(chain("quick").states()).toEqual({
      ask: "skipped",
      each: "skipped",
      read: "skipped",
      slow: "skipped",
      ship: "ready",
    });
    expect(chain("quick").messages()).toEqual([]);
    expect(chain("careful").states()).toMatchObject({ ask: "held" });
  });

  test("[IF2 RT7] comes back to life when a route goes back before it, and is asked again", () => {
    const review = decider("review", { ok: next, fix: atMost(2, backTo("debug"), fail()) });
    const run = new Driver(workflow([agent("a"), agent("debug", when("decision", "fix")), agent("work"), review]));
    run.pass("a");
    expect(run.states()).toMatchObject({ debug: "skipped", work: "ready" });
    run.pass("work");
    run.say("review", "fix", { outputs: { decision: "fix" }, feedback: "it crashes" });
    // What the step that goes back said stays: the condition can ask for it.
    expect(run.states()).toEqual({ a: "done", debug: "ready", work: "waiting", review: "waiting" });
    expect(run.step("debug")).toMatchObject({ visit: 2, feedback: "it crashes" });
    run.pass("debug");
    run.pass("work");
    run.say("review", "ok", { outputs: { decision: "ok" } });
    expect(run.status).toBe("done");
  });

  test("[IF2] what a route has cleared is not known any more", () => {
    const check = agent("check", { on: { rejected: atMost(1, backTo("look")) } });
    const run = new Driver(workflow([agent("look"), agent("extra", when("found", "yes")), check]));
    run.pass("look", said({ found: "yes" }));
    run.pass("extra");
    run.reject("check");
    run.pass("look");
    expect(run.states()).toEqual({ look: "done", extra: "skipped", check: "ready" });
  });

  test("[IF4 RT14 ED2] what it was told is for the step that runs in its place", () => {
    const review = agent("review", { on: { rejected: atMost(2, backTo("debug")) } });
    const run = new Driver(workflow([agent("debug", when("mode", "deep")), agent("work"), review]));
    run.pass("work");
    run.reject("review", "line 3 is wrong");
    expect(run.step("work")).toMatchObject({ visit: 2, feedback: "line 3 is wrong", state: { status: "ready" } });
    const on = new Driver(
      workflow([agent("a", { on: { rejected: next } }), agent("b", when("mode", "deep")), agent("c")]),
    );
    on.reject("a", "not yet");
    expect(on.step("c")).toMatchObject({ feedback: "not yet", state: { status: "ready" } });
  });

  test("[IF1 RT6] is asked when a route jumps to it: the jump ends there or behind it", () => {
    const jump = decider("a", { far: goTo("c"), near: next });
    const run = new Driver(workflow([jump, agent("b"), agent("c", when("mode", "deep")), agent("d")]));
    run.say("a", "far");
    expect(run.states()).toEqual({ a: "done", b: "skipped", c: "skipped", d: "ready" });
  });

  test("[IF5 RU4] a skipped step has no attempt and no visit more, and uses no limit", () => {
    const run = triaged();
    run.pass("triage");
    expect(run.attempts("reproduce")).toEqual([]);
    expect(run.step("reproduce").visit).toBe(1);
  });

  test("[IF3 OU8 ST4] in a story it reads the story's own value, else the run's", () => {
    const body = [agent("code"), agent("translate", when("texts", "yes")), agent("check", when("mode", "careful"))];
    const each = stories("each", body, { concurrency: 2 });
    const run = new Driver(workflow([agent("plan"), each]), { stories: ["US-1", "US-2"] });
    run.pass("plan", said({ mode: "careful" }));
    run.pass("US-1/code", said({ texts: "yes" }));
    run.pass("US-2/code", said({ texts: "no" }));
    expect(run.states("US-1")).toMatchObject({ translate: "ready" });
    expect(run.states("US-2")).toMatchObject({ translate: "skipped", check: "ready" });
    run.pass("US-2/check");
    expect(run.storyStates()).toEqual({ "US-1": "running", "US-2": "done" });
  });

  test("[IF1 RT17 GA3] a gate that is skipped is no question, also where its answer would end the run", () => {
    const run = new Driver(
      workflow([
        agent("a", { on: { rejected: ask({ enough: end, more: next }) } }),
        { ...gate("ask", { enough: end, more: next }), ...when("mode", "careful") },
        agent("b"),
      ]),
    );
    run.reject("a");
    run.answer("a", "more");
    expect(run.states()).toEqual({ a: "done", ask: "skipped", b: "ready" });
  });
});

describe("a condition over what stories said", () => {
  const of = { step: stepName("review"), key: "verdict" };
  const asked = (vote: Vote, said: readonly (string | null)[], values = ["rejected"]) => {
    const each = stories("review", [agent("look")], { concurrency: said.length });
    const definition = { ...workflow([each, agent("fix", { if: { ...vote, values } }), agent("ship")]), collects };
    const run = new Driver(definition, { stories: said.map((_, index) => `US-${index + 1}`) });
    said.forEach((verdict, index) => {
      run.pass(`US-${index + 1}/look`, { outputs: verdict === null ? {} : { verdict } });
    });
    return run;
  };
  const collects = { [of.step]: ["verdict"] };

  test.each([
    [{ vote: "any", of }, ["approved", "Rejected"], "ready"],
    [{ vote: "any", of }, ["approved", null], "skipped"],
    [{ vote: "all", of }, ["rejected", "rejected"], "ready"],
    [{ vote: "all", of }, ["rejected", null], "skipped"],
    [{ vote: "majority", of }, ["rejected", "rejected", "approved"], "ready"],
    [{ vote: "majority", of }, ["rejected", "rejected", null, null], "skipped"],
    [{ vote: "count", of, atLeast: 2 }, ["rejected", "rejected", null], "ready"],
    [{ vote: "count", of, atLeast: 2 }, ["rejected", "approved", "approved"], "skipped"],
  ] as const)("[IF6] %j with %j: %s", (vote, said, status) => {
    expect(asked(vote, said).states()).toMatchObject({ fix: status });
  });

  test("[IF6 IF1] a word of a list counts, and the reason has the numbers", () => {
    const vote = { vote: "count", of, atLeast: 2 } as const;
    expect(asked(vote, ["rejected", "unsure"], ["rejected", "unsure"]).states()).toMatchObject({ fix: "ready" });
    expect(asked(vote, ["rejected", "approved"]).step("fix").state).toMatchObject({
      status: "skipped",
      reason: "it runs if at least 2 of review.*.verdict say rejected, and 1 of 2 do",
    });
  });
});
