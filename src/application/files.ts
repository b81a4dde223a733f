// Files that a caller names. Owns: reading one, with an error that says what to do.

import { readFileSync } from "node:fs";
import { AppError, systemCode } from "../domain/error.ts";

/** `file` is the name that the caller wrote: errors repeat it. `path` is where it is. */
export function readText(file: string, path = file): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new AppError("NOT_FOUND", `${file} cannot be read (${systemCode(error) ?? "unreadable"})`, {
      hint: "check the path and its permissions",
      cause: error,
    });
  }
}
