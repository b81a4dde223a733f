// Enforces `access: read`: a tree that the agent changed is put back, and the attempt has failed.

import type { Report } from "../../../domain/report.ts";
import { type ChangedFile, changedBetween } from "../../../workspaces/trees/changes.ts";
import { restoreSnapshot } from "../../../workspaces/trees/restore.ts";
import { parseSnapshot, takeSnapshot } from "../../../workspaces/trees/snapshot.ts";
import type { Parts } from "../../parts.ts";
import { byProductsOf } from "../../trees/left-work.ts";
import { salvage } from "../../trees/salvage.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import type { Claim } from "../claim/claim.ts";
import { mayOnlyRead } from "../claim/read-access.ts";
import { partsBeside } from "../prepare/shared-base.ts";
import { replaceOutcome } from "./outcomes.ts";

const namesShown = 5;

/**
 * A tree that is not Pawl's is not compared: the user's own checkout is not ours to put back. What tools left behind, or wrote again
 * over what they had left there before, goes with a note. Anything else is a breach: the verdict was about another tree.
 */
export async function keepReadOnly(
  parts: Pick<Parts, "home" | "log" | "machines" | "protocols" | "secrets" | "store">,
  { claim, workspace }: BegunAttempt,
  report: Report,
): Promise<Report> {
  const { path, base } = workspace;
  if (!mayOnlyRead(claim) || base === null) return report;
  const now = await takeSnapshot(path);
  if (now === base) return report;
  const { run, attempt } = claim;
  const changes = await changedBetween(path, base, now);
  const isByProduct = byProductsOf(run.header);
  const breaches = changes.filter((change) => change.wasInGit || !isByProduct(change.path));
  const beside = attempt.part === undefined ? [] : await runningBeside(parts, claim);
  if (beside.length > 0) return besideOthers(report, breaches, beside);
  if (breaches.length === 0 && changes.length > 0 && isSameCommit(base, now)) {
    await restoreSnapshot(path, base);
    const wasDone = changes.every(({ kind }) => kind === "added") ? "removed" : "put back";
    const note = `what tools left behind was ${wasDone}: ${named(changes)}`;
    return { ...report, notes: [...report.notes, note] };
  }
  const kept = await salvage(parts, run, path, { attempt, base });
  await restoreSnapshot(path, base);
  const what = breaches.length === 0 ? "commits or what is staged" : named(breaches);
  const machine = parts.machines?.isGuest === true ? ` on ${parts.machines.name}` : "";
  const where = kept === null ? "" : ` (what it did is in ${kept}${machine})`;
  const tool = breaches.some(({ wasInGit }) => !wasInGit)
    ? "; if a tool of the project wrote it, name it in `workspace.by_products` of the workflow or of .pawl/config.yml"
    : "; its agent has `access: read`";
  const why = `it may only read, and it changed the tree: ${what}; that was put back${where}${tool}`;
  parts.log("workspace.put_back", { run: run.header.id, attempt: attempt.id, diff: kept });
  if (report.outcome !== "completed") return { ...report, notes: [...report.notes, why] };
  return replaceOutcome(report, { outcome: "failed", why, retryAt: null });
}

async function runningBeside(parts: Pick<Parts, "store">, { run, attempt }: Claim): Promise<readonly string[]> {
  const others = await partsBeside(parts, run, attempt);
  return others.flatMap(({ state, part }) => (state.phase === "ended" || part === undefined ? [] : [part]));
}

/**
 * Which of the parts changed the tree is not known: the verdict of each was about another tree. The last of them puts it back, since
 * the others still read it.
 */
function besideOthers(report: Report, breaches: readonly ChangedFile[], beside: readonly string[]): Report {
  if (breaches.length === 0) return report;
  const why = `the tree that its parts only read was changed: ${named(breaches)}; by it or by ${beside.join(", ")}, which ran at the same time`;
  if (report.outcome !== "completed") return { ...report, notes: [...report.notes, why] };
  return replaceOutcome(report, { outcome: "failed", why, retryAt: null });
}

function isSameCommit(before: string, after: string): boolean {
  const [one, other] = [parseSnapshot(before), parseSnapshot(after)];
  return one.head === other.head && one.branch === other.branch;
}

function named(files: readonly ChangedFile[]): string {
  const rest = files.length > namesShown ? ` and ${files.length - namesShown} more` : "";
  const names = files.slice(0, namesShown).map(({ path }) => path);
  return `${names.join(", ")}${rest}`;
}
