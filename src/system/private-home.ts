// Privacy of Pawl's home. Owns: that only its owner reads what Pawl keeps (tasks, tokens, logs), whatever the umask was.

import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { AppError, errorText, systemCode } from "../domain/error.ts";

const othersMay = 0o077;

/** Makes the directory, or narrows one that others could read. Returns what was changed, for people; null: nothing. */
export function makePrivateHome(dir: string): string | null {
  try {
    makePrivateDirectory(dir);
    const stats = statSync(dir);
    assertOwn(dir, stats);
    if (!stats.isDirectory()) throw unusable(dir, "it is not a directory");
    if ((stats.mode & othersMay) === 0) return null;
    // A directory like /tmp belongs to everybody: narrowed, it would lock all others out.
    if ((stats.mode & 0o1000) !== 0) throw unusable(dir, "it is a directory that several users share");
    chmodSync(dir, 0o700);
    return `${dir} could be read by other users (mode ${octal(stats.mode)}); now only you can (mode 700)`;
  } catch (error) {
    throw error instanceof AppError ? error : unusable(dir, errorText(error), error);
  }
}

/** Makes the directory and those above it that are missing. Node's own way never ends where the file system has no directories. */
export function makePrivateDirectory(dir: string): void {
  if (existsSync(dir)) return;
  if (dirname(dir) !== dir) makePrivateDirectory(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

/** Makes the file, or narrows it, before anything secret is written to it. */
export function makePrivateFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  // Not opened: closing any descriptor of a file drops every lock that this process has on it. With a store that was open already,
  // another process then took itself for the first one and cut the shared memory of SQLite under us (SIGBUS).
  if (found !== undefined) return narrow(file, found);
  const handle = openSync(file, constants.O_RDONLY | constants.O_CREAT | constants.O_NONBLOCK, 0o600);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw unusable(file, "it is not a regular file");
    assertOwn(file, stats);
    if ((stats.mode & othersMay) !== 0) fchmodSync(handle, 0o600);
  } finally {
    closeSync(handle);
  }
}

function narrow(file: string, stats: Stats): void {
  if (!stats.isFile()) throw unusable(file, "it is not a regular file");
  assertOwn(file, stats);
  if ((stats.mode & othersMay) !== 0) chmodSync(file, 0o600);
}

function assertOwn(path: string, { uid }: Stats): void {
  const own = process.geteuid?.();
  if (own !== undefined && uid !== own) throw unusable(path, `it belongs to another user (uid ${uid}; you are ${own})`);
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8);
}

function unusable(path: string, why: string, cause?: unknown): AppError {
  return new AppError("STORE_UNUSABLE", `${path} cannot be used: ${why}`, {
    hint: "choose a directory of your own with PAWL_HOME, or a store with --store",
    ...(cause === undefined ? {} : { cause }),
  });
}
