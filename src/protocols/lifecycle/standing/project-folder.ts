// What is read of a project folder: texts, names of folders, and whether there is any source. No link is followed below the root, and
// nothing is written.

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "../../../domain/error.ts";
import type { Evidence } from "../../../domain/evidence.ts";
import { readInside } from "../../../system/files/inside.ts";
import { sha256Of } from "../../../system/sha256.ts";
import { FileUnreadable } from "./project-state.ts";

export interface ProjectFolder {
  readonly root: string;
  /** Null: there is no such file. Throws `FileUnreadable` for what is not a plain file inside of the folder, or too large. */
  text(path: string): string | null;
  /** A place of a file, with the hash of what `text` returned. Empty: the file as a whole. */
  cite(path: string, place: string): Evidence;
  isDirectory(path: string): boolean;
  /** Anything at all, a link to nothing as well. */
  exists(path: string): boolean;
  /** When a file was last written, in milliseconds; null: there is no such file. */
  writtenAt(path: string): number | null;
  /** The names of everything in a folder. */
  names(path: string): readonly string[];
  /** The names of the folders in a folder. */
  directories(path: string): readonly string[];
  /** Files that are a part of the product. Dot files, a README and a licence are none. */
  hasSource(): boolean;
}

/** Result files are a few KiB. */
const largestFile = 4 * 1024 * 1024;
const noSource = /^(?:\.|readme|licen[cs]e|copying|changelog|notice|authors|contributors)/i;
const notOurs = new Set(["node_modules", "vendor", "dist", "build"]);

function readable(root: string, path: string): string | null {
  try {
    return readInside(root, path, largestFile);
  } catch (error) {
    const why = errorText(error).replace(`${path} `, "it ");
    const isLarge = why.startsWith("it is larger");
    const remedy = isLarge
      ? "skills keep some KiB there, so look at what filled it"
      : "put a regular file in its place";
    throw new FileUnreadable(path, `${why}; ${remedy}`);
  }
}

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
  // Read once: what is cited is what was read.
  const texts = new Map<string, string | null>();
  const text = (path: string) => {
    const known = texts.get(path);
    if (known !== undefined) return known;
    const found = readable(root, path);
    texts.set(path, found);
    return found;
  };
  const cite = (path: string, place: string): Evidence => {
    const read = texts.get(path) ?? null;
    return { file: path, sha256: read === null ? null : sha256Of(read), place: place === "" ? null : place };
  };
  return {
    root,
    text,
    cite,
    isDirectory,
    exists: (path) => lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined,
    writtenAt: (path) => lstatSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? null,
    names: (path) => (isDirectory(path) ? entries(path) : []).map(({ name }) => name),
    directories: (path) =>
      (isDirectory(path) ? entries(path).filter((entry) => entry.isDirectory()) : []).map(({ name }) => name),
    hasSource: () => hasSource("", 6),
  };
}
