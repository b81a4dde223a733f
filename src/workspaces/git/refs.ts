// Refs. Owns: reading several refs at once, and changing several in one transaction, which fails if one of them is not as expected.
// Locks that a killed git has left do not stop it; those of a live one do.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { git } from "./git.ts";
import { commonDirOf } from "./head.ts";
import { clearLock } from "./locks.ts";
import { refsStarting } from "./ref-files.ts";

/** Commands of `git update-ref --stdin`, one per line. */
export type RefChange = string;

/** The refs with these full names and the refs below them, with the commit that each is at. */
export async function readRefs(repo: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const read = refsStarting(await commonDirOf(repo), names);
  if (read !== null) {
    const isMeant = (ref: string) => names.some((name) => ref === name || ref.startsWith(`${name}/`));
    return new Map([...read].filter(([ref]) => isMeant(ref)));
  }
  const { stdout } = await git(repo, ["for-each-ref", "--format=%(refname) %(objectname)", ...names]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => line.split(" ") as [string, string]));
}

/**
 * Makes all changes, or none and returns false: a ref has moved, or exists already. They are made in the order given, so that a git
 * that is killed never leaves a later change without the earlier ones.
 */
export async function changeRefs(cwd: string, changes: readonly RefChange[]): Promise<boolean> {
  const args = ["update-ref", "--stdin", "-m", "pawl"];
  // A name with a line break in it would be a command of its own.
  const several = changes.find((line) => /\p{Cc}/u.test(line));
  if (several !== undefined) throw new Error(`${JSON.stringify(several.slice(0, 120))} is not one change of a ref`);
  // A stale lock is removed at once, so that a process that is killed again and again still makes progress.
  const options = { input: changes.map((line) => `${line}\n`).join(""), noLockRetry: true };
  for (let tries = 0; ; tries += 1) {
    try {
      await git(cwd, args, options);
      return true;
    } catch (error) {
      const said = error instanceof AppError ? error.details.join("\n") : "";
      if (/but expected|already exists|exists; cannot create|unable to resolve/.test(said)) return false;
      const lock = said.match(/Unable to create '(.+\.lock)': File exists/)?.[1];
      if (lock === undefined || tries > 20) throw error;
      await clearLock(lock, { commonDir: await commonDirOf(cwd) });
    }
  }
}

/** Deletes all refs below these names, which only Pawl uses, and the locks that a killed git has left there. */
export async function dropRefs(repo: string, names: readonly string[]): Promise<void> {
  const commonDir = await commonDirOf(repo);
  for (const name of names) {
    const directory = join(commonDir, name);
    const files = existsSync(directory) ? readdirSync(directory, { encoding: "utf8", recursive: true }) : [];
    for (const file of files) if (file.endsWith(".lock")) rmSync(join(directory, file), { force: true });
  }
  const refs = [...(await readRefs(repo, names)).keys()];
  if (refs.length > 0)
    await changeRefs(
      repo,
      refs.map((ref) => `delete ${ref}`),
    );
}
