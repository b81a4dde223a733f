// Linked directories. Owns: one of ours that leads to the user's for most of what is in it, so that a program can be given another
// file there without a word in his.

import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** `dir`, made, with a link to everything in `theirs` that is wanted. */
export function linkedDirectory(dir: string, theirs: string, isWanted: (name: string) => boolean): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (const name of namesIn(theirs)) if (isWanted(name)) symlinkSync(join(theirs, name), join(dir, name));
  return dir;
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return []; // never used before
  }
}
