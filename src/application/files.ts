// Files that a caller names. Owns: reading one, with an error that says what to do.

import { AppError, systemCode } from "../domain/error.ts";
import { readRegular } from "../system/files/regular-file.ts";

/** `file` is the name that the caller wrote: errors repeat it. `path` is where it is. */
export function readText(file: string, path = file): string {
  try {
    return readRegular(path, { links: "follow", name: file });
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("NOT_FOUND", `${file} cannot be read (${systemCode(error) ?? "unreadable"})`, {
      hint: "check the path and its permissions",
      cause: error,
    });
  }
}
