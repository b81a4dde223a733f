// The error for a workflow that cannot be used: every problem, in words for people and as data for programs.

import { AppError } from "../../domain/error.ts";
import { formatProblem, type Problem } from "../../workflows/document/problem.ts";

export class WorkflowError extends AppError {
  readonly problems: readonly Problem[];

  /** `name`: what the workflow is called in messages. `file`: what stands before the line of each problem. */
  constructor(name: string, problems: readonly Problem[], { file, hint }: { file: string; hint: string }) {
    const details = problems.map((problem) => formatProblem(problem, file));
    super("WORKFLOW_INVALID", `${name} cannot be used`, { details, hint });
    this.name = "WorkflowError";
    this.problems = problems;
  }
}
