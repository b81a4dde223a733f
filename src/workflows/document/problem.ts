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

/** The known word that a misspelt one most likely meant; null when none is close. */
export function nearest(word: string, known: Iterable<string>): string | null {
  const allowed = Math.max(1, Math.min(3, Math.floor(word.length / 3)));
  let best: string | null = null;
  let bestDistance = allowed + 1;
  let looked = 0;
  for (const candidate of known) {
    // A file may have thousands of names and as many mistakes; a suggestion is not worth minutes.
    if (++looked > 200) break;
    if (Math.abs(candidate.length - word.length) > allowed) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Insertions, deletions, replacements and swaps of neighbours (`on_desicion`), each counted once. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}
