// Notes branches and tags that moved while an agent worked that may only read. Git does not record who moves a ref, and a person may
// commit or tag at any time: so nothing is put back and the answer counts, but a person can see it.

import { hasStoryTrees } from "../../../domain/definition.ts";
import type { Report } from "../../../domain/report.ts";
import type { Run } from "../../../domain/run.ts";
import { parseSnapshot } from "../../../workspaces/trees/snapshot.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import { type RefPlaces, refsNow } from "../begin/ref-places.ts";

export async function withMovedRefs({ claim, workspace, refs }: BegunAttempt, report: Report): Promise<Report> {
  const { path, base } = workspace;
  if (refs === null || base === null) return report;
  const now = await refsNow(path);
  const isPawls = movedByPawl(claim.run, base);
  const names = [...new Set([...Object.keys(refs), ...Object.keys(now)])].toSorted();
  const moved = names.filter((name) => refs[name] !== now[name] && !isPawls(name));
  if (moved.length === 0) return report;
  const note = `while it worked, and it may only read, refs moved: ${described(moved, refs, now)}; Pawl cannot tell who moved them and left them as they are`;
  return { ...report, notes: [...report.notes, note] };
}

/** Its own branch is compared with its tree. The base moves when stories are integrated, also by other runs. */
function movedByPawl({ header }: Run, base: string): (ref: string) => boolean {
  const { branch } = parseSnapshot(base);
  const { place, definition } = header;
  const own = [branch, place.branch, hasStoryTrees(definition) ? place.baseName : null].map(
    (name) => `refs/heads/${name}`,
  );
  return (ref) => ref.startsWith("refs/heads/pawl/") || own.includes(ref);
}

const refsShown = 5;

function described(names: readonly string[], before: RefPlaces, after: RefPlaces): string {
  const short = (id: string | undefined) => id?.slice(0, 12) ?? "nothing";
  const shown = names.slice(0, refsShown).map((name) => `${name} (${short(before[name])} → ${short(after[name])})`);
  return shown.join(", ") + (names.length > refsShown ? ` and ${names.length - refsShown} more` : "");
}
