// The prompts of a team: of each role, of the lead of an Agent Team, and which files a role leaves alone.

import { titleOf } from "./prompt-text.ts";
import { isolationOf } from "./role-isolation.ts";
import type { StepRules } from "./rules-schema.ts";
import { sessionReasons } from "./session-reasons.ts";

export interface TeamRole {
  readonly name: string;
  readonly reads: readonly string[];
  /** Null: any file. */
  readonly writes: readonly string[] | null;
}

/** A role of a step, for a session of its own. The protocol fills in the attempt, the files, the checks and a person's words. */
export function roleInput(step: string, instruction: string, role: TeamRole, roles: readonly TeamRole[]): string {
  return `You are the ${role.name} executor for {{project_name}} project {{current_story_id}}.{{attempt_line}}
Several executors work on step ${step} of this Story at the same time, each in a tree of its own. Their work is joined afterwards.

Please read the following files:
{{files_to_read}}

{{human_instruction}}{{previous_attempt}}{{current_story}}

Your tasks:
1. Do the ${role.name} part of this step: ${instruction}
2. ${writesOf(role)}
3. {{checks_to_run}}

${isolationOf(role.name)}

After completion:
- Write status and summary to .ai/executor-result: a line that begins with the word status and a colon (pass, failing or needs_human), one with reason, one with summary
- Update .ai/HANDOFF.md for ${role.name} progress, with YAML front matter between two lines of three dashes: story {{current_story_id}}, step ${step}, attempt {{attempt_number}}, status, reason, files_changed, tests. The reason is null or one of these: ${sessionReasons.join(", ")}
${notTouched(role, roles)}
`;
}

/** The first task in the prompt of a role, for events; empty: it is none of ours. */
export function taskIn(input: string): string {
  return /^1\. (Do the .*)$/m.exec(input)?.[1] ?? "";
}

/** The lead of an Agent Team: one session that spawns the roles and does none of their work. */
export function leadInput(step: string, rules: StepRules, instruction: string, roles: readonly TeamRole[]): string {
  const spawns = roles.map((role) => spawnPrompt(step, instruction, role, roles)).join("\n\n");
  return `You are the lead of an Agent Team for {{project_name}} project {{current_story_id}}, step ${titleOf(step, rules)}.{{attempt_line}}

Please read the following files:
{{files_to_read}}

{{human_instruction}}{{previous_attempt}}{{current_story}}

Work in delegate mode (Shift+Tab): you only orchestrate. Do not write code, tests or documents yourself.
1. Read the [P] tags of the scenarios and find the tasks that can be worked on at the same time. Write them to .ai/TASKS.md, one a line: - [ ] [P] ROLE: task
2. Spawn one teammate for each role below with its prompt, completed with its tasks from .ai/TASKS.md. Give it no other files to read. One team for this session
3. Watch their messages and check in from time to time: a teammate may forget to mark a task as complete. Mark it in .ai/TASKS.md with [x] when it is
4. A teammate that is gone left its progress in .ai/handoffs/ROLE.md: spawn it again with that file
5. After all teammates have completed, look at what they report together: {{checks_to_run}}
6. Write .ai/HANDOFF.md for all of them, with YAML front matter between two lines of three dashes: story {{current_story_id}}, step ${step}, attempt {{attempt_number}}, status (pass, failing or needs_human), reason (null or one of these: ${sessionReasons.join(", ")}), files_changed, tests. Then the sections Executor Progress (one line for each role), File Conflict Log and Next session notes. Pawl writes STATE.json from it

${spawns}
`;
}

function spawnPrompt(step: string, instruction: string, role: TeamRole, roles: readonly TeamRole[]): string {
  return `=== Spawn prompt: ${role.name} ===
You are the ${role.name} executor for {{project_name}} project {{current_story_id}}.

Please read the following files:
${role.reads.map((path) => `- ${withStory(path)}`).join("\n")}

Your tasks:
1. Do the ${role.name} part of step ${step}: ${instruction}
2. ${writesOf(role)}
3. {{checks_to_run}}

${isolationOf(role.name)}

After completion:
- Write status and summary to .ai/executor-result.${role.name}, and your progress to .ai/handoffs/${role.name}.md
- Tell the lead, who updates .ai/HANDOFF.md
${notTouched(role, roles)}
===`;
}

/** A path in the text of a prompt: `us_story` is never US-US-007. */
function withStory(path: string): string {
  return path.replaceAll("US-{story}", "{{us_story}}").replaceAll("{story}", "{{current_story_id}}");
}

function writesOf({ writes }: TeamRole): string {
  if (writes === null) return "Change only the files that this part needs";
  if (writes.length === 0) return "Change no file of the project: you only check, and report what you find";
  return `Your files are ${writes.join(", ")}`;
}

function notTouched({ name }: TeamRole, roles: readonly TeamRole[]): string {
  const others = roles.filter((role) => role.name !== name && role.writes !== null && role.writes.length > 0);
  const theirs = others.map((role) => `${role.name} (${role.writes?.join(", ")})`);
  return theirs.length === 0
    ? "- Don't modify files that are not yours"
    : `- Don't modify files of the others: ${theirs.join("; ")}. A file that two of you change is a conflict`;
}
