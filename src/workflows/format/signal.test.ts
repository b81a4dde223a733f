// Steps that wait for a signal, in a workflow file.

import { expect, test } from "vitest";
import { loadWorkflow } from "../load.ts";
import { drawWorkflow } from "../picture.ts";

const file = (step: string) =>
  loadWorkflow(
    `pawl: 1\nid: x\nagents: { dev: {} }\nsteps:\n  - ${step}\n  - { id: b, agent: dev, input: "{{url}}" }\n`,
    "w.yml",
  );
const problemsOf = (step: string) => file(step).problems.map(({ line, message }) => `${line}: ${message}`);

test("[WF132 WF38] a step waits for a signal with its keys and its time; it is drawn", () => {
  const { definition, problems } = file(
    "{ id: wait, signal: deploy-done, produces: [URL], timeout: 2h, on_timeout: { go_to: b } }",
  );
  expect(problems).toEqual([]);
  if (!definition) throw new Error("not loaded");
  expect(definition.steps[0]).toMatchObject({
    kind: "gate",
    signal: { name: "deploy-done", produces: ["url"] },
    options: { received: { to: "next" }, late: { to: "go_to", step: "b" } },
    deadline: { afterMs: 7_200_000, option: "late" },
  });
  const picture = drawWorkflow(definition);
  for (const text of ["waits for the signal deploy-done", "sets url", "after 2h without it → on to b"])
    expect(picture).toContain(text);
});

test("[WF132] without a route for that case it fails in words", () => {
  const { definition } = file("{ id: wait, signal: go, timeout: 90s }");
  expect(definition?.steps[0]).toMatchObject({
    options: { late: { to: "fail", reason: "the signal go did not come within 1m30s" } },
  });
});

test("[WF132] what cannot be is refused with its line", () => {
  expect(problemsOf("{ id: wait, signal: 'a b', produces: [url] }")).toEqual([
    `5: Step 'wait': "a b" is not the name of a signal`,
  ]);
  expect(problemsOf("{ id: wait, signal: go, produces: [url], on_timeout: next }")).toEqual([
    "5: Step 'wait': `on_timeout` without `timeout`",
  ]);
  expect(problemsOf("{ id: wait, signal: go, produces: [url], timeout: 1h, on_timeout: again }")).toEqual([
    "5: Step 'wait' deadline.then 'late': a cycle that no person and no limit ends",
  ]);
  expect(problemsOf("{ id: wait, signal: go, produces: [url], options: { a: next } }")).toEqual([
    "5: Step 'wait': `options` has no effect on a signal step",
  ]);
  expect(problemsOf("{ id: wait, signal: go, produces: [task] }")[0]).toContain("task");
});
