// A refusal: a problem of the protocol (401, 403, 413, 429), thrown where it is noticed. Everything else is an AppError.

import type { ProblemDocument } from "../contracts/http-documents.ts";

export class Refusal extends Error {
  readonly problem: ProblemDocument;
  readonly headers: Readonly<Record<string, string>>;

  constructor(problem: ProblemDocument, headers: Readonly<Record<string, string>> = {}) {
    super(problem.detail);
    this.name = "Refusal";
    this.problem = problem;
    this.headers = headers;
  }
}
