// Locks and limits of concurrency in a workflow file.

import { expect, test } from "vitest";
import { loadWorkflow } from "../load.ts";
import { drawWorkflow } from "../picture.ts";

const file = (step: string, agents = "{ dev: {} }") =>
  `pawl: 1\nid: x\nagents: ${agents}\nsteps:\n  - { id: plan, agent: dev }\n  - id: all\n    stories: {}\n    body: [${step}]\n`;
const errorsOf = (text: string) =>
  loadWorkflow(text, "w.yml")
    .problems.filter(({ severity }) => severity === "error")
    .map(({ message, line }) => `${line}: ${message}`);

test("[WF130 WF38] a step has a lock and a number of stories at once, an agent a number of attempts; all are drawn", () => {
  const text = file("{ id: b, agent: dev, lock: test-db, concurrency: 2 }", "{ dev: { concurrency: 3 } }");
  const { definition, problems } = loadWorkflow(text, "w.yml");
  expect(problems).toEqual([]);
  expect(definition?.agents).toMatchObject({ dev: { concurrency: 3 } });
  const body = definition?.steps[1]?.kind === "stories" ? definition.steps[1].body : [];
  expect(body).toMatchObject([{ lock: "test-db", concurrency: 2 }]);
  const picture = definition ? drawWorkflow(definition) : "";
  expect(picture).toContain("agent dev, at most 3 at once");
  expect(picture).toContain("holds the lock test-db; at most 2 stories at once");
});

test("[WF130] a lock without a usable name, and a number that has no effect, are refused with their line", () => {
  expect(errorsOf(file("{ id: b, agent: dev, lock: 'a b' }"))).toEqual([
    `8: Step 'b': "a b" is not the name of a lock`,
  ]);
  const chain = "pawl: 1\nid: x\nagents: { dev: {} }\nsteps:\n  - { id: b, agent: dev, concurrency: 2 }\n";
  expect(errorsOf(chain)).toEqual([
    "5: Step 'b': `concurrency` has no effect: only stories are at a step at the same time",
  ]);
  expect(errorsOf(file("{ id: b, gate: 'Well?', lock: db }"))).toEqual([
    "8: Step 'b': `lock` has no effect on a gate step",
  ]);
  expect(errorsOf(file("{ id: b, agent: dev, concurrency: 0 }"))).toHaveLength(1);
});
