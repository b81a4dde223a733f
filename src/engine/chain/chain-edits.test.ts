// Edits that running steps request: what they change, what is refused, and that a refusal changes nothing.

import { describe, expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { addAfter, addBefore, amend, asks, reorder, restart, skip, split } from "../../../test/support/engine/edits.ts";
import { passed } from "../../../test/support/engine/reports.ts";
import {
  agent,
  atMost,
  backTo,
  decider,
  gate,
  next,
  ralph,
  stories,
  workflow,
} from "../../../test/support/engine/workflow.ts";
import type { EditOperation } from "../../domain/edit.ts";

const id = (number: number) => `step-${String(number).padStart(3, "0")}`;
const place = (number: number) => `US-1/${id(number)}`;
const upTo = (number: number) => Array.from({ length: number }, (_, index) => id(index + 1));

/** A story of ten steps whose step with this number is ready. */
function readyAt(number: number, options: Parameters<typeof ralph>[0] = {}): Driver {
  const run = new Driver(ralph(options), { stories: ["US-1"] });
  for (let before = 1; before < number; before += 1) run.pass(place(before));
  return run;
}

const names = (run: Driver) => run.scope("US-1").chain.map(({ name }) => name);
const added = (run: Driver) => run.happened("chain_edited").map((event) => event.added.map((step) => step.id));

describe("adding", () => {
  test("[ED9 ED20 C39 C49] right after its target, waiting, with new ids that continue the count", () => {
    const run = readyAt(7);
    run.pass(place(7), asks(addAfter(id(7), "coding: fix the import", "linting", "testing")));
    expect(run.ids("US-1")).toEqual([
      ...upTo(7),
      "step-011",
      "step-012",
      "step-013",
      id(8),
      id(9),
      id(10),
      "integrate",
    ]);
    expect(names(run).slice(6, 10)).toEqual(["testing", "coding", "linting", "testing"]);
    expect(run.step("US-1/step-011")).toMatchObject({
      state: { status: "ready" },
      visit: 1,
      description: "fix the import",
    });
    expect(run.step("US-1/step-012").description).toBeUndefined();
    expect(run.states("US-1")).toMatchObject({ "step-007": "done", "step-012": "waiting", "step-008": "waiting" });
    run.pass("US-1/step-011");
    run.pass("US-1/step-012");
    run.pass("US-1/step-013", asks(addBefore(id(9), "coding"), addAfter(id(9), "linting")));
    expect(run.ids("US-1").slice(10)).toEqual([id(8), "step-014", id(9), "step-015", id(10), "integrate"]);
  });

  test("[ED10] if the requested place has passed, at the first place that can still run, with a note", () => {
    const run = readyAt(5);
    run.pass(place(5), asks(addAfter(id(4), "coding"), addBefore(id(1), "testing"), addAfter(id(5), "context")));
    expect(run.ids("US-1").slice(4, 9)).toEqual([id(5), "step-013", "step-012", "step-011", id(6)]);
    expect(run.happened("chain_edited").map(({ notes }) => notes)).toEqual([
      ["the steps requested after step-004 were inserted at the first place that can still run"],
      ["the steps requested before step-001 were inserted at the first place that can still run"],
      [],
    ]);
    expect(run.attempts(place(5))).toHaveLength(1);
  });

  test("[ED10] a skipped step has not begun: a place before it can still run", () => {
    const run = readyAt(2);
    run.pass(place(2), asks(skip(id(3)), skip(id(9)), addBefore(id(3), "coding"), addAfter(id(4), "tests")));
    expect(run.ids("US-1").slice(1, 6)).toEqual([id(2), "step-011", id(3), id(4), "step-012"]);
    expect(run.happened("chain_edited").flatMap(({ notes }) => notes)).toEqual([]);
  });

  test("[ED11 C57] before the requesting step: it runs again after them, without feedback and without using a restart", () => {
    const run = readyAt(10);
    for (let time = 0; time < 4; time += 1) {
      run.pass(place(10), asks(addBefore(id(10), "coding: fix it")));
      expect(run.step(place(10))).toMatchObject({ state: { status: "waiting" }, visit: time + 2, feedback: "" });
      run.pass(place(11 + time));
    }
    expect(run.ids("US-1").slice(9)).toEqual(["step-011", "step-012", "step-013", "step-014", id(10), "integrate"]);
    const [first] = run.attempts(place(10));
    expect(first?.state).toMatchObject({
      outcome: "completed",
      taken: { key: "edit", to: "insert", draws: null },
      why: "it inserted steps before itself",
      discards: false,
    });
    run.pass(place(10), asks(restart(id(10))));
    expect(run.step(place(10))).toMatchObject({ state: { status: "ready" }, description: "another way" });
    run.pass(place(10));
    expect(run.states("US-1")).toMatchObject({ "step-010": "done", integrate: "ready" });
  });

  test("[ED11] any editable step may insert steps before itself", () => {
    const run = readyAt(5);
    run.pass(place(5), asks(addBefore(id(5), "architecture")));
    expect(run.ids("US-1").slice(3, 6)).toEqual([id(4), "step-011", id(5)]);
    expect(run.states("US-1")).toMatchObject({ "step-011": "ready", "step-005": "waiting" });
    expect(run.happened("chain_edited")[0]?.notes).toEqual([]);
  });

  test("[ED12 C57] steps that the last step requests after an earlier one go before the last step, which runs again", () => {
    const run = readyAt(10);
    run.pass(place(10), asks(addAfter(id(5), "coding"), addAfter(id(9), "linting")));
    expect(run.ids("US-1").slice(8)).toEqual([id(9), "step-011", "step-012", id(10), "integrate"]);
    expect(run.states("US-1")).toMatchObject({ "step-011": "ready", "step-010": "waiting" });
    expect(run.happened("chain_edited").map(({ notes }) => notes.length)).toEqual([1, 1]);
  });

  test("[ED12] directly after the second-to-last step needs no note", () => {
    const run = readyAt(10);
    run.pass(place(10), asks(addAfter(id(9), "coding")));
    expect(run.ids("US-1").slice(8)).toEqual([id(9), "step-011", id(10), "integrate"]);
    expect(run.happened("chain_edited")[0]?.notes).toEqual([]);
    expect(run.step(place(10)).visit).toBe(2);
  });

  test("[ED12 ED9] without a last step the end of the chain is before the integration", () => {
    const body = ralph().steps.flatMap((step) => (step.kind === "stories" ? step.body : []));
    const short = stories("each", [
      agent("code", { editable: true }),
      ...body.filter(({ kind }) => kind === "integrate"),
    ]);
    const run = new Driver(workflow([short]), { stories: ["US-1"] });
    run.pass("US-1/code", asks(addAfter("code", "code")));
    expect(run.states("US-1")).toEqual({ code: "done", "code~2": "ready", integrate: "waiting" });
  });

  test("[ED8] changes made while reading the request are in the record of its first operation", () => {
    const run = readyAt(2);
    run.pass(place(2), { edits: { operations: [skip(id(3)), skip(id(4))], notes: ["a missing reason"] } });
    expect(run.happened("chain_edited").map(({ notes }) => notes)).toEqual([["a missing reason"], []]);
  });
});

describe("splitting", () => {
  test("[ED13 ED20 C50] other steps take its place, and its id is not reused", () => {
    const run = readyAt(2);
    run.pass(place(2), asks(split(id(5), "coding: the model", "coding: the view")));
    expect(run.ids("US-1").slice(3, 7)).toEqual([id(4), "step-011", "step-012", id(6)]);
    run.pass(place(3), asks(split("step-012", "coding", "linting"), addAfter(id(4), "tests")));
    expect(run.ids("US-1").slice(3, 8)).toEqual([id(4), "step-015", "step-011", "step-013", "step-014"]);
  });

  test("[ED13 ED20 CH5] neither is the highest id of all, nor an id made of a name", () => {
    const body = [agent("a", { editable: true }), agent("b", { editable: true }), agent("c")];
    const run = new Driver(workflow([stories("each", body)]), { stories: ["US-1"] });
    run.pass("US-1/a", asks(addAfter("a", "b"), split("b~2", "c", "c"), split("c~3", "c", "c")));
    expect(run.ids("US-1")).toEqual(["a", "c~2", "c~4", "c~5", "b", "c"]);
    for (const step of ["c~2", "c~4", "c~5"]) run.pass(`US-1/${step}`);
    run.pass("US-1/b", asks(addAfter("b", "b", "c")));
    expect(run.ids("US-1")).toEqual(["a", "c~2", "c~4", "c~5", "b", "b~3", "c~6", "c"]);
  });

  test("[ED20 CH5] the same in the run's own chain", () => {
    const run = new Driver(workflow([agent("a", { editable: true }), agent("b"), agent("c")]));
    run.pass("a", asks(split("b", "b", "b"), split("b~3", "c", "c"), addAfter("a", "b")));
    expect(run.ids()).toEqual(["a", "b~6", "b~2", "c~4", "c~5", "c"]);
  });

  test("[ED13 C50] a mandatory step only into steps that include one of the same name", () => {
    const run = readyAt(2);
    run.pass(place(2), asks(split(id(6), "coding", "linting")));
    expect(names(run).slice(5, 7)).toEqual(["coding", "linting"]);
  });

  test("[ED13 OU6] the outputs of the step are removed with it", () => {
    const check = decider("check", { ok: next, fix: atMost(2, backTo("code")) });
    const run = new Driver(workflow([agent("code", { editable: true }), check]));
    run.pass("code");
    run.say("check", "fix", { outputs: { issues: "names" } });
    expect(run.context()).toEqual({ issues: "names" });
    run.pass("code", asks(split("check", "code", "check")));
    expect(run.context()).toEqual({});
    expect(run.ids()).toEqual(["code", "code~2", "check~2"]);
  });
});

describe("skipping", () => {
  test("[ED14 C51] a step that is still to come is skipped, with the reason", () => {
    const run = readyAt(2);
    run.pass(place(2), asks(skip(id(3)), skip(id(9))));
    expect(run.step(place(3)).state).toEqual({ status: "skipped", by: "edit", reason: "because" });
    expect(run.states("US-1")).toMatchObject({ "step-003": "skipped", "step-004": "ready" });
    for (const number of [4, 5, 6, 7, 8, 10]) run.pass(place(number));
    expect(run.states("US-1")).toMatchObject({ "step-009": "skipped", integrate: "ready" });
  });

  test("[ED14 RT7] a step that an edit skipped stays skipped when a route goes back before it", () => {
    const check = agent("check", { on: { rejected: atMost(1, backTo("plan")) } });
    const run = new Driver(workflow([agent("plan", { editable: true }), agent("polish"), check]));
    run.pass("plan", asks(skip("polish")));
    run.reject("check");
    expect(run.states()).toEqual({ plan: "ready", polish: "skipped", check: "waiting" });
  });

  test("[ED14 ED23 GA13] an agent can neither skip nor split a question to a person", () => {
    const body = () => [agent("plan", { editable: true }), gate("look"), agent("code")];
    for (const operation of [skip("look"), split("look", "code", "code")]) {
      const run = new Driver(workflow(body()));
      run.pass("plan", asks(operation));
      expect(run.happened("edit_refused")[0]?.why).toContain("look is a question to a person");
      expect(run.states()).toEqual({ plan: "done", look: "held", code: "waiting" });
    }
  });
});

describe("reordering", () => {
  test("[ED15 C52] steps that are still to come exchange their places", () => {
    const run = readyAt(2);
    run.pass(place(2), asks(skip(id(4)), reorder(...[5, 3, 7, 6, 9, 8, 10].map(id))));
    expect(run.ids("US-1")).toEqual([...[1, 2, 5, 4, 3, 7, 6, 9, 8, 10].map(id), "integrate"]);
    expect(run.states("US-1")).toMatchObject({ "step-005": "ready", "step-004": "skipped", "step-003": "waiting" });
  });

  test("[ED16] the last reviewing step stays behind the steps that it follows; an order that already broke this may stay", () => {
    const run = readyAt(2);
    run.pass(place(2), asks(addAfter(id(6), "coding"), reorder(...[4, 3, 5, 6, 11, 7, 9, 8, 10].map(id))));
    expect(run.ids("US-1").slice(2, 7)).toEqual([4, 3, 5, 6, 11].map(id));
    expect(run.happened("edit_refused")).toEqual([]);
  });

  test("[ED16] only the last step of each name counts", () => {
    const run = readyAt(2);
    const moved = (...numbers: number[]) => reorder(...[...numbers, 7, 8, 9, 10].map(id));
    run.pass(place(2), asks(addAfter(id(6), "coding", "linting"), moved(3, 4, 5, 11, 6, 12)));
    expect(run.ids("US-1").slice(4, 8)).toEqual([5, 11, 6, 12].map(id));
    run.pass(place(3), asks(moved(4, 5, 6, 12, 11)));
    expect(run.happened("edit_refused").map(({ why }) => why)).toEqual([
      "operation 1 (reorder): linting stays behind coding",
    ]);
  });
});

describe("changing a description", () => {
  test("[ED17 C53] a step that is still to come gets a new description", () => {
    const run = readyAt(2);
    run.pass(place(2), asks(amend(id(5), "only the model")));
    expect(run.step(place(5))).toMatchObject({ description: "only the model", state: { status: "waiting" }, visit: 1 });
  });
});

describe("restarting", () => {
  test("[ED19 AT14 C32 C54 C83] the step runs again from scratch, with a new description and the reason", () => {
    const run = readyAt(5);
    run.pass(place(5), { ...asks(restart(id(5), "use the library")), outputs: { changes: "one" }, summary: "half" });
    expect(run.attempts(place(5))[0]?.state).toMatchObject({
      outcome: "completed",
      taken: { key: "edit", to: "again", draws: null },
      why: "it restarts: it was wrong",
      discards: true,
    });
    expect(run.step(place(5))).toMatchObject({
      state: { status: "ready" },
      visit: 2,
      description: "use the library",
      feedback: "it was wrong",
    });
    expect(run.step(place(5)).notes).toBeUndefined();
    expect(run.context("US-1")).toEqual({});
    run.pass(place(5));
    expect(run.states("US-1")).toMatchObject({ "step-005": "done", "step-006": "ready" });
  });

  test("[AT14 OU6] outputs of the step from an earlier visit are cleared too", () => {
    const check = { ...decider("check", { ok: next, fix: atMost(2, backTo("code")) }), editable: true };
    const run = new Driver(workflow([agent("code"), check]));
    run.pass("code");
    run.say("check", "fix", { outputs: { issues: "names" } });
    run.pass("code");
    run.say("check", "ok", asks(restart("check")));
    expect(run.context()).toEqual({});
    expect(run.states()).toEqual({ code: "done", check: "ready" });
  });

  test("[ED19 ED11] together with steps inserted before itself, it restarts after them", () => {
    const run = readyAt(5);
    run.pass(place(5), asks(addBefore(id(5), "planning"), restart(id(5))));
    expect(run.states("US-1")).toMatchObject({ "step-011": "ready", "step-005": "waiting" });
    expect(run.attempts(place(5))[0]?.state).toMatchObject({ taken: { key: "edit", to: "again" }, discards: true });
  });

  test("[LI16 ME2 C33 C62 C82] three times; the fourth request fails the step and its story, and a retry starts a new count", () => {
    const run = readyAt(5);
    for (let time = 0; time < 4; time += 1) run.pass(place(5), asks(restart(id(5))));
    expect(run.attempts(place(5))).toHaveLength(4);
    const why = "restart limit (3) reached";
    expect(run.step(place(5)).state).toEqual({ status: "failed", reason: why });
    expect(run.attempts(place(5))[3]?.state).toMatchObject({
      outcome: "completed",
      taken: { key: "edit", to: "fail" },
      discards: true,
    });
    expect(run.happened("edit_refused")).toMatchObject([{ by: "step-005", why }]);
    expect(run.messages("stuck")).toMatchObject([{ story: "US-1", step: "coding", text: `coding: ${why}` }]);
    expect(run.storyStates()).toEqual({ "US-1": "failed" });
    run.retry();
    run.pass(place(5), asks(restart(id(5))));
    expect(run.step(place(5)).state.status).toBe("ready");
  });

  test("[LI16] each step has its own count, and a workflow sets the limit", () => {
    const run = readyAt(5, { restarts: 1 });
    run.pass(place(5), asks(restart(id(5))));
    run.pass(place(5), asks(addAfter(id(5), "coding")));
    run.pass("US-1/step-011", asks(restart("step-011")));
    expect(run.step("US-1/step-011").state.status).toBe("ready");
    run.pass("US-1/step-011", asks(restart("step-011")));
    expect(run.step("US-1/step-011").state.status).toBe("failed");
  });

  test("[LI16] also in the run's own chain", () => {
    const run = new Driver(workflow([agent("a", { editable: true })]));
    for (let time = 0; time < 3; time += 1) run.pass("a", asks(restart("a")));
    expect(run.status).toBe("running");
    run.pass("a", asks(restart("a")));
    expect(run.run.header.end?.reason).toContain("restart limit (3) reached");
  });
});

describe("refused as a whole", () => {
  const twentyOne = Array.from({ length: 21 }, () => "coding");
  const usable = "context, planning, architecture, tests, coding, linting, testing, self_review, prune";

  /** At planning: step-001 is done, step-002 requests the edits, all others are still to come. */
  test.each<[string, string, EditOperation[], string]>([
    ["[ED14 C51 C55]", "a mandatory step is skipped", [skip(id(6))], "linting is never skipped"],
    ["[ED14 C51 C55]", "the last step is skipped", [skip(id(10))], "review is never skipped"],
    [
      "[ED18 C56]",
      "a done step is skipped",
      [skip(id(1))],
      "step-001 is done; only steps that are still to come can be changed",
    ],
    ["[ED18 C56]", "a done step gets a description", [amend(id(1), "x")], "step-001 is done; only"],
    [
      "[ED18 C56]",
      "a skipped step gets a description",
      [skip(id(3)), amend(id(3), "x")],
      "operation 2 (amend): step-003 is skipped",
    ],
    ["[ED17 C53]", "the running step gets a description", [amend(id(2), "x")], "step-002 is running: use restart"],
    ["[ED17 C66]", "an empty description", [amend(id(3), " \n")], "the new description is empty"],
    ["[ED18 C56]", "the running step is split", [split(id(2), "planning", "coding")], "step-002 is running; only"],
    ["[ED13 C50]", "split into one", [split(id(3), "coding")], "two or more, not into 1"],
    ["[ED13 C50]", "split into nothing", [split(id(3))], "two or more, not into 0"],
    ["[ED13 C50]", "the last step is split", [split(id(10), "coding", "testing")], "step-010 cannot be split"],
    [
      "[ED13 C50 C55]",
      "a mandatory step is split into others",
      [split(id(6), "coding", "testing")],
      "linting must be among",
    ],
    [
      "[ED7 C48]",
      "split twice",
      [split(id(3), "coding", "tests"), split(id(3), "coding", "tests")],
      "operation 2 (replace): there is no step step-003; there are step-001, step-002, step-011, step-012, step-004",
    ],
    [
      "[ED12 C57]",
      "a step after the last",
      [addAfter(id(10), "coding")],
      "nothing may follow step-010: insert before it (add_before step-010)",
    ],
    [
      "[ED22 C57]",
      "a second last step",
      [addAfter(id(3), "review")],
      "there is already a review step, and it must stay last",
    ],
    ["[ED22 C57]", "a last step by a split", [split(id(3), "coding", "review")], "there is already a review step"],
    [
      "[ED22 C66]",
      "an unknown step type",
      [addAfter(id(3), "deploy")],
      `there is no step type "deploy"; use one of: ${usable}`,
    ],
    [
      "[ED22 C66]",
      "a name that every object has",
      [addAfter(id(3), "constructor")],
      'there is no step type "constructor"',
    ],
    ["[ED22 C29]", "an integration step", [addAfter(id(3), "integrate")], 'there is no step type "integrate"'],
    ["[ED22 C29]", "a spare step", [addAfter(id(3), "resolve")], "only Pawl itself adds resolve"],
    ["[ED7 C66]", "no steps to add", [addAfter(id(3))], "it adds no steps"],
    ["[ED7 C66]", "after an unknown step", [addAfter("step-099", "coding")], "there is no step step-099"],
    ["[ED7 C66]", "before an unknown step", [addBefore("step-099", "coding")], "there is no step step-099"],
    ["[ED7]", "after a hidden step", [addAfter("integrate", "coding")], "there is no step integrate"],
    ["[ED7 C66]", "an unknown step is skipped", [skip("../x")], "there is no step ../x"],
    ["[ED7 C66]", "an unknown step gets a description", [amend("step-099", "x")], "there is no step step-099"],
    [
      "[ED15 C52 C65]",
      "an order that leaves out a step",
      [reorder(...[3, 4, 5, 6, 7, 8, 10].map(id))],
      "the new order leaves out step-009",
    ],
    [
      "[ED15 C52 C65]",
      "an order with a step that is done",
      [reorder(...[1, 3, 4, 5, 6, 7, 8, 9, 10].map(id))],
      "step-001 cannot be moved",
    ],
    [
      "[ED15 ED7 C48]",
      "an order with a step that was skipped",
      [skip(id(3)), reorder(...[3, 4, 5, 6, 7, 8, 9, 10].map(id))],
      "operation 2 (reorder): step-003 cannot be moved",
    ],
    [
      "[ED15]",
      "an order with a hidden step",
      [reorder(...[3, 4, 5, 6, 7, 8, 9, 10].map(id), "integrate")],
      "integrate cannot be moved",
    ],
    [
      "[ED15 C65]",
      "an order with a step twice",
      [reorder(...[3, 4, 5, 6, 7, 8, 9, 9, 10].map(id))],
      "the new order lists a step twice",
    ],
    [
      "[ED15 C52 C57]",
      "an order with another last step",
      [reorder(...[3, 4, 5, 6, 7, 8, 10, 9].map(id))],
      "step-010 stays last",
    ],
    [
      "[ED16]",
      "an order that lints before coding",
      [reorder(...[3, 4, 6, 5, 7, 8, 9, 10].map(id))],
      "linting stays behind coding",
    ],
    [
      "[ED19 C54]",
      "another step is restarted",
      [restart(id(3))],
      "only the step that runs (step-002) can be restarted",
    ],
    [
      "[ED19 C54]",
      "restarted twice",
      [restart(id(2)), restart(id(2))],
      "operation 2 (restart): a request can restart a step only once",
    ],
    ["[ED19 C66]", "restarted without a description", [restart(id(2), "")], "the new description is empty"],
    ["[ED7]", "no operations", [], "the request has no operations"],
    ["[ED21 C35 C61]", "31 steps", [addAfter(id(2), ...twentyOne)], "the chain would have more than 30 steps"],
    [
      "[ED21 ED7 C61]",
      "31 steps together",
      [addAfter(id(2), ...twentyOne.slice(1)), split(id(3), "coding", "tests")],
      "operation 2 (replace): the chain would have more than 30 steps",
    ],
    [
      "[ED7 C48 C63]",
      "one bad operation among good ones",
      [skip(id(3)), amend(id(5), "x"), addAfter(id(5), "coding"), skip(id(10))],
      "operation 4 (skip): review is never skipped",
    ],
  ])("%s %s", (_ids, _what, operations, why) => {
    const run = readyAt(2);
    run.claim(place(2));
    const before = run.scope("US-1");
    const length = run.events.length;
    run.pass(place(2), asks(...operations));
    expect(run.happened("edit_refused").map((event) => event.why)[0]).toContain(why);
    expect(run.happened("edit_refused")).toMatchObject([{ by: "step-002", notes: [], story: "US-1" }]);
    const types = run.events.slice(length).map(({ type }) => type);
    expect(types).toEqual(["edit_refused", "attempt_ended", "outputs_set", "step_done", "step_readied"]);
    expect(run.scope("US-1").chain.slice(3)).toEqual(before.chain.slice(3));
    expect(run.states("US-1")).toMatchObject({ "step-002": "done", "step-003": "ready" });
    expect(run.run.stories["US-1" as never]?.retired).toBeUndefined();
  });

  test("[ED21 C35 C61] thirty steps are allowed: the integration does not count", () => {
    const run = readyAt(2);
    run.pass(place(2), asks(addAfter(id(2), ...twentyOne.slice(1))));
    expect(run.ids("US-1")).toHaveLength(31);
    run.pass("US-1/step-011", asks(addAfter("step-011", "coding")));
    expect(run.happened("edit_refused")).toHaveLength(1);
    expect(run.states("US-1")).toMatchObject({ "step-011": "done", "step-012": "ready" });
  });

  test("[ED21 ED13] a split removes one step: it fits into a chain of 29 steps, not of 30", () => {
    const run = readyAt(2);
    run.pass(place(2), asks(addAfter(id(9), ...twentyOne.slice(2)), split(id(3), "planning", "tests")));
    expect(run.happened("edit_refused")).toEqual([]);
    expect(run.ids("US-1")).toHaveLength(31);
    run.pass("US-1/step-030", asks(split(id(4), "planning", "tests")));
    expect(run.happened("edit_refused")).toMatchObject([
      { why: "operation 1 (replace): the chain would have more than 30 steps" },
    ]);
  });

  test("[ED6 C45] a step that may not edit: its request is refused, and the step is done anyway", () => {
    const run = readyAt(6);
    run.pass(place(6), asks(restart(id(6))));
    expect(run.happened("edit_refused")).toMatchObject([{ by: id(6), why: "a linting step may not change the chain" }]);
    expect(run.states("US-1")).toMatchObject({ "step-006": "done", "step-007": "ready" });
  });

  test("[ED7 C66] an unreadable request is refused with the reader's message, and the step is done", () => {
    const run = readyAt(2);
    run.pass(place(2), { edits: { unreadable: "it is not JSON (line 3)" } });
    expect(run.happened("edit_refused")).toMatchObject([{ by: id(2), why: "it is not JSON (line 3)", notes: [] }]);
    expect(run.states("US-1")).toMatchObject({ "step-002": "done", "step-003": "ready" });
  });

  test("[ED7] notes of the reader are kept when the request is refused", () => {
    const run = readyAt(2);
    run.pass(place(2), { edits: { operations: [skip(id(6))], notes: ["`new_steps` was meant"] } });
    expect(run.happened("edit_refused")[0]?.notes).toEqual(["`new_steps` was meant"]);
  });
});

describe("edits and verdicts", () => {
  test("[ED25] with a failed check they are applied, and the check's route is taken", () => {
    const run = readyAt(5);
    run.reject(place(5), "2 tests are red", "checks", asks(addAfter(id(5), "testing")));
    expect(run.ids("US-1").slice(4, 6)).toEqual([id(5), "step-011"]);
    expect(run.step(place(5))).toMatchObject({ state: { status: "ready" }, visit: 1, feedback: "2 tests are red" });
  });

  test("[ED25 ED11] with a failed check, too, steps inserted before itself run first", () => {
    const run = readyAt(5);
    run.reject(place(5), "red", "checks", asks(addBefore(id(5), "architecture")));
    expect(run.states("US-1")).toMatchObject({ "step-011": "ready", "step-005": "waiting" });
    expect(run.attempts(place(5))[0]?.state).toMatchObject({ taken: { key: "edit" }, verdict: { kind: "rejected" } });
  });

  test("[ED6 RT2 C67] no edit of an unreadable answer is applied", () => {
    const run = readyAt(5);
    run.say(place(5), "unheard of", asks(skip(id(7))));
    expect(run.attempts(place(5))[0]?.state).toMatchObject({ outcome: "invalid_output" });
    expect(run.happened("chain_edited")).toEqual([]);
    expect(run.step(place(7)).state.status).toBe("waiting");
  });
});

test("[ED8 AT3 C71 C73] the edits and the end of an attempt are one decision, the edits first; a second report changes nothing", () => {
  const run = readyAt(2);
  const attempt = run.claim(place(2));
  const said = passed(asks(skip(id(3))));
  const { events } = run.must(run.finishing(attempt, said));
  expect(events.map(({ type }) => type)).toEqual([
    "steps_skipped",
    "chain_edited",
    "attempt_ended",
    "outputs_set",
    "step_done",
    "step_readied",
  ]);
  run.refused(run.finishing(attempt, said));
  expect(run.happened("chain_edited")).toHaveLength(1);
});

test("[ED8 C40 C59] each operation leaves a record: who, what, the chain before it and after it", () => {
  const run = readyAt(2);
  run.pass(place(2), asks(skip(id(3)), amend(id(5), "only the model"), addAfter(id(9), "testing")));
  const records = run.happened("chain_edited");
  expect(records.map(({ by, operation, story }) => [by, operation.op, operation.reason, story])).toEqual([
    [id(2), "skip", "because", "US-1"],
    [id(2), "amend", "because", "US-1"],
    [id(2), "insert", "because", "US-1"],
  ]);
  const [skipped, amended, inserted] = records;
  expect(skipped?.before[2]).toEqual({
    id: id(3),
    name: "architecture",
    status: "waiting",
    description: "architecture",
  });
  expect(skipped?.after[2]).toMatchObject({ id: id(3), status: "skipped" });
  expect(amended?.before).toEqual(skipped?.after);
  expect(amended?.after[4]).toMatchObject({ id: id(5), description: "only the model" });
  expect(inserted?.before).toEqual(amended?.after);
  expect(inserted?.after.map((line) => line.id)).toEqual([...upTo(9), "step-011", id(10)]);
  expect(added(run)).toEqual([[], [], ["step-011"]]);
});
