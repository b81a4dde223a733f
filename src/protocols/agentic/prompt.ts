// What the protocol puts into a step's prompt: which attempt it is, the files to read, what a person said, and why it begins again.

import { storyPath } from "../../domain/story-path.ts";

/** Values of prompts that only this protocol has. */
export const promptKeys = [
  "attempt_line",
  "attempt_number",
  "checks_to_run",
  "files_to_read",
  "human_instruction",
  "previous_attempt",
  "project_name",
  "us_story",
] as const;

export interface PromptFacts {
  readonly project: string;
  readonly story: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** As the table has them, in order. */
  readonly reads: readonly string[];
  /** Whether a file or folder is in the workspace. */
  exists(path: string): boolean;
  /** What people said for this attempt. */
  readonly notes: readonly string[];
  /** Why the step begins again; empty: it does not. */
  readonly cameBack: string;
  /** What a session of a team runs before it reports. */
  readonly checks: readonly string[];
}

export function promptValues(facts: PromptFacts): Readonly<Record<(typeof promptKeys)[number], string>> {
  return {
    attempt_line: attemptLine(facts),
    attempt_number: `${facts.attempt}`,
    checks_to_run: checksToRun(facts),
    files_to_read: filesToRead(facts),
    human_instruction: humanInstruction(facts),
    previous_attempt: previousAttempt(facts),
    project_name: facts.project,
    us_story: storyPath("US-{story}", facts.story),
  };
}

/** It stands behind the first line of the prompt. */
function attemptLine({ attempt, maxAttempts }: PromptFacts): string {
  return attempt > 1 ? `\n(Attempt ${attempt} of ${maxAttempts})` : "";
}

function checksToRun({ checks }: PromptFacts): string {
  if (checks.length === 0) return "Make sure that what you changed fits the contracts: this step has no check to run";
  return `Run ${checks.join(" && ")} to confirm pass`;
}

/** There is a hand-off only after the first session, so one that is missing is left out; every other file is marked. */
function filesToRead({ reads, story, exists }: PromptFacts): string {
  const lines = reads.flatMap((pattern) => {
    const path = storyPath(pattern, story);
    if (path.includes("*") || exists(path)) return [`- ${path}`];
    return path === ".ai/HANDOFF.md" || path.startsWith(".ai/handoffs/") ? [] : [`- ${path} (not present)`];
  });
  return lines.length === 0 ? "- (none)" : lines.join("\n");
}

/** With the empty line behind it: without a note, the prompt has neither. */
function humanInstruction({ notes }: PromptFacts): string {
  const said = notes.map((note) => note.trim()).filter((note) => note !== "");
  return said.length === 0 ? "" : `=== Human Instruction ===\n${said.join("\n\n")}\n==========================\n\n`;
}

function previousAttempt({ cameBack }: PromptFacts): string {
  return cameBack.trim() === "" ? "" : `=== Previous Attempt ===\n${cameBack.trim()}\n========================\n\n`;
}
