// The checks of a step: the project's tests, then its `post_check`. Which commands those are depends on the project.

import type { Check } from "../../domain/check.ts";
import type { ProjectCommands } from "../format/project.ts";
import type { StepRules } from "./rules-schema.ts";

/** The commands behind `tests`, and behind `post_check: project.lint`. */
export interface CheckCommands {
  readonly lint: string;
  readonly test: Check;
}

/** What the project configures. A word for which it configures nothing is not run, and that is said. */
export const configuredCommands: CheckCommands = { lint: "project.lint", test: { run: "project.test" } };

/** The protocol's own commands are those of a Go project, so they stand in only where there is a go.mod. */
export function checkCommands(project: ProjectCommands, isGo: boolean): CheckCommands {
  if (!isGo) return configuredCommands;
  return {
    lint: project.lint === null ? "go vet ./... && golangci-lint run" : configuredCommands.lint,
    test: project.test === null ? { run: "go test ./... -json", reads: "go-json" } : configuredCommands.test,
  };
}

export function checksOf(rules: StepRules, commands: CheckCommands): readonly Check[] {
  const tests = testsOf(rules);
  const { post_check } = rules;
  return [
    ...(tests === "none"
      ? []
      : [{ ...commands.test, ...(tests === "fail" ? { must: tests } : {}), as: "tests" as const }]),
    ...(post_check === undefined
      ? []
      : [{ run: withStory(post_check === configuredCommands.lint ? commands.lint : post_check), as: "lint" as const }]),
  ];
}

export function testsOf({ tests, treat_failing_as_pass }: StepRules): "pass" | "fail" | "none" {
  return tests ?? (treat_failing_as_pass ? "fail" : "none");
}

/** The variable of a check that names its story. */
export const storyVariable = "STORY";

export function namesStory(command: string | undefined): boolean {
  return command?.includes("{story}") ?? false;
}

/** A shell fills in the story from a variable, also between single quotes; nothing else in a command is replaced. */
function withStory(command: string): string {
  let isQuoted = false;
  return command.replace(/\\.|"(?:\\.|[^"\\])*"|'|(US-)?\{story\}/gs, (found, prefix: string | undefined) => {
    if (found === "'") isQuoted = !isQuoted;
    if (found.startsWith('"'))
      return isQuoted ? found : found.replace(/(US-)?\{story\}/g, (_, us?: string) => variable(us));
    if (!found.endsWith("{story}")) return found;
    return isQuoted ? `'"${variable(prefix)}"'` : `"${variable(prefix)}"`;
  });
}

function variable(prefix: string | undefined): string {
  return prefix === undefined ? `\${${storyVariable}}` : `${prefix}\${${storyVariable}#US-}`;
}
