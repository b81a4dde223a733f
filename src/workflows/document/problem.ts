// A problem of a workflow file: where it is, what was expected, and what to do about it.

export interface Problem {
  readonly severity: "error" | "warning";
  /** The included file that it is in; absent: the file that was loaded. */
  readonly file?: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** The place in the document: `steps[2].on.rejected`. */
  readonly path: string;
  /** What is wrong. */
  readonly message: string;
  readonly expected: string;
  readonly hint: string;
}

/** Keys and indexes from the root of a document to a value in it. */
export type Path = readonly (string | number)[];

export function formatPath(path: Path): string {
  const text = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  return text.startsWith(".") ? text.slice(1) : text;
}

/** One problem for a terminal or an editor: the first line is `file:line:column: severity: message`. */
export function formatProblem(problem: Problem, file: string): string {
  const lines = [`${problem.file ?? file}:${problem.line}:${problem.column}: ${problem.severity}: ${problem.message}`];
  if (problem.expected !== "") lines.push(`  expected: ${problem.expected}`);
  if (problem.hint !== "") lines.push(`  hint: ${problem.hint}`);
  return lines.join("\n");
}

export { nearest } from "../../domain/nearest.ts";
