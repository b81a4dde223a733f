import { expect, test } from "vitest";
import { loadWorkflow } from "../load.ts";
import { drawWorkflow } from "../picture.ts";

const one =
  "pawl: 1\nid: one\nagents: { dev: {} }\ninputs: [what]\nsteps: [{ id: build, agent: dev, input: '{{what}} {{item}}' }, { id: try, agent: dev, produces: [parts] }]\n";
const inner = one
  .replace("id: try,", "id: try, repeat_for: parts,")
  .replace("id: build,", "id: build, produces: [parts],")
  .replace("produces: [parts] }]", "}]");

function load(step: string, file = one) {
  const text = `pawl: 1\nid: x\nagents: { dev: {} }\nsteps:\n  - { id: list, agent: dev, produces: [hosts] }\n  - { id: each, ${step} }\n`;
  return loadWorkflow(text, "/w.yml", [], { find: () => ({ file: "/one.yml", text: file, roleFolder: "" }) });
}

test("[IN10 RF1] a step and an included workflow may be repeated for a list, and the picture says so", () => {
  const { definition, problems } = load("agent: dev, repeat_for: HOSTS, input: '{{item}}'");
  expect(problems).toEqual([]);
  expect(definition?.steps[1]).toMatchObject({ repeatFor: "hosts" });
  const included = load("workflow: one, repeat_for: hosts, inputs: { what: '{{hosts}}' }");
  expect(included.problems).toEqual([]);
  expect(included.definition?.steps[1]).toMatchObject({
    name: "each.build",
    input: "{{hosts}} {{item}}",
    entries: [{ include: "each", repeatFor: "hosts" }],
  });
  expect(included.definition && drawWorkflow(included.definition)).toContain("once for each entry of hosts, in order");
});

test("[IN8] the picture folds an included workflow into one step with the names of its own", () => {
  const { definition } = load("workflow: one, inputs: { what: x }", `${one}caps: { attempts: 3 }\n`);
  const picture = definition ? drawWorkflow(definition) : "";
  expect(picture).toContain("● each  workflow one: build, try");
  expect(picture).toContain("its attempts together at most 3 attempts, then fail");
  expect(picture).not.toContain("each.build");
});

test.each([
  ["agent: dev, repeat_for: host", "repeat_for host: nothing sets this key", one],
  ["agent: dev, repeat_for: task", "Pawl fills it in when a step starts", one],
  ["agent: dev, repeat_for: hosts, mandatory: true", "`mandatory` has no effect beside `repeat_for`", one],
  ["gate: ok, repeat_for: hosts", "`repeat_for` has no effect on a gate step", one],
  [
    "workflow: one, repeat_for: hosts, inputs: { what: x }",
    "is repeated inside of 'each', which is repeated itself",
    inner,
  ],
])("[IN10] refused with what to write: %s", (step, message, file) => {
  const { definition, problems } = load(step, file);
  expect(definition).toBeNull();
  expect(problems.map((problem) => problem.message).join("\n")).toContain(message);
});
