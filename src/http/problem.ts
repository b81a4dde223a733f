// Problem details (RFC 9457): how the API says that something did not work, with Pawl's own code and hint.

import { STATUS_CODES } from "node:http";
import type { ProblemDocument } from "../contracts/http-documents.ts";
import { AppError, exitCodes } from "../domain/error.ts";

export const problemType = "application/problem+json";

export function problem(
  status: number,
  code: ProblemDocument["code"],
  detail: string,
  hint: string,
  details: readonly string[] = [],
): ProblemDocument {
  return { type: "about:blank", title: STATUS_CODES[status] ?? "Error", status, code, detail, hint, details };
}

/** Exit codes are the contract of the command line; each has its status here. */
const statuses: Readonly<Record<number, number>> = {
  [exitCodes.usage]: 400,
  [exitCodes.notFound]: 404,
  [exitCodes.refused]: 409,
  [exitCodes.missing]: 503,
};

/** What a defect says is for the log of the service, not for a caller. */
export function problemOf(error: unknown): ProblemDocument {
  if (!(error instanceof AppError))
    return problem(500, "DEFECT", "this is a defect of Pawl", "the log of `pawl up` has the details");
  return problem(statuses[error.exitCode] ?? 500, error.code, error.message, error.hint, error.details);
}

export const nothingHere = problem(
  404,
  "NOT_FOUND",
  "there is nothing at this path",
  "GET /api/v1/openapi.json lists the paths",
);
