// Whole files. Owns: replacing a file in one step, so that a reader sees the old content or the new one and never a part of either.

import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writevSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { processIdentity } from "../process/identity.ts";
import { realPath } from "./paths.ts";

/** For files that people also write: missing directories are made, a link stays a link, and a file keeps its mode. */
export function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const target = realPath(file);
  replaceFile(target, (draft) => {
    writeNew(draft, text);
    const mode = statSync(target, { throwIfNoEntry: false })?.mode;
    if (mode !== undefined) chmodSync(draft, mode & 0o777);
  });
}

/** Megabytes that hardly change are kept in pieces, so that nobody puts them together and encodes them for each write. */
export type Content = string | readonly Uint8Array[];

/** As many as a system takes at once. */
const mostPieces = 1_000;

/** Writes a file that is not there yet. */
export function writeNew(file: string, content: Content): void {
  if (typeof content === "string") return writeFileSync(file, content, { flag: "wx" });
  const handle = openSync(file, "wx");
  try {
    for (let at = 0; at < content.length; at += mostPieces) writeAll(handle, content.slice(at, at + mostPieces));
  } finally {
    closeSync(handle);
  }
}

/** A full disk takes a part, and refuses the next one. */
function writeAll(handle: number, pieces: readonly Uint8Array[]): void {
  const written = writevSync(handle, pieces);
  const whole = pieces.reduce((sum, { length }) => sum + length, 0);
  if (written < whole) writeFileSync(handle, Buffer.concat(pieces).subarray(written));
}

/**
 * Puts what `make` creates under the draft's name in the place of `file`, also in the place of a link. If `make` throws, the file
 * stays as it is.
 */
export function replaceFile<Result>(file: string, make: (draft: string) => Result): Result {
  const draft = draftFor(file);
  try {
    const result = make(draft);
    renameSync(draft, file);
    return result;
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Puts a finished draft in the place of `file`. After a power failure the file is the old one or the new one. */
export function putInPlace(draft: string, file: string): void {
  const handle = openSync(draft, "r+");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}

/**
 * A name beside the file that no other process uses and no agent can predict. Drafts of the same file that a killed process left are
 * removed.
 */
export function draftFor(file: string, ending = ".tmp"): string {
  sweepDrafts(file, ending);
  return `${file}.${process.pid}-${crypto.randomUUID().slice(-12)}${ending}`;
}

/**
 * Names that look like drafts of processes that are gone, by directory. A directory is listed once: that of a long run has tens of
 * thousands of files, and every attempt writes one.
 */
const abandoned = new Map<string, Set<string>>();

function sweepDrafts(file: string, ending: string): void {
  // The real path: a directory that was entered has another name each time.
  const dir = realPath(dirname(file));
  const names = abandoned.get(dir) ?? abandonedIn(dir);
  abandoned.set(dir, names);
  const begin = `${basename(file)}.`;
  for (const name of names) {
    if (!name.startsWith(begin) || !name.endsWith(ending)) continue;
    if (!/^\d+-[0-9a-f]+$/.test(name.slice(begin.length, name.length - ending.length))) continue;
    names.delete(name);
    rmSync(join(dir, name), { force: true });
  }
}

function abandonedIn(dir: string): Set<string> {
  const names = readdirSync(dir).filter((name) => {
    const [, pid] = /\.(\d+)-[0-9a-f]+(?:\.tmp)?$/.exec(name) ?? [];
    return pid !== undefined && processIdentity(Number(pid)) === null;
  });
  return new Set(names);
}
