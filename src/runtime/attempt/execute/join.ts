// Joins what the parts of a step changed, each in its own tree, into the tree of the step: file by file, in the order of the list. The git
// of it is in workspaces/trees/joined.ts. A crash before the report is stored only joins again.

import { counted } from "../../../domain/counted.ts";
import { partName } from "../../../domain/ids.ts";
import type { CompletedReport } from "../../../domain/report.ts";
import { restoreSnapshot } from "../../../workspaces/trees/restore.ts";
import type { Parts } from "../../parts.ts";
import { joinWorks, worksOf } from "../../trees/part-trees.ts";
import { runNow } from "../prepare/shared-base.ts";
import type { Answer } from "./answer.ts";
import type { Work } from "./work.ts";

export async function joinParts(parts: Pick<Parts, "home" | "store">, { begun, log }: Work): Promise<Answer> {
  const { claim, workspace } = begun;
  const { path, base } = workspace;
  if (base === null) return answer("its parts worked one after the other in one folder: there is nothing to join");
  const run = await runNow(parts, claim.run, claim.attempt.story);
  const works = worksOf(parts, run, claim.attempt, null);
  const joined = await joinWorks(run, path, base, works);
  const names = works.map(({ name }) => name);
  if (joined.result === "conflict") {
    const text = `${joined.name} changed files that ${names.slice(0, names.indexOf(joined.name)).join(" or ")} changed, too`;
    log.note(`${text}: ${named(joined.files)}`);
    return conflict(joined.name, joined.files, text);
  }
  await restoreSnapshot(path, joined.snapshot);
  const note = `joined ${names.join(", ")}: ${counted(joined.changed.length, "file")} changed`;
  log.note(note);
  return answer(note);
}

const said = { outcome: "completed", outputs: {}, stories: null } as const;

function answer(note: string): Answer {
  const report: CompletedReport = { ...said, verdict: { kind: "passed" }, feedback: "", notes: [note] };
  return { kind: "performed", report, isChecked: false };
}

function conflict(name: string, files: readonly string[], text: string): Answer {
  const feedback = `${text}: ${named(files)}\n\nYour tree has the work of those before you now, and yours is not in it. Do your work again on top of theirs.`;
  const report: CompletedReport = {
    ...said,
    verdict: { kind: "rejected", reason: "conflict" },
    feedback,
    notes: [],
    conflict: { part: partName(name), files },
  };
  return { kind: "performed", report, isChecked: true };
}

const mostNamed = 20;

function named(files: readonly string[]): string {
  const more = files.length > mostNamed ? ` and ${files.length - mostNamed} more` : "";
  return `${files.slice(0, mostNamed).join(", ")}${more}`;
}
