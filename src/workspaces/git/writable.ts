// Whether the user's git directory can be written. Asked before anything is recorded: trees, snapshots and branches all need it.

import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { AppError, systemCode } from "../../domain/error.ts";
import { commonDirOf } from "./head.ts";

/** Where commits, branches, trees and excludes are written; what is missing there is made in the directory above. */
const written = [".", "objects", "refs", join("refs", "heads"), "info", "worktrees"];

export async function assertWritable(repo: string): Promise<void> {
  const commonDir = await commonDirOf(repo);
  for (const name of written) assertUsable(join(commonDir, name), commonDir);
}

function assertUsable(path: string, commonDir: string): void {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw notWritable(commonDir, error);
  }
}

/** Turns what the file system answered into an error that names the git directory; other errors stay as they are. */
export function gitDirectoryError(commonDir: string, error: unknown): unknown {
  return systemCode(error) === null ? error : notWritable(commonDir, error);
}

function notWritable(commonDir: string, cause: unknown): AppError {
  const why = systemCode(cause) === "EROFS" ? "it is on a read-only file system" : (cause as Error).message;
  return new AppError("REPOSITORY_UNUSABLE", `the git directory ${commonDir} cannot be written: ${why}`, {
    hint: "make it yours and writable (see `ls -ld`), or work in a clone of it: `git clone`",
    cause,
  });
}
