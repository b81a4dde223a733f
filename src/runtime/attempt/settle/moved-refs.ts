// Notes branches and tags that moved while an agent worked, and that are not its own. Git does not record who moves a ref, and a person
// may commit or tag at any time: so nothing is put back and the answer counts, but a person can see it. Of an agent that may write,
// only what a person's usual commit does not do is noted, or every commit beside a run would be.

import { join } from "node:path";
import { hasStoryTrees } from "../../../domain/definition.ts";
import type { Report } from "../../../domain/report.ts";
import { contextOf } from "../../../domain/run.ts";
import { bodyOf } from "../../../engine/definitions.ts";
import { readIfReadable } from "../../../system/files/text.ts";
import { layoutOf } from "../../../system/git-directory.ts";
import { branchRefOf, headOf } from "../../../workspaces/git/head.ts";
import { isIn } from "../../../workspaces/integration/ancestry.ts";
import { headIn, parseSnapshot } from "../../../workspaces/trees/snapshot.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import { type RefPlaces, refsNow } from "../begin/ref-places.ts";
import type { Claim } from "../claim/claim.ts";
import { mayOnlyRead } from "../claim/read-access.ts";

export async function withMovedRefs({ claim, workspace, refs }: BegunAttempt, report: Report): Promise<Report> {
  const { path, base } = workspace;
  if (refs === null || base === null) return report;
  const now = await refsNow(claim, path);
  const isPawls = movedByPawl(claim, base);
  const names = [...new Set([...Object.keys(refs), ...Object.keys(now)])].toSorted();
  const others = names.filter((name) => refs[name] !== now[name] && !isPawls(name));
  const [moved, during] = mayOnlyRead(claim)
    ? [others, "while it worked, and it may only read, refs moved"]
    : [await unusual({ path, base }, others, refs, now), "while it worked, branches moved that are not its own"];
  if (moved.length === 0) return report;
  const note = `${during}: ${described(moved, refs, now)}; Pawl cannot tell who moved them and left them as they are`;
  return { ...report, notes: [...report.notes, note] };
}

/** Its own branch is compared with its tree. The base moves when stories are integrated, also by other runs. */
function movedByPawl({ run, attempt }: Claim, base: string): (ref: string) => boolean {
  const { place, definition } = run.header;
  const integrated = hasStoryTrees(definition) ? place.baseName : null;
  const own = [parseSnapshot(base).branch, place.branch, integrated, contextOf(run, attempt.story)["branch"]];
  const prefix = attempt.story === null ? undefined : bodyOf(run, attempt.story).branchPrefix;
  const prefixes = ["pawl/", ...(prefix === undefined ? [] : [prefix])].map((name) => `refs/heads/${name}`);
  return (ref) => prefixes.some((name) => ref.startsWith(name)) || own.some((name) => ref === `refs/heads/${name}`);
}

/** Branches that were deleted, that lost commits, or that got a commit of this tree. A new branch is work. */
async function unusual(
  { path, base }: { readonly path: string; readonly base: string },
  names: readonly string[],
  before: RefPlaces,
  after: RefPlaces,
): Promise<readonly string[]> {
  // A step that makes the run's branch may take one that is there.
  const own = await branchRefOf(path);
  const moved = names.filter((name) => before[name] !== undefined && name !== own);
  if (moved.length === 0) return [];
  const head = await headOf(path);
  const hasBeenAt = readIfReadable(join(layoutOf(path)?.gitDir ?? path, "logs/HEAD")) ?? "";
  const madeHere = async (commit: string) =>
    (hasBeenAt.includes(commit) || (await isIn(path, commit, head))) && !(await isIn(path, commit, headIn(base)));
  const kept = await Promise.all(
    moved.map(async (name) => {
      const [from, to] = [before[name] ?? "", after[name]];
      return to !== undefined && (await isIn(path, from, to)) && !(await madeHere(to));
    }),
  );
  return moved.filter((_, index) => !kept[index]);
}

const refsShown = 5;

function described(names: readonly string[], before: RefPlaces, after: RefPlaces): string {
  const short = (id: string | undefined) => id?.slice(0, 12) ?? "nothing";
  const shown = names.slice(0, refsShown).map((name) => `${name} (${short(before[name])} → ${short(after[name])})`);
  return shown.join(", ") + (names.length > refsShown ? ` and ${names.length - refsShown} more` : "");
}
