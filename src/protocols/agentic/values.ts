// The template values of an attempt, from its run and the files of its workspace. Only whether a file exists is looked at.

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { StepDefinition } from "../../domain/definition.ts";
import { notesWith } from "../../domain/note.ts";
import type { AttemptFacts } from "../protocol.ts";
import { cameBack, personsWords } from "./previous-attempt.ts";
import { projectSettings } from "./project-settings.ts";
import { promptValues } from "./prompt.ts";
import { repetitionsLeft } from "./state-document.ts";

/** Empty outside a story. */
export function agenticValues(
  { run, attempt, definition }: AttemptFacts,
  workspace: string,
): Readonly<Record<string, string>> {
  const { story, number, part } = attempt;
  if (story === null) return {};
  const { shared } = run.header.place;
  const scope = run.stories[story];
  const step = scope?.chain.find(({ id }) => id === attempt.step);
  const { feedback = "" } = step?.parts?.find(({ name }) => name === part) ?? step ?? {};
  return promptValues({
    project: shared === undefined ? "" : projectSettings(shared, basename(dirname(shared))).name,
    story,
    attempt: number,
    maxAttempts: number + repetitionsLeft(scope, definition),
    reads: definition.reads ?? [],
    exists: (path) => existsSync(join(workspace, path)),
    notes: notesWith(run.header.notes, attempt.id).map((note) => personsWords(run, note)),
    cameBack: cameBack(scope, feedback),
    checks: postChecksOf(run.header.definition.steps, attempt.name),
  });
}

/** What Pawl runs after the step besides the tests: the work of one role alone need not make those pass. */
export function postChecksOf(steps: readonly StepDefinition[], name: string): readonly string[] {
  const body = steps.flatMap((step) => (step.kind === "stories" ? step.body : [step]));
  const step = body.find((each) => each.name === name);
  return step?.kind === "agent" ? step.checks.filter(({ as }) => as === "lint").map(({ run }) => run) : [];
}
