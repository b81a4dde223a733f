import { expect, test } from "vitest";
import { loadWorkflow } from "../load.ts";
import { drawWorkflow } from "../picture.ts";

const load = (step: string) =>
  loadWorkflow(`pawl: 1\nid: x\nsteps:\n  - ${step}\n  - { id: last, command: "true" }\n`, "w.yml");

test("[WF115 WF38] a command declares the keys that it prints, and the picture shows them", () => {
  const { definition, problems } = load('{ id: version, command: "make version", produces: [Version, commit] }');
  expect(problems).toEqual([]);
  expect(definition?.steps[0]).toMatchObject({ kind: "command", produces: ["version", "commit"] });
  expect(definition?.knownKeys).toContain("commit");
  expect(definition && drawWorkflow(definition)).toContain("sets version, commit");
});

test.each([
  ["status", "a command says with its exit code whether it passed, and `STATUS` sets no key"],
  ["task", "only Pawl sets `task`"],
  ["a key", '"a key" is not a key that a line `KEY: value` can have'],
])("[WF115] %s is refused with its place", (key, message) => {
  const { definition, problems } = load(`{ id: v, command: "make", produces: [ok, ${key}] }`);
  expect(definition).toBeNull();
  expect(problems).toMatchObject([
    { severity: "error", line: 4, path: "steps[0].produces[1]", message: `Step 'v': ${message}` },
  ]);
  expect(problems[0]?.hint).toBe("choose a name of its own: `produces: [v_result]`");
});
