// Two runs side by side, from runs that the engine made.

import { expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { featureDev } from "../../../test/support/engine/workflow.ts";
import { comparedRuns, comparedSteps } from "./compared.ts";

const usage = { costUsd: 1, inputTokens: 100, outputTokens: 10 };

function played(rejections: number): Driver {
  const run = new Driver(featureDev());
  run.plan("plan", "US-1");
  for (let i = 0; i < rejections; i++) {
    run.pass("US-1/implement", { usage });
    run.reject("US-1/verify", "no tests", null, { usage });
  }
  run.pass("US-1/implement", { usage });
  return run;
}

const rowsOf = (a: Driver, b: Driver) =>
  new Map(comparedRuns(a.run, b.run, a.at).map(({ name, ...row }) => [name, row]));

test("[PG89] two runs stand side by side, and what differs is marked", () => {
  const [smooth, rejected] = [played(0), played(1)];
  const rows = rowsOf(smooth, rejected);
  expect(rows.get("Workflow")).toMatchObject({ differs: false });
  expect(rows.get("Rejections")).toEqual({ a: "0", b: "1", differs: true });
  expect(rows.get("Cost")).toEqual({ a: "$1.00", b: "$3.00", differs: true });
  expect(rows.get("Spent on work that did not pass")).toEqual({ a: "$0.00", b: "$1.00", differs: true });
  expect(rows.get("Stories done")).toEqual({ a: "0 of 1", b: "0 of 1", differs: false });
  expect([...rowsOf(smooth, smooth).values()].some(({ differs }) => differs)).toBe(false);
});

test("[PG89] a row that neither run has is left out, and what no agent reported is not zero", () => {
  const begun = new Driver(featureDev());
  const rows = rowsOf(begun, begun);
  expect(rows.has("Stories done")).toBe(false);
  expect(rows.has("Why it ended")).toBe(false);
  const silent = new Driver(featureDev());
  silent.plan("plan", "US-1");
  expect(rowsOf(silent, played(0)).get("Cost")).toEqual({ a: "-", b: "$1.00", differs: true });
});

test("[PG89] steps are compared one by one, those that only one run has performed as well", () => {
  const begun = new Driver(featureDev());
  const steps = comparedSteps(begun.run, played(1).run, begun.at);
  expect(steps.map(({ step }) => step)).toEqual(["plan", "implement", "verify"]);
  const verify = steps.find(({ step }) => step === "verify");
  expect(verify?.cells.slice(0, 2)).toEqual([
    { name: "Attempts", a: "", b: "1", differs: true },
    { name: "Rejected", a: "", b: "1", differs: true },
  ]);
  const same = comparedSteps(played(1).run, played(1).run, begun.at);
  expect(same.some(({ differs }) => differs)).toBe(false);
});
