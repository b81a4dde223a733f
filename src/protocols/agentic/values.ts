// The template values of an attempt, from its run and the files of its workspace. Only whether a file exists is looked at.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { notesWith } from "../../domain/note.ts";
import type { AttemptFacts } from "../protocol.ts";
import { cameBack, personsWords } from "./previous-attempt.ts";
import { promptValues } from "./prompt.ts";
import { repetitionsLeft } from "./state-document.ts";

/** Empty outside a story. */
export function agenticValues(
  { run, attempt, definition }: AttemptFacts,
  workspace: string,
): Readonly<Record<string, string>> {
  const { story, number } = attempt;
  if (story === null) return {};
  const scope = run.stories[story];
  return promptValues({
    story,
    attempt: number,
    maxAttempts: number + repetitionsLeft(scope, definition),
    reads: definition.reads ?? [],
    exists: (path) => existsSync(join(workspace, path)),
    notes: notesWith(run.header.notes, attempt.id).map((note) => personsWords(run, note)),
    cameBack: cameBack(scope, scope?.chain.find(({ id }) => id === attempt.step)?.feedback ?? ""),
  });
}
