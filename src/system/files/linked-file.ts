// Files that a shared folder names by a relative path, such as the role files of a workflow. Owns: that a link among them does not lead
// out of the folder: who shares a folder decides what is in it, not what else is read on this machine.

import { isAbsolute, relative, resolve, sep } from "node:path";
import { existingPath, isInside, realPath } from "./paths.ts";
import { readIfReadable } from "./text.ts";

/** The real path of the file; null where there is none, or links lead out of the directory in which its name begins. */
export function namedFile(dir: string, name: string): string | null {
  const real = existingPath(resolve(dir, name));
  return real !== null && isInside(real, realPath(beginOf(dir, name))) ? real : null;
}

/** The text of that file; null also where it is not a regular file. */
export function readNamedFile(dir: string, name: string): string | null {
  const real = namedFile(dir, name);
  return real === null ? null : readIfReadable(real);
}

/** `../../shared/role.md` begins two directories above; an absolute name in its own directory. */
function beginOf(dir: string, name: string): string {
  if (isAbsolute(name)) return resolve(name, "..");
  const parts = relative(resolve(dir), resolve(dir, name)).split(sep);
  const ups = parts.filter((part) => part === "..");
  return resolve(dir, ...ups);
}
