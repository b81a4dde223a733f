// Tells store errors that pass, or that a person can mend while Pawl waits, from all others.

import { AppError } from "../domain/error.ts";

/** No disk space, no permission, or a lock that is not released. */
export function isStoreTrouble(error: unknown): error is AppError {
  return error instanceof AppError && (error.code === "STORE_FULL" || error.code === "STORE_UNUSABLE");
}
