// Files in a folder that an agent can write as well. Owns: reaching a file there without following a link on the way, so that nothing
// outside of the folder is read or written. The folder itself is trusted: a user may have linked it.

import {
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { AppError, systemCode } from "../../domain/error.ts";
import { isInside, realPath } from "./paths.ts";
import { openRegular, readRegularBytes } from "./regular-file.ts";
import { type Content, replaceFile, writeNew } from "./whole-file.ts";

const { O_APPEND, O_CREAT, O_DIRECTORY, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

/** A directory that stays the same one, whatever an agent puts in the place of its name meanwhile. */
export interface HeldDirectory {
  /** A path to it for this process and for programs that it starts. */
  readonly path: string;
  close(): void;
}

interface EnterOptions {
  /** Missing directories are made. */
  readonly make?: boolean;
  /** The mode of those. */
  readonly directoryMode?: number;
}

/** Enters the directory `dir` of the folder `root`. */
export function enter(
  root: string,
  dir: string,
  { make = false, directoryMode = 0o777 }: EnterOptions = {},
): HeldDirectory {
  const way = relative(resolve(root), resolve(root, dir));
  if (!isInside(resolve(root, dir), resolve(root))) throw outside(dir, `is outside of ${root}`);
  if (make) mkdirSync(root, { recursive: true, mode: directoryMode });
  let here = holdDirectory(realPath(root), root);
  for (const name of way.split(sep).filter((part) => part !== "")) {
    const next = join(here.path, name);
    try {
      if (make) makeDirectory(next, directoryMode);
      const entered = holdDirectory(next, dir);
      here.close();
      here = entered;
    } catch (error) {
      here.close();
      throw error;
    }
  }
  return here;
}

/** Calls `act` with a path of `file` that leads nowhere else. The last part of it may still be a link: `act` must not follow it. */
export function within<Result>(
  root: string,
  file: string,
  act: (path: string) => Result,
  options: EnterOptions = {},
): Result {
  const dir = enter(root, dirname(resolve(root, file)), options);
  try {
    return act(join(dir.path, basename(file)));
  } finally {
    dir.close();
  }
}

/** The text of a file; null where there is none. */
export function readInside(root: string, file: string, atMost?: number): string | null {
  return readBytesInside(root, file, atMost)?.toString("utf8") ?? null;
}

/** The bytes of a file; null where there is none. */
export function readBytesInside(root: string, file: string, atMost?: number): Buffer | null {
  const options = { name: file, ...(atMost === undefined ? {} : { atMost }) };
  try {
    return within(root, file, (path) => readRegularBytes(path, options));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** A descriptor that reads the file; null where there is none. */
export function openInside(root: string, file: string): number | null {
  try {
    return within(root, file, (path) => openRegular(path, { name: file }));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Replaces the file whole, also where a link is in its place. It keeps its mode. */
export function writeInside(root: string, file: string, content: Content): void {
  const write = (path: string) =>
    replaceFile(path, (draft) => {
      writeNew(draft, content);
      const present = lstatSync(path, { throwIfNoEntry: false });
      if (present?.isFile()) chmodSync(draft, present.mode & 0o777);
    });
  within(root, file, write, { make: true });
}

export function appendInside(root: string, file: string, text: string): void {
  const handle = within(root, file, (path) => openToAppend(path, file, 0o666), { make: true });
  try {
    appendFileSync(handle, text);
  } finally {
    closeSync(handle);
  }
}

/** A descriptor that appends to the file, which only its owner can read, also if it was there before. */
export function openPrivateInside(root: string, file: string): number {
  const handle = within(root, file, (path) => openToAppend(path, file, 0o600), { make: true, directoryMode: 0o700 });
  fchmodSync(handle, 0o600);
  return handle;
}

function openToAppend(path: string, name: string, mode: number): number {
  return openRegular(path, { flags: O_WRONLY | O_APPEND | O_CREAT, name, mode });
}

/** Copies a regular file to `file`, in the place of whatever file or link is there. */
export function copyInside(from: string, root: string, file: string): void {
  const copy = (path: string) => {
    const source = openRegular(from, { links: "follow" });
    try {
      replaceFile(path, (draft) => copyFileSync(pathOf(source) ?? from, draft, constants.COPYFILE_EXCL));
    } finally {
      closeSync(source);
    }
  };
  within(root, file, copy, { make: true });
}

/** Moves a file of the folder. */
export function moveInside(root: string, from: string, to: string): void {
  within(root, from, (source) => within(root, to, (target) => renameSync(source, target), { make: true }));
}

function holdDirectory(path: string, name: string): HeldDirectory {
  let handle: number;
  try {
    handle = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOTDIR" || code === "ELOOP")
      throw outside(name, "is or contains a link in the place of a directory");
    throw error;
  }
  return { path: pathOf(handle) ?? path, close: () => closeSync(handle) };
}

function makeDirectory(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

const descriptors = `/proc/${process.pid}/fd`;
let hasDescriptors: boolean | null = null;

/** Linux names what a descriptor refers to. Elsewhere the plain path is used: it was checked, and a moment later it may have changed. */
function pathOf(handle: number): string | null {
  hasDescriptors ??= existsSync(descriptors);
  return hasDescriptors ? join(descriptors, String(handle)) : null;
}

function outside(name: string, what: string): AppError {
  return new AppError("REFUSED", `${name} ${what}: Pawl writes and reads nothing there`, {
    hint: "put a directory in its place, or remove it",
  });
}
