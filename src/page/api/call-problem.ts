// What the service refused, as an error that says what to do about it.

import type { ProblemDocument } from "../../contracts/http-documents.ts";

export class CallProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  /** `FIELD: what is wrong with it`, where the request has several things wrong. */
  readonly details: readonly string[];

  constructor(status: number, said: Partial<ProblemDocument>) {
    super(said.detail ?? `the service answered ${status}`);
    this.name = "CallProblem";
    this.status = status;
    this.code = said.code ?? "UNKNOWN";
    this.hint = said.hint ?? "";
    this.details = said.details ?? [];
  }
}
