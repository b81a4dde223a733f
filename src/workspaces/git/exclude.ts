// Local excludes. Owns: keeping files of agents out of the user's commits, with git's own exclude list.

import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { readIfReadable } from "../../system/files/text.ts";
import { commonDirOf } from "./head.ts";
import { gitDirectoryError } from "./writable.ts";

/** Adds patterns to `.git/info/exclude` of the repository that a tree belongs to. Doing it twice adds nothing. */
export async function excludeLocally(path: string, patterns: readonly string[]): Promise<void> {
  const commonDir = await commonDirOf(path);
  const file = join(commonDir, "info", "exclude");
  const present = readIfReadable(file, { links: "follow" }) ?? "";
  const lines = new Set(present.split("\n"));
  const added = patterns.filter((pattern) => !lines.has(pattern));
  if (added.length === 0) return;
  const gap = present === "" || present.endsWith("\n") ? "" : "\n";
  try {
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, `${gap}# kept out of commits by Pawl\n${added.join("\n")}\n`);
  } catch (error) {
    throw gitDirectoryError(commonDir, error);
  }
}
