// What is read of a project folder: texts, names of folders, and whether there is any source. No link is followed below the root, and
// nothing is written.

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readInside } from "../../system/files/inside.ts";

export interface ProjectFolder {
  readonly root: string;
  /** Null: there is no such file. Throws for what is not a plain file inside of the folder. */
  text(path: string): string | null;
  isDirectory(path: string): boolean;
  /** The names of the folders in a folder. */
  directories(path: string): readonly string[];
  /** Files that somebody wrote as a part of the product. Dot files, a README and a licence are none. */
  hasSource(): boolean;
}

/** Result files are a few KiB. */
const largestFile = 4 * 1024 * 1024;
const noSource = /^(?:\.|readme|licen[cs]e|copying|changelog|notice|authors|contributors)/i;
const notOurs = new Set(["node_modules", "vendor", "dist", "build"]);

export function projectFolder(root: string): ProjectFolder {
  const entries = (path: string) => {
    try {
      return lstatSync(join(root, path)).isDirectory() ? readdirSync(join(root, path), { withFileTypes: true }) : [];
    } catch {
      return [];
    }
  };
  const isDirectory = (path: string) => {
    const parts = path.split("/");
    return parts.every((_, index) =>
      lstatSync(join(root, ...parts.slice(0, index + 1)), { throwIfNoEntry: false })?.isDirectory(),
    );
  };
  const hasSource = (path: string, depth: number): boolean =>
    entries(path).some((entry) => {
      if (noSource.test(entry.name) || notOurs.has(entry.name)) return false;
      if (entry.isFile()) return true;
      return entry.isDirectory() && depth > 0 && hasSource(join(path, entry.name), depth - 1);
    });
  return {
    root,
    text: (path) => readInside(root, path, largestFile),
    isDirectory,
    directories: (path) =>
      (isDirectory(path) ? entries(path).filter((entry) => entry.isDirectory()) : []).map(({ name }) => name),
    hasSource: () => hasSource("", 6),
  };
}
