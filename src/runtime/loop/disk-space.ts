// Room on the disk. Owns: whether there is enough of it for another story. New stories stop before running ones would.

import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Parts } from "../parts.ts";

/** In words, when there is too little; null when there is enough, or nobody can tell. */
export async function lowDiskWarning(parts: Parts): Promise<string | null> {
  const { minFreeBytes } = parts.settings.workspace;
  const free = await freeBytes(parts.home.worktrees);
  if (free === null || free >= minFreeBytes) return null;
  return `only ${megabytes(free)} MB are free where trees are made, and ${megabytes(minFreeBytes)} MB are wanted (workspace.min_free): no new story begins until there is more`;
}

async function freeBytes(path: string): Promise<number | null> {
  for (let at = path; ; at = dirname(at)) {
    try {
      const { bavail, bsize } = await statfs(at);
      return bavail * bsize;
    } catch {
      if (dirname(at) === at) return null;
    }
  }
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 1_000_000);
}
