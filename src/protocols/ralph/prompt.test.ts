import { expect, test } from "vitest";
import type { StepDefinition } from "../../domain/definition.ts";
import { type StepName, stepId, stepName, storyId } from "../../domain/ids.ts";
import type { Step, StepState } from "../../domain/step.ts";
import { operationWords } from "../files/edit-operation.ts";
import { readEdits } from "../files/edit-request.ts";
import { editHelp, notesOf, stepList } from "./prompt.ts";

const definitions: ReadonlyMap<StepName, StepDefinition> = new Map(
  ["context_gathering", "planning", "coding", "linting", "land"].map((name) => [
    stepName(name),
    { kind: name === "land" ? "integrate" : "agent", name, title: `Do ${name}` } as unknown as StepDefinition,
  ]),
);

function step(id: string, name: string, state: StepState, more: Partial<Step> = {}): Step {
  return { id: stepId(id), name: stepName(name), state, visit: 1, produced: [], feedback: "", ...more };
}

const chain = [
  step("step-001", "context_gathering", { status: "done" }, { notes: "\nmodels.py has it\n" }),
  step("step-002", "planning", { status: "skipped", by: "edit", reason: "simple" }, { notes: "never" }),
  step("step-011", "coding", { status: "done" }, { notes: "added a column", description: "Add the\n column" }),
  step("step-005", "coding", { status: "running", attempt: "a" as never }, { notes: "of the first visit" }),
  step("step-006", "linting", { status: "waiting" }),
  step("land", "land", { status: "waiting" }),
];

test("[RA38 C4 C72] the notes of all steps that are done, in the order of the chain", () => {
  expect(notesOf(chain, definitions)).toBe(
    "### step-001 context_gathering\n\nmodels.py has it\n\n### step-011 coding\n\nadded a column",
  );
  expect(notesOf(chain.slice(3), definitions)).toBe("");
});

test("[RA39 C72] the list of steps has ids, types, statuses of the state file and descriptions, and marks this one", () => {
  expect(stepList(chain, definitions, stepId("step-005"))).toBe(
    [
      "1. step-001 context_gathering [completed] Do context_gathering",
      "2. step-002 planning [skipped] Do planning",
      "3. step-011 coding [completed] Add the column",
      "4. step-005 coding [in_progress] Do coding <-- this step",
      "5. step-006 linting [pending] Do linting",
    ].join("\n"),
  );
});

test("[RA40 C46 C72] an agent learns where to write which operations, and its examples are valid", () => {
  const help = editHelp("/repo/it's", storyId("US-001"), stepId("step-008"), ["coding", "linting"]);
  expect(help).toContain("\n    /repo/it's/workflow_edits/US-001.json\n");
  expect(help).toContain(
    "mv '/repo/it'\\''s/workflow_edits/US-001.json.tmp' '/repo/it'\\''s/workflow_edits/US-001.json'",
  );
  expect(help).toContain("Step types: coding, linting.");
  const examples = [...help.matchAll(/```json\n([^`]*)```/g)].map(([, example = ""]) => example);
  expect(examples.map((example) => (JSON.parse(example) as { operation: string }).operation)).toEqual([
    ...operationWords,
  ]);
  for (const example of examples) expect(readEdits(example)).toMatchObject({ operations: { length: 1 }, notes: [] });
  expect(readEdits(`[${examples.join(",")}]`)).toMatchObject({ operations: { length: 7 }, notes: [] });
});

test("[RA40 C55 C61 C62] it gets the eleven rules, with the limits of its workflow", () => {
  const rules = (help: string) => help.split("Rules:\n\n")[1]?.trim().split("\n") ?? [];
  const plain = rules(editHelp("/repo", storyId("US-001"), stepId("step-008"), ["coding"]));
  expect(plain).toHaveLength(11);
  expect(plain.join()).toContain("at most 30 steps");
  expect(plain.join()).toContain("at most 3 times");
  const other = rules(
    editHelp("/repo", storyId("US-001"), stepId("step-008"), ["coding"], { maxSteps: 12, restarts: 1 }),
  );
  expect(other.join()).toContain("at most 12 steps");
  expect(other.join()).toContain("at most 1 time;");
});

test("[RA40 C60] a story with an unsafe id is refused", () => {
  expect(() => editHelp("/repo", storyId("../x"), stepId("step-008"), ["coding"])).toThrow(
    "cannot be part of a file name",
  );
});
