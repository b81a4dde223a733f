// What an agent wrote into repositories of its own inside of its tree is work like the rest.

import { join } from "node:path";
import type { Report } from "../../../domain/report.ts";
import { takeInNested } from "../../../workspaces/trees/nested.ts";
import type { Parts } from "../../parts.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import { mayOnlyRead } from "../claim/read-access.ts";

export async function withNestedWork(
  { home }: Pick<Parts, "home">,
  { claim, workspace }: BegunAttempt,
  report: Report,
): Promise<Report> {
  if (workspace.base === null || mayOnlyRead(claim)) return report;
  const kept = join(home.salvage, claim.run.header.id, `${claim.attempt.id}.repositories`);
  const taken = await takeInNested(workspace.path, (folder) => join(kept, encodeURIComponent(folder)));
  const notes = taken.map(
    (folder) =>
      `${folder} was a git repository of its own: its files are part of the work now, and its .git is in ${kept}`,
  );
  return notes.length === 0 ? report : { ...report, notes: [...report.notes, ...notes] };
}
