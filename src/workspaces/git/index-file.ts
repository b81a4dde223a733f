// The index of a tree. Owns: finding in its file, without a process, whether it hides changes from git, has conflicts, or
// may record repositories inside the tree.

import { readFileSync } from "node:fs";
import { systemCode } from "../../domain/error.ts";

export interface IndexFlags {
  /** A file is marked as unchanged (assume-unchanged) or as absent (skip-worktree), so git does not look at it. */
  readonly hidesFiles: boolean;
  /** A file has a conflict. */
  readonly isUnmerged: boolean;
}

const plain: IndexFlags = { hidesFiles: false, isUnmerged: false };

/** Null if the file does not say it: it is broken, of an unknown version, or shares its entries with another file. */
export function indexFlags(file: string, idLength: number): IndexFlags | null {
  const bytes = readBytes(file);
  if (bytes === null) return plain;
  try {
    return flagsIn(bytes, idLength / 2);
  } catch {
    // It ends in the middle of an entry.
    return null;
  }
}

function readBytes(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** The mode of an entry that is a repository inside the tree, and the name of the part that shares entries with another file. */
const marks = [Buffer.from([0, 0, 0xe0, 0]), Buffer.from("link\0")];

/** Whether it may record a repository inside the tree: sometimes a wrong yes, never a wrong no. */
export function mayRecordRepositories(file: string): boolean {
  const bytes = readBytes(file);
  return bytes !== null && marks.some((mark) => bytes.includes(mark));
}

const headerBytes = 12;
/** Times, device, inode, mode, owner, group and size. */
const statBytes = 40;
const assumedUnchanged = 0x8000;
const isExtended = 0x4000;
const stage = 0x3000;
const nameLength = 0x0fff;
const skipWorktree = 0x4000;

function flagsIn(bytes: Buffer, idBytes: number): IndexFlags | null {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return null;
  let hidesFiles = false;
  let isUnmerged = false;
  let at = headerBytes;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + statBytes + idBytes;
    const flags = bytes.readUInt16BE(flagsAt);
    const extended = (flags & isExtended) === 0 ? 0 : bytes.readUInt16BE(flagsAt + 2);
    hidesFiles ||= (flags & assumedUnchanged) !== 0 || (extended & skipWorktree) !== 0;
    isUnmerged ||= (flags & stage) !== 0;
    const nameAt = flagsAt + ((flags & isExtended) === 0 ? 2 : 4);
    at = version === 4 ? endOfShortName(bytes, nameAt) : endOfName(bytes, at, nameAt, flags & nameLength);
  }
  return hasForeignEntries(bytes, at, bytes.length - idBytes) ? null : { hidesFiles, isUnmerged };
}

/** The whole entry is padded with 1 to 8 zero bytes. */
function endOfName(bytes: Buffer, start: number, nameAt: number, length: number): number {
  const end = length < nameLength ? nameAt + length : terminator(bytes, nameAt);
  return start + (Math.floor((end - start) / 8) + 1) * 8;
}

/** In version 4, a number says how much of the name before is left out, and a zero byte ends the rest. */
function endOfShortName(bytes: Buffer, nameAt: number): number {
  let at = nameAt;
  while ((bytes.readUInt8(at) & 0x80) !== 0) at += 1;
  return terminator(bytes, at + 1) + 1;
}

function terminator(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(0, from);
  if (at === -1) throw new RangeError("a name without an end");
  return at;
}

/** `link` is a split index, and `sdir` one that has directories in place of files. */
function hasForeignEntries(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at + 8 <= end; at += 8 + bytes.readUInt32BE(at + 4)) {
    const name = bytes.toString("latin1", at, at + 4);
    if (name === "link" || name === "sdir") return true;
  }
  return false;
}
