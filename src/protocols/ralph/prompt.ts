// Writes the parts of a prompt about the chain of a story, and how an agent requests edits. Pure text.

import { join } from "node:path";
import { counted } from "../../domain/counted.ts";
import { defaultRestarts, type StepDefinition } from "../../domain/definition.ts";
import type { StepId, StepName, StoryId } from "../../domain/ids.ts";
import type { Chain, Step } from "../../domain/step.ts";
import type { OperationWord } from "../files/edit-operation.ts";
import { isHidden } from "./history.ts";
import { editFile, sharedIn } from "./shared.ts";
import { stepStatusInFile } from "./state-document.ts";

type Definitions = ReadonlyMap<StepName, StepDefinition>;

/** The notes of earlier steps, in the order of the chain; empty if there are none. */
export function notesOf(chain: Chain, definitions: Definitions): string {
  return visible(chain, definitions)
    .filter((step) => step.state.status === "done" && (step.notes ?? "").trim() !== "")
    .map((step) => `### ${step.id} ${step.name}\n\n${step.notes?.trim()}`)
    .join("\n\n");
}

/** All steps, with the statuses that the state file uses. */
export function stepList(chain: Chain, definitions: Definitions, current: StepId): string {
  return visible(chain, definitions)
    .map((step, index) => {
      const mark = step.id === current ? " <-- this step" : "";
      const description = step.description || (definitions.get(step.name)?.title ?? step.name);
      const oneLine = description.replace(/\s+/g, " ").trim();
      return `${index + 1}. ${step.id} ${step.name} [${stepStatusInFile[step.state.status]}] ${oneLine}${mark}`;
    })
    .join("\n");
}

function visible(chain: Chain, definitions: Definitions): readonly Step[] {
  return chain.filter((step) => !isHidden(definitions.get(step.name)));
}

/** The limits of the workflow, if it sets any. */
interface Limits {
  readonly maxSteps?: number;
  readonly restarts?: number;
}

/** `types`: the step types that an agent may add. */
export function editHelp(
  sharedDir: string,
  story: StoryId,
  currentStep: StepId,
  types: readonly string[],
  limits: Limits = {},
): string {
  const file = editFile(sharedIn(sharedDir), story);
  const draft = join(sharedIn(sharedDir).editsDir, `${story}.json.tmp`);
  const explained = Object.entries(examplesFor(currentStep)).map(
    ([word, { what, example }]) =>
      `- \`${word}\`: ${what}\n\n  \`\`\`json\n  ${JSON.stringify({ operation: word, ...example })}\n  \`\`\``,
  );
  return `You may change the steps that are still to come. To request changes, write a JSON array of operations to

    ${file}

Write it to a temporary file first and rename it, so that no reader sees half of it:

    mkdir -p ${quoted(sharedIn(sharedDir).editsDir)} && mv ${quoted(draft)} ${quoted(file)}

It is read once, when this step (${currentStep}) has completed; if the step fails it is not applied. Each operation has
\`operation\` (not \`op\`) and \`reason\`; steps are named by \`target_step_id\` (not \`step_id\`). Step types: ${types.join(", ")}.

${explained.join("\n\n")}

Rules:

${guardrails(limits)
  .map((rule, index) => `${index + 1}. ${rule}`)
  .join("\n")}
`;
}

interface Explained {
  readonly what: string;
  readonly example: Readonly<Record<string, unknown>>;
}

function examplesFor(current: StepId): Readonly<Record<OperationWord, Explained>> {
  const fix = [
    { type: "coding", description: "Fix the two red tests" },
    { type: "linting", description: "Lint again after the fix" },
  ];
  return {
    add_after: {
      what: "put new steps after any step",
      example: { target_step_id: "step-007", reason: "2 tests are red", new_steps: fix },
    },
    add_before: {
      what: "put new steps before a pending step, or before this one, which then runs again after them",
      example: { target_step_id: current, reason: "a criterion is not met", new_steps: fix },
    },
    split: {
      what: "replace a pending step by two or more",
      example: {
        target_step_id: "step-005",
        reason: "model and endpoint are two things",
        replacement_steps: [
          { type: "coding", description: "Add the model" },
          { type: "coding", description: "Add the endpoint" },
        ],
      },
    },
    skip: {
      what: "leave out a pending step",
      example: { target_step_id: "step-009", reason: "two tests were added, there is nothing to prune" },
    },
    reorder: {
      what: "all pending steps in a new order",
      example: { reason: "tests first", new_order: ["step-007", "step-006", "step-008", "step-009", "step-010"] },
    },
    edit_description: {
      what: "change the description of a pending step",
      example: {
        target_step_id: "step-007",
        reason: "the migration must be tested, too",
        new_description: "Run the tests, the rollback of the migration included",
      },
    },
    restart: {
      what: "this step went wrong: its work is saved as a diff and rolled back, and it restarts with another description",
      example: {
        target_step_id: current,
        reason: "I changed the serializer instead of the model",
        new_description: "Add the column to the model and generate the migration",
      },
    },
  };
}

/** The eleven rules of Dynamic Ralph, in short. */
const guardrails = ({ maxSteps = 30, restarts = defaultRestarts }: Limits) => [
  "`linting` and `final_review` cannot be skipped or left out.",
  "Only pending steps can be changed; `restart` alone is about this step. `add_after` may name any step.",
  "`final_review` stays last and there is one; more work goes before it.",
  "Ids of new steps are given by the orchestrator; do not invent them.",
  "Every edit is recorded with its reason and the steps before and after it.",
  "You can edit this story only; files for other stories are ignored.",
  `A story has at most ${counted(maxSteps, "step")}.`,
  `A step restarts at most ${counted(restarts, "time")}; one more request fails it.`,
  "All operations of the file are applied, or none.",
  "If they are refused, the reason is in the story's scratch file.",
  "`reorder` names every pending step exactly once, `final_review` last.",
];

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
