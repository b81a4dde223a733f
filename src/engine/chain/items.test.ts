// Steps and included workflows that run once for each entry of a list.

import { describe, expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { agent, atMost, backTo, decider, end, next, stories, workflow } from "../../../test/support/engine/workflow.ts";
import type { StepDefinition } from "../../domain/definition.ts";

const said = (outputs: Record<string, string>) => ({ outputs });

function deploying(
  more: Partial<Parameters<typeof agent>[1]> = {},
  behind: readonly StepDefinition[] = [agent("tell")],
) {
  return new Driver(workflow([agent("list"), agent("deploy", { repeatFor: "hosts", ...more }), ...behind]));
}

describe("a step with a list", () => {
  test("[RF1 RF2] runs once for each entry, in order, each told its own", () => {
    const run = deploying();
    run.pass("list", said({ hosts: "- one\n- two\n\n3. three" }));
    expect(run.states()).toEqual({
      list: "done",
      deploy: "ready",
      "deploy~2": "waiting",
      "deploy~3": "waiting",
      tell: "waiting",
    });
    expect(["deploy", "deploy~2", "deploy~3"].map((id) => run.step(id).item?.value)).toEqual(["one", "two", "three"]);
    run.pass("deploy");
    run.pass("deploy~2");
    expect(run.states()).toMatchObject({ "deploy~3": "ready", tell: "waiting" });
    run.pass("deploy~3");
    run.pass("tell");
    expect(run.status).toBe("done");
  });

  test("[RF1] takes a JSON list, whose entries may be anything, and the list that was given when it was reached", () => {
    const run = deploying();
    run.pass("list", said({ hosts: '["a b", 2, { "x": 1 }]' }));
    run.pass("deploy", said({ hosts: "none" }));
    expect(run.step("deploy~2").item).toEqual({ value: "2", number: 2, of: 3, first: "deploy" });
    expect(run.step("deploy~3").item?.value).toBe('{"x":1}');
  });

  test("[RF3] is skipped with the reason if its list is empty", () => {
    const run = deploying();
    run.pass("list", said({ hosts: "[]" }));
    expect(run.step("deploy").state).toEqual({ status: "skipped", by: "route", reason: "hosts is empty" });
    expect(run.states()).toMatchObject({ tell: "ready" });
  });

  test.each([
    [undefined, "deploy: hosts has no value"],
    ['["a"', "deploy: hosts is not a JSON list, and not one entry a line"],
    [
      Array.from({ length: 1_001 }, (_, index) => `h${index}`).join("\n"),
      "deploy: hosts has 1001 entries, more than 1000",
    ],
  ])("[RF3] fails with the reason if its list cannot be used: %#", (hosts, reason) => {
    const run = deploying();
    run.pass("list", said(hosts === undefined ? {} : { hosts }));
    expect(run.step("deploy").state).toEqual({ status: "failed", reason });
    expect(run.status).toBe("failed");
  });

  test("[RF4] has its limits for each entry", () => {
    const run = deploying({ on: { rejected: atMost(1, { to: "again" }) } });
    run.pass("list", said({ hosts: "one\ntwo" }));
    run.reject("deploy");
    run.pass("deploy");
    run.reject("deploy~2");
    expect(run.states()).toMatchObject({ "deploy~2": "ready" });
    run.reject("deploy~2");
    expect(run.status).toBe("failed");
  });

  test("[RF5] begins with the first entry when a later step goes back to it, and takes the list again", () => {
    const check = agent("check", { on: { rejected: atMost(2, backTo("deploy")) } });
    const run = deploying({}, [check]);
    run.pass("list", said({ hosts: "one\ntwo" }));
    run.pass("deploy");
    run.pass("deploy~2");
    run.reject("check", "no", null, said({ hosts: "one\nthree" }));
    expect(run.states()).toMatchObject({
      deploy: "ready",
      "deploy~2": "skipped",
      "deploy~3": "waiting",
      check: "waiting",
    });
    expect(run.step("deploy~3").item?.value).toBe("three");
    run.pass("deploy");
    run.pass("deploy~3");
    run.reject("check", "no", null, said({ hosts: "one\nthree" }));
    expect(run.states()).toMatchObject({ deploy: "ready", "deploy~3": "waiting" });
    expect(run.step("deploy").visit).toBe(3);
  });
});

describe("an included workflow with a list", () => {
  const include = { id: "ship", outputs: {} };
  const steps = (judged = decider("ship.check", { good: next, skip: end, bad: atMost(2, backTo("ship.build")) })) => [
    agent("list"),
    agent("ship.build", { include, entries: [{ include: "ship", repeatFor: "hosts" }] }),
    { ...judged, include },
    agent("ship.tell", { include }),
    agent("last"),
  ];
  const ended = decider("ship.check", {
    good: next,
    skip: { to: "end", of: "ship" },
    bad: atMost(2, backTo("ship.build")),
  });

  test("[RF1 RF5 IN5] runs as a whole for each entry; its routes stay within the entry", () => {
    const run = new Driver(workflow(steps(ended)));
    run.pass("list", said({ hosts: "one\ntwo" }));
    run.pass("ship.build");
    run.say("ship.check", "skip");
    expect(run.states()).toEqual({
      list: "done",
      "ship.build": "done",
      "ship.check": "done",
      "ship.tell": "skipped",
      "ship.build~2": "ready",
      "ship.check~2": "waiting",
      "ship.tell~2": "waiting",
      last: "waiting",
    });
    run.pass("ship.build~2");
    run.say("ship.check~2", "bad");
    expect(run.states()).toMatchObject({ "ship.build": "done", "ship.build~2": "ready", "ship.tell~2": "waiting" });
    expect(run.step("ship.build~2").item?.value).toBe("two");
  });

  test("[RF3] is skipped as a whole if the list is empty", () => {
    const run = new Driver(workflow(steps()));
    run.pass("list", said({ hosts: "" }));
    expect(run.states()).toMatchObject({
      "ship.build": "skipped",
      "ship.check": "skipped",
      "ship.tell": "skipped",
      last: "ready",
    });
  });
});

test("[RF6] a story repeats a step, too, as far as its chain may grow", () => {
  const body = [agent("list"), agent("each", { repeatFor: "files" })];
  const run = new Driver(workflow([agent("plan"), stories("loop", body, { maxSteps: 3 })]), { stories: ["A", "B"] });
  run.pass("plan");
  run.pass("A/list", said({ files: "x\ny" }));
  run.pass("A/each");
  expect(run.states("A")).toMatchObject({ "each~2": "ready" });
  run.pass("A/each~2");
  run.pass("B/list", said({ files: "x\ny\nz" }));
  expect(run.step("B/each").state).toMatchObject({
    reason: "each: 3 entries of files need more steps than the chain may have",
  });
});
