// The project's own commands: replaces the words `project.lint` and `project.test` in a workflow's checks when a run
// starts. Nothing else in a check is ever replaced.

import {
  type Definition,
  isPerformed,
  type PerformedDefinition,
  type StepDefinition,
} from "../../domain/definition.ts";
import { nearest, type Path } from "../document/problem.ts";
import { type Reading, refuse, warn } from "../document/reading.ts";

/** null: not configured. */
export interface ProjectCommands {
  readonly lint: string | null;
  readonly test: string | null;
}

const commandOf: ReadonlyMap<string, keyof ProjectCommands> = new Map([
  ["project.lint", "lint"],
  ["project.test", "test"],
]);

export interface ResolvedChecks {
  readonly definition: Definition;
  /** Checks that are left out because the command is not configured. */
  readonly notes: readonly string[];
}

/** The checks as they will run. A word without a command is dropped: what a project does not have cannot be red. */
export function resolveChecks(definition: Definition, project: ProjectCommands): ResolvedChecks {
  const dropped = new Set<keyof ProjectCommands>();
  const commands = (check: string): readonly string[] => {
    const word = commandOf.get(check);
    if (word === undefined) return [check];
    const command = project[word]?.trim() ?? "";
    if (command !== "") return [command];
    dropped.add(word);
    return [];
  };
  const resolved = (step: StepDefinition): StepDefinition => {
    if (step.kind === "stories") return { ...step, body: step.body.map(resolved) };
    return isPerformed(step) ? { ...step, checks: step.checks.flatMap(commands) } : step;
  };
  const steps = definition.steps.map(resolved);
  const notes = [...dropped].map(
    (word) => `\`project.${word}\` is not configured, so \`${definition.id}\` does not run it after its steps`,
  );
  return { definition: { ...definition, steps }, notes };
}

/** A check is given to a shell as it stands. */
export function checkChecks(reading: Reading, step: PerformedDefinition, path: Path): void {
  step.checks.forEach((check, index) => {
    if (check.includes("{{")) {
      refuse(reading, [...path, index], {
        message: `Step '${step.name}': nothing in a check is replaced, and this one has \`{{\``,
        expected: "a command as it is typed, project.lint or project.test",
        hint: "what an agent says must not reach a shell; put a command that needs braces into a script of the project",
      });
    } else if (/^project\.[\w-]+$/.test(check) && !commandOf.has(check)) {
      const meant = nearest(check, commandOf.keys());
      warn(reading, [...path, index], {
        message: `Step '${step.name}': \`${check}\` stands for nothing and is run as a command`,
        expected: `one of: ${[...commandOf.keys()].join(", ")}`,
        hint: meant ? `did you mean \`${meant}\`?` : "write the command itself",
      });
    }
  });
}
