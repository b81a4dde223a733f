import { expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { agent, backTo, gate, stories, workflow } from "../../../test/support/engine/workflow.ts";
import { evidenceFor } from "./evidence.ts";

test("[PG42] the evidence is the last end of each step before the question, in the scope of its gate", () => {
  const body = [agent("code"), agent("verify", { on: { rejected: backTo("code") } }), gate("look")];
  const run = new Driver(workflow([agent("plan"), stories("each", body)]));
  run.plan("plan", "US-1");
  run.pass("US-1/code");
  run.reject("US-1/verify", "too short");
  const checks = [{ run: "npm test", passed: true }, { run: "npm run lint", passed: false }, "noise"];
  run.pass("US-1/code", { facts: { checks, tests: { pass: 3, fail: 0, skip: 1 } } });
  run.pass("US-1/verify", { facts: { checks: "noise", tests: [1] } });
  const { id } = run.openGate("US-1/look");
  expect(evidenceFor(run.events, id)).toMatchObject([
    {
      name: "code",
      number: 2,
      status: "done",
      outcome: "passed",
      checks: [
        { run: "npm test", passed: true },
        { run: "npm run lint", passed: false },
      ],
      tests: { pass: 3, fail: 0, skip: 1 },
    },
    { name: "verify", number: 2, status: "done", checks: [], tests: null },
  ]);
  expect(evidenceFor(run.events, "another")).toEqual([]);
});
