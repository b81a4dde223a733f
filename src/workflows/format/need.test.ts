// `need` and `others` of a `stories` step, as a file writes them.

import { describe, expect, test } from "vitest";
import { known } from "../../../test/support/protocols.ts";
import { loadWorkflow } from "../load.ts";
import { drawWorkflow } from "../picture.ts";

const file = (fields: string) => `pawl: 1
id: w
agents: { dev: {} }
steps:
  - { id: plan, agent: dev, input: "Print STORIES_JSON" }
  - id: each
    stories: {}
    body: [{ id: code, agent: dev }]
    ${fields}
`;

function load(fields: string) {
  const { definition, problems } = loadWorkflow(file(fields), "w.yml", known);
  const step = definition?.steps.find(({ kind }) => kind === "stories");
  return { step, problems, picture: definition ? drawWorkflow(definition) : "" };
}

describe("how many stories a step needs", () => {
  test.each([
    ["", { onStoryFailed: "stop" }],
    ["need: all", { onStoryFailed: "stop" }],
    ["others: finish", { onStoryFailed: "stop" }],
    ["others: stop", { onStoryFailed: "stop", others: "stop" }],
    ["need: 2", { onStoryFailed: "continue", need: 2 }],
    ["{ need: 2, on_story_failed: stop }", { onStoryFailed: "stop", need: 2 }],
    ["{ need: 2, others: stop }", { onStoryFailed: "continue", need: 2, others: "stop" }],
    ["need: first", { onStoryFailed: "continue", need: 1, others: "stop" }],
  ])("[WF133] %s", (fields, read) => {
    const lines = fields.startsWith("{") ? fields.slice(2, -2).split(", ").join("\n    ") : fields;
    const { step, problems } = load(lines);
    expect(problems).toEqual([]);
    const { need, others, onStoryFailed } = step?.kind === "stories" ? step : {};
    expect(JSON.parse(JSON.stringify({ need, others, onStoryFailed }))).toEqual(read);
  });

  test.each([
    ["need: 0", 9, "need"],
    ["need: -1", 9, "need"],
    ["need: some", 9, "need"],
    ["need: first\n    others: stop", 10, "`need: first` stops the others"],
    ["need: first\n    others: finish", 10, "`need: first` stops the others"],
    ["others: stop\n    on_story_failed: continue", 10, "`on_story_failed` has no effect beside `others: stop`"],
    ["others: stop\n    on_story_failed: stop", 10, "`on_story_failed` has no effect beside `others: stop`"],
  ])("[WF133] %j is refused with its line and what to write", (fields, line, message) => {
    const [problem] = load(fields).problems;
    expect(problem).toMatchObject({ severity: "error", line, message: expect.stringContaining(message) });
    expect(problem?.hint).not.toBe("");
  });

  test.each([
    ["need: first", ["one story must be done; then the others are stopped", "a failed story lets the others continue"]],
    ["need: 2", ["2 stories must be done; the others run, too"]],
    ["others: stop", ["a failed story stops the others"]],
  ])("[WF134] the picture says %s", (fields, lines) => {
    for (const line of lines) expect(load(fields).picture).toContain(line);
  });
});
