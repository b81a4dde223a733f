// Damage to a clone: a disk that lost a part of a file, a machine that lost its power, an agent that wrote into it.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { git } from "../git/git.ts";

const timeoutMs = 10 * 60_000;

/** What is wrong; null: everything that its refs name can be read. Reads all commits and trees, so it is for clones that have failed. */
export async function damageOf(path: string): Promise<string | null> {
  const gitDir = join(path, ".git");
  if (!existsSync(gitDir)) return null;
  // Named, because git would take a repository that the clone lies in. Trees of runs are no part of it: they are healed themselves.
  const words = ["--git-dir", gitDir, "rev-list", "--single-worktree", "--objects", "--all", "--quiet"];
  try {
    const { code, stderr } = await git(dirname(path), words, { allowFailure: true, timeoutMs });
    return code === 0 ? null : (/^(?:fatal|error): (.+)$/m.exec(stderr)?.[1] ?? stderr.trim());
  } catch (error) {
    // It was killed, or took too long. That says nothing.
    if (error instanceof AppError) return null;
    throw error;
  }
}
