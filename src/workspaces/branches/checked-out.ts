// Checked-out branches. Owns: finding the trees that a branch is checked out in, so that Pawl does not move it under a person.

import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { realPath } from "../../system/files/paths.ts";
import { readIfReadable } from "../../system/files/text.ts";
import { layoutOf, treeOfEntry } from "../../system/git-directory.ts";
import { branchRefIn, commonDirOf } from "../git/head.ts";
import { type Operation, operationIn } from "../git/repository.ts";
import { gitSettings } from "../git/settings.ts";
import { entriesOf } from "../trees/ownership.ts";

export interface Checkout {
  /** The top of the tree. */
  readonly path: string;
  readonly gitDir: string;
  /** The operation that git has not finished there. */
  readonly operation: Operation | null;
  /** False if the tree cannot be found: it was deleted, or is on a disk that is not attached. */
  readonly isThere: boolean;
}

/** Includes trees in which the branch is being rebased or bisected: HEAD does not name it there, but git will return to it. */
export async function checkoutsOf(repo: string, branch: string): Promise<readonly Checkout[]> {
  const commonDir = await commonDirOf(repo);
  const found: Checkout[] = [];
  for (const gitDir of [commonDir, ...entriesOf(commonDir)]) {
    if (!(await isOn(gitDir, branch).catch((error: unknown) => falseIfGone(gitDir, error)))) continue;
    const path = gitDir === commonDir ? await mainTree(repo, commonDir) : (treeOfEntry(gitDir) ?? gitDir);
    if (path === null) continue;
    found.push({ path, gitDir, operation: operationIn(gitDir), isThere: belongs(path, gitDir) });
  }
  return found;
}

/** Another process may remove its tree meanwhile. */
function falseIfGone(gitDir: string, error: unknown): false {
  if (existsSync(gitDir)) throw error;
  return false;
}

async function isOn(gitDir: string, branch: string): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  const read = (name: string) => readIfReadable(join(gitDir, name))?.trim();
  if ((await branchRefIn(gitDir)) === ref || read("BISECT_START") === branch) return true;
  const names = ["rebase-merge/head-name", "rebase-apply/head-name", "rebase-merge/update-refs"];
  return names.some((name) => read(name)?.split("\n").includes(ref));
}

/** The main checkout of the repository; null for a bare one, which has none. */
async function mainTree(repo: string, commonDir: string): Promise<string | null> {
  const settings = await gitSettings(commonDir);
  if (settings.get("core.bare") === "true") return null;
  const configured = settings.get("core.worktree");
  if (configured !== undefined) return realPath(resolve(commonDir, configured));
  return belongs(repo, commonDir) ? realPath(repo) : dirname(commonDir);
}

function belongs(path: string, gitDir: string): boolean {
  const layout = layoutOf(path);
  return layout !== null && realPath(layout.gitDir) === realPath(gitDir);
}
