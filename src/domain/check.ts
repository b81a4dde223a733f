// A check: a command that the runtime runs after a step says that it is done, what it must do, and how its results are read.

export interface Check {
  readonly run: string;
  /** `fail`: the step is to leave tests that fail; absent: the command must pass. */
  readonly must?: "pass" | "fail";
  /** The form of its test results; absent: its exit code alone decides. */
  readonly reads?: ResultForm;
  /** The file that has the results, in the step's tree; absent: they are what the command prints. */
  readonly file?: string;
  /** What its result is kept as among the facts. */
  readonly as?: "tests" | "lint";
}

export const resultForms = ["go-json", "tap", "junit", "vitest", "jest"] as const;
export type ResultForm = (typeof resultForms)[number];
