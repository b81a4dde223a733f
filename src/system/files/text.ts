// Reading text files. Owns: what a missing or unreadable file counts as.

import { readFileSync } from "node:fs";
import { systemCode } from "../../domain/error.ts";

/** A file's text; null when there is no such file. A file that cannot be read is an error. */
export function readOptional(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** A file's text; null when it cannot be read, for whatever reason. */
export function readIfReadable(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
