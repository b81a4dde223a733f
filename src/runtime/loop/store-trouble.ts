// Trouble with the store. Owns: telling what passes, or can be mended while we wait, from what does not.

import { AppError } from "../../domain/error.ts";

/** Something that a person can mend while we wait: no space, no permission, a lock that nobody lets go of. */
export function isStoreTrouble(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === "STORE_FULL" || error.code === "STORE_UNUSABLE");
}
