// Read-only steps. Owns: that whoever may only read has changed nothing: his tree is compared with what he was given, put back
// where it differs, and his word does not count then.

import type { Report } from "../../../domain/report.ts";
import { scopeOf } from "../../../domain/run.ts";
import { changedBetween } from "../../../workspaces/trees/changes.ts";
import { restoreSnapshot } from "../../../workspaces/trees/restore.ts";
import { takeSnapshot } from "../../../workspaces/trees/snapshot.ts";
import type { Parts } from "../../parts.ts";
import { salvage } from "../../trees/salvage.ts";
import { agentOf, type Claim } from "../claim/claim.ts";
import type { Workspace } from "../prepare/workspace.ts";
import { replaceOutcome } from "./results.ts";

const namesShown = 5;

export function mayOnlyRead(claim: Claim): boolean {
  return agentOf(claim)?.access === "read";
}

/** Keys under which a project's commands are known, from its configuration or from whoever planned. */
const commandKeys = /^(?:build|test|typecheck|lint)_(?:cmd|command)$/;
const longestCommand = 200;

/** What it may run all the same: a judge that cannot run the tests has not verified. Plain words only, each part by itself. */
export function commandsFor(claim: Claim): readonly string[] {
  if (!mayOnlyRead(claim)) return [];
  const { run, attempt } = claim;
  const known = { ...run.header.context, ...scopeOf(run, attempt.story)?.context };
  const written = Object.entries(known).flatMap(([key, text]) => (commandKeys.test(key) ? [text] : []));
  const parts = written.flatMap((text) => text.split(/&&|\|\||[;|\n]/)).map((part) => part.trim());
  return [...new Set(parts.filter((part) => /^[\w@%+=:./ -]+$/.test(part) && part.length <= longestCommand))];
}

/** Where we own no tree, nothing is compared: the user's own checkout is not ours to put back. */
export async function keepUntouched(parts: Parts, claim: Claim, workspace: Workspace, report: Report): Promise<Report> {
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
