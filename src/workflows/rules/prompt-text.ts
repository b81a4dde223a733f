// The prompt of a step of a rules table, as a template. The protocol fills in the attempt, the files to read and a person's words.

import type { StepRules } from "./rules-schema.ts";
import { sessionReasons } from "./session-reasons.ts";

const outputRules = `Output rules:
- Only modify affected files and paragraphs, don't rewrite unrelated content
- After completion, update .ai/HANDOFF.md (include YAML front matter)
- If touching Non-Goals scope, mark scope_warning in HANDOFF.md reason field`;

/** In prose: a session that only repeats its prompt has reported nothing. */
const afterCompletion = (name: string) => `After completion:
1. Update .ai/HANDOFF.md:
   - YAML front matter: fill in story, step, attempt, status, reason, files_changed, tests values
   - Markdown body: record what was done, what's unresolved, what next session should note
2. If requirements are unclear, fill reason field with needs_clarification
3. If Constitution violation found, fill reason field with constitution_violation
4. The front matter stands between two lines of three dashes at the top of the file. It counts only for this session: story {{current_story_id}}, step ${name}, attempt {{attempt_number}}
5. Write pass as the status only if the step is done and no test fails that should pass. If it is not done, write failing, and as the reason null or one of these: ${sessionReasons.join(", ")}. If only a person can help, write needs_human, and the question under "Not yet resolved"
6. Write the file also if the step did not succeed. Leave .ai/STATE.json as it is`;

const sizeRule = `7. If this step shows how large the Story is, add to the front matter complexity (S, M or L) and parallel (the number of scenarios that are tagged [P])`;

/** Steps that published tables have, and the bundled one has not. */
const knownSteps: Readonly<Record<string, Required<Pick<StepRules, "title" | "instruction">>>> = {
  commit: {
    title: "Commit",
    instruction: `Stage and commit all code changes of this Story with a conventional commit message that contains its id. Do not commit PROJECT_MEMORY.md or .ai/history.md, which the next step updates. Record the hash of the commit in the front matter of HANDOFF.md as commit_hash.`,
  },
};

export function titleOf(name: string, { title }: StepRules): string {
  return title ?? knownSteps[name]?.title ?? name;
}

/** Null: the table says nothing of what the step does. */
export function instructionOf(name: string, { instruction }: StepRules): string | null {
  return instruction?.trim() ?? knownSteps[name]?.instruction ?? null;
}

/** `namesSize`: what it finds out about the size of the story decides whether a team works on a later step. */
export function inputOf(name: string, rules: StepRules, { namesSize }: { readonly namesSize: boolean }): string {
  const title = titleOf(name, rules);
  const instruction =
    instructionOf(name, rules) ?? `Carry out the step ${title} as the documents of this project describe it.`;
  return `You are executing step ${title} for {{current_story_id}}.{{attempt_line}}

Please read the following files in order:
{{files_to_read}}

{{human_instruction}}{{previous_attempt}}{{current_story}}

${instruction}

${outputRules}

${afterCompletion(name)}
${namesSize ? `${sizeRule}\n` : ""}`;
}
