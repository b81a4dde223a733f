// The answer to a run that is not there. Owns: one error for all who look for one; those who only look need nothing else.

import { AppError } from "../../domain/error.ts";

export function unknownRun(run: string): AppError {
  return new AppError("NOT_FOUND", `there is no run ${run}`, { hint: "`pawl runs` lists them" });
}
