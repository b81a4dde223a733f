// A directory of Pawl's with links to most of what is in a directory of the user's, so that a program can see other files there
// without any change to the user's.

import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** Makes `dir`, with a link to everything in `theirs` that is wanted. */
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
