// Validates a file of our own format. A key of another format gets the words that are written here instead.

import { once } from "../document/once.ts";
import type { Path } from "../document/problem.ts";
import type { Reading } from "../document/reading.ts";
import { validate } from "../document/validate.ts";
import { type WorkflowInput, workflowJsonSchema, workflowSchema } from "./schema.ts";

export const ownJson = once(() => workflowJsonSchema());

/** The file's data, with folded keys; null when it has errors, which are then in the reading. */
export function validateOwn(reading: Reading, value: unknown): WorkflowInput | null {
  return validate({ schema: workflowSchema, json: ownJson, unknownKeys: "error", hintFor }, value, reading);
}

function hintFor(key: string, path: Path): string | null {
  return (path.at(-3) === "steps" || path.at(-3) === "body" ? stepHints[key] : undefined) ?? foreignHints[key] ?? null;
}

/** Keys of other formats that people bring along, and what is written here instead. */
const foreignHints: Readonly<Record<string, string>> = {
  required_outputs: "name the keys in `produces`, and the text that a good answer contains in `expects`",
  pass_outputs: "remove it: what a step prints is in the input of every later one; `produces` limits what is kept",
  output_keys: "write `produces: [KEYS]`",
  decision_key: "write `decide: KEY`, and the values in `on`",
  on_decision: "write `decide: KEY` and `on: { VALUE: ROUTE }`",
  next_step: "write `go_to: STEP`",
  retry_step: "write `back_to: STEP`, with `at_most: N`",
  max_retries: "write `on: { rejected: { again, at_most: N } }`, and the same in `on_error`",
  on_fail: "write `on: { rejected: ROUTE }` for a no, `on_error: ROUTE` for a crash",
  escalate_to: "write `then: gate` behind `at_most`",
  on_exhausted: "write `then: gate` behind `at_most`",
  if: "`if: { KEY: VALUE }` is for a step",
  when: "write `if: { KEY: VALUE }`",
  condition: "write `if: { KEY: VALUE }`",
  needs: "remove it: steps run in the order of the file",
  depends_on: "remove it: steps run in the order of the file",
  parallel: "only stories run at once: `stories: { concurrency: N, workspace: worktree }`",
  prompt: "write `input:` in the step; what an agent always reads is a role file: `files: { AGENTS.md: PATH }`",
  instructions: "write `input:` in the step; what an agent always reads is a role file: `files: { AGENTS.md: PATH }`",
  role: "write it into a role file: `files: { AGENTS.md: PATH }`",
  tools: "what an agent may do is in the configuration: `executors.NAME`; `access: read` keeps it from writing",
  run: "write `command: SHELL COMMAND`",
  script: "write `command: SHELL COMMAND`",
  uses: "write `agent: NAME` or `command: SHELL COMMAND`",
  outputs: "name the keys in `produces`",
  output: "name the keys in `produces`",
  retries: "write `on: { rejected: { again, at_most: N } }`, and the same in `on_error`",
  retry: "write `on: { rejected: { again, at_most: N } }`, and the same in `on_error`",
  verify: "write a step behind it whose `on: { rejected: { back_to: STEP, at_most: N } }` sends the work back",
  approval: "write a step of its own: `gate: QUESTION`",
  triggers: 'write `schedule: { cron: "0 3 * * *", zone: ZONE, task: TASK }`, or let a CI call `pawl run`',
  jobs: "this is the format of a CI; a workflow has `agents` and `steps`",
};

/** What to write where a step has a field that its kind does not have. */
export function hintForMisplaced(field: string): string {
  return misplacedHints[field] ?? foreignHints[field] ?? "remove it";
}

/** Fields of one kind of step that people write in another. */
const misplacedHints: Readonly<Record<string, string>> = {
  inputs: "write `input: TEXT`; `inputs` is for a step with `workflow`",
  agents: "write `agent: NAME`; `agents` is at the top of the file",
  options: "write a step of its own: `gate: QUESTION` with these options",
};

/** What belongs to an agent or to the whole file. */
const stepHints: Readonly<Record<string, string>> = {
  model: "write it at the agent: `agents: { NAME: { model: … } }`",
  executor: "write it at the agent: `agents: { NAME: { executor: … } }`; a person's work is a `gate`",
  schedule: 'write it at the top of the file: `schedule: { cron: "0 3 * * *", zone: ZONE, task: TASK }`',
};
