// Reading text files. Owns: what a missing or unreadable file counts as. A link is not followed: agents can write most of these files.

import { systemCode } from "../../domain/error.ts";
import { type OpenOptions, readRegular } from "./regular-file.ts";

/** A file's text; null when there is no such file. A file that cannot be read is an error. */
export function readOptional(file: string): string | null {
  try {
    return readRegular(file);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** A file's text; null when it cannot be read, for whatever reason. */
export function readIfReadable(file: string, options: OpenOptions = {}): string | null {
  try {
    return readRegular(file, options);
  } catch {
    return null;
  }
}
