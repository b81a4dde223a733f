// Files that a caller names. Owns: reading one, with an error that says what to do.

import { readFileSync } from "node:fs";
import { AppError, systemCode } from "../domain/error.ts";

export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new AppError("NOT_FOUND", `${file} cannot be read (${systemCode(error) ?? "unreadable"})`, {
      hint: "check the path and its permissions",
      cause: error,
    });
  }
}
