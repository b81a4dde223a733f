// The project's own commands: replaces the words `project.lint` and `project.test` in a workflow's commands and checks when a
// run starts. Nothing else in a command is ever replaced.

import type { Check } from "../../domain/check.ts";
import {
  type Definition,
  isPerformed,
  type PerformedDefinition,
  type StepDefinition,
} from "../../domain/definition.ts";
import { nearest, type Path } from "../document/problem.ts";
import { type Reading, warn } from "../document/reading.ts";

/** null: not configured. */
export interface ProjectCommands {
  readonly lint: string | null;
  readonly test: string | null;
  /** How the results of the tests are read, where a check does not say it. */
  readonly testResults?: Pick<Check, "reads" | "file">;
}

type CommandWord = "lint" | "test";

const commandOf: ReadonlyMap<string, CommandWord> = new Map([
  ["project.lint", "lint"],
  ["project.test", "test"],
]);

export interface ResolvedCommands {
  readonly definition: Definition;
  /** Words that stand for nothing here, because the command is not configured. */
  readonly notes: readonly string[];
}

/** The commands as they will run. A word without a command does nothing: what a project does not have cannot be red. */
export function resolveCommands(definition: Definition, project: ProjectCommands): ResolvedCommands {
  const dropped = new Set<CommandWord>();
  const commands = (check: string): readonly string[] => {
    const word = commandOf.get(check);
    if (word === undefined) return [check];
    const command = project[word]?.trim() ?? "";
    if (command !== "") return [command];
    dropped.add(word);
    return [];
  };
  const results = ({ reads }: Check) => (reads === undefined ? project.testResults : undefined);
  const resolved = (step: StepDefinition): StepDefinition => {
    if (step.kind === "stories") return { ...step, body: step.body.map(resolved) };
    if (!isPerformed(step)) return step;
    const checks = step.checks.flatMap((check) =>
      commands(check.run).map((run) => ({
        ...(commandOf.get(check.run) === "test" ? results(check) : {}),
        ...check,
        run,
      })),
    );
    if (step.kind !== "command") return { ...step, checks };
    return { ...step, checks, command: commands(step.command)[0] ?? `echo '${step.command} is not configured'` };
  };
  const steps = definition.steps.map(resolved);
  const notes = [...dropped].map(
    (word) => `\`project.${word}\` is not configured, so \`${definition.id}\` does not run it: \`pawl init\` sets it`,
  );
  return { definition: { ...definition, steps }, notes };
}

/** Such a word is run as a command where it stands for nothing, and no program has that name. */
export function checkProjectWords(reading: Reading, step: PerformedDefinition, path: Path): void {
  const commands = step.checks.map(({ run }, index) => [run, [...path, "checks", index]] as const);
  for (const [command, at] of step.kind === "command"
    ? [[step.command, [...path, "command"]] as const, ...commands]
    : commands) {
    if (!/^project\.[\w-]+$/.test(command) || commandOf.has(command)) continue;
    const meant = nearest(command, commandOf.keys());
    warn(reading, at, {
      message: `Step '${step.name}': \`${command}\` stands for nothing and is run as a command`,
      expected: `one of: ${[...commandOf.keys()].join(", ")}`,
      hint: meant ? `did you mean \`${meant}\`?` : "write the command itself",
    });
  }
}
