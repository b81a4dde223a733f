// Strict templates in a workflow file: what the check proves.

import { expect, test } from "vitest";
import { loadWorkflow } from "../load.ts";
import { drawWorkflow } from "../picture.ts";

const file = (steps: string, top = "") =>
  loadWorkflow(`pawl: 1\nid: x\ntemplates: strict\nagents: { dev: {} }\n${top}steps:\n${steps}`, "w.yml");
const problemsOf = (steps: string, top = "") =>
  file(steps, top).problems.map(({ severity, line, message, hint }) => `${severity} ${line}: ${message} (${hint})`);

test("[WF131 WF38] a key that a step before declares, a given one and a default are enough; it is drawn", () => {
  const steps = `  - { id: plan, agent: dev, produces: [test_cmd], input: "{{task}} {{ticket}} {{feedback}} {{attempt}}" }
  - id: all
    stories: {}
    body:
      - { id: code, agent: dev, produces: [changes], input: "{{current_story}} {{test_cmd}} {{notes | default: 'none'}}" }
      - { id: check, agent: dev, input: "{{changes}} \\\\{{not_a_key}}" }
  - { id: sum, agent: dev, input: "{{all.*.changes}} {{branch}}" }
`;
  const { definition } = file(steps, 'context: { ticket: "" }\n');
  expect(problemsOf(steps, 'context: { ticket: "" }\n')).toEqual([]);
  expect(definition?.templates).toBe("strict");
  expect(definition && drawWorkflow(definition)).toContain("asks a person where a key of an input has no value");
});

test("[WF131] a key that nothing sets before the step is refused with its line", () => {
  const steps = `  - { id: plan, agent: dev, input: "{{changes}}" }
  - { id: code, agent: dev, produces: [changes], input: "{{chnages}}", env: { V: "{{version}}" }, checks: [make] }
  - { id: end, agent: dev, input: "{{changes}}" }
`;
  expect(problemsOf(steps)).toEqual([
    "error 6: Step 'plan': `{{changes}}` has no value here, and templates are strict ('code' sets it, but not before this step: declare it in `produces` of an earlier step, or write `{{changes | default: \"text\"}}`)",
    "error 7: Step 'code': `{{chnages}}` has no value here, and templates are strict (nothing sets it: declare it in `produces` of an earlier step, or write `{{chnages | default: \"text\"}}`)",
    "error 7: Step 'code': `{{version}}` has no value here, and templates are strict (nothing sets it: declare it in `produces` of an earlier step, or write `{{version | default: \"text\"}}`)",
  ]);
});
