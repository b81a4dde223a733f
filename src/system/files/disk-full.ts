// Whether something failed because a disk has no space left, or a user none of theirs.

import { AppError, errorText, systemCode } from "../../domain/error.ts";

const says = /no space left on device|disk quota exceeded|ENOSPC|EDQUOT/i;

/** Also of a program that says so, such as git. */
export function isDiskFull(error: unknown): boolean {
  const code = systemCode(error);
  if (code !== null) return code === "ENOSPC" || code === "EDQUOT";
  return error instanceof AppError && [errorText(error), ...error.details].some((line) => says.test(line));
}
