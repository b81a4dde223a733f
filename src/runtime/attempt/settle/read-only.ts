// Enforces `access: read`: a tree that the agent changed is put back, and the attempt has failed.

import type { Report } from "../../../domain/report.ts";
import { contextOf } from "../../../domain/run.ts";
import { changedBetween } from "../../../workspaces/trees/changes.ts";
import { restoreSnapshot } from "../../../workspaces/trees/restore.ts";
import { takeSnapshot } from "../../../workspaces/trees/snapshot.ts";
import type { Parts } from "../../parts.ts";
import { salvage } from "../../trees/salvage.ts";
import type { BegunAttempt } from "../begin/begin.ts";
import { agentOf, type Claim } from "../claim/claim.ts";
import { replaceOutcome } from "./outcomes.ts";

const namesShown = 5;

export function mayOnlyRead(claim: Claim): boolean {
  return agentOf(claim)?.access === "read";
}

/** Keys under which a project's commands are known, from its configuration or from the agent that planned. */
const commandKeys = /^(?:build|test|typecheck|lint)_(?:cmd|command)$/;
const longestCommand = 200;

/** The commands that it may run all the same: a judge that cannot run the tests has not verified. Plain words only, part by part. */
export function commandsFor(claim: Claim): readonly string[] {
  if (!mayOnlyRead(claim)) return [];
  const { run, attempt } = claim;
  const known = contextOf(run, attempt.story);
  const written = Object.entries(known).flatMap(([key, text]) => (commandKeys.test(key) ? [text] : []));
  const parts = written.flatMap((text) => text.split(/&&|\|\||[;|\n]/)).map((part) => part.trim());
  return [...new Set(parts.filter((part) => /^[\w@%+=:./ -]+$/.test(part) && part.length <= longestCommand))];
}

/** A tree that is not Pawl's is not compared: the user's own checkout is not ours to put back. */
export async function keepReadOnly(
  parts: Pick<Parts, "home" | "log" | "protocols">,
  { claim, workspace }: BegunAttempt,
  report: Report,
): Promise<Report> {
  const { path, base } = workspace;
  if (!mayOnlyRead(claim) || base === null) return report;
  const now = await takeSnapshot(path);
  if (now === base) return report;
  const { run, attempt } = claim;
  const files = await changedBetween(path, base, now);
  const kept = await salvage(parts, run, path, { attempt, base });
  await restoreSnapshot(path, base);
  const what = files.length === 0 ? "commits or what is staged" : named(files);
  const where = kept === null ? "" : ` (what it did is in ${kept})`;
  const why = `it may only read, and it changed the tree: ${what}; that was put back${where}`;
  parts.log("workspace.put_back", { run: run.header.id, attempt: attempt.id, diff: kept });
  if (report.outcome !== "completed") return { ...report, notes: [...report.notes, why] };
  return replaceOutcome(report, { outcome: "failed", why, retryAt: null });
}

function named(files: readonly string[]): string {
  const rest = files.length > namesShown ? ` and ${files.length - namesShown} more` : "";
  return `${files.slice(0, namesShown).join(", ")}${rest}`;
}
