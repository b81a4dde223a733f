// Real paths. Owns: resolving links in a path, also where a part of it does not exist.

import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** The absolute path with links resolved, also where its last parts do not exist yet. Git writes down real paths. */
export function realPath(path: string): string {
  const existing = existingPath(path);
  if (existing !== null) return existing;
  const whole = resolve(path);
  const parent = dirname(whole);
  return parent === whole ? whole : join(realPath(parent), basename(whole));
}

/** `path` is `dir` or below it, by their names. */
export function isInside(path: string, dir: string): boolean {
  const way = relative(dir, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The real path of something that exists; null where there is nothing, or a link leads nowhere. */
export function existingPath(path: string): string | null {
  try {
    return path === "" ? null : realpathSync.native(path);
  } catch {
    return null;
  }
}
