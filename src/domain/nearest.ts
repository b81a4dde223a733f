// Suggestions: which known word a person meant by one that is unknown.

/** The known word that a misspelt one most likely meant; null when none is close. */
export function nearest(word: string, known: Iterable<string>): string | null {
  const allowed = Math.max(1, Math.min(3, Math.floor(word.length / 3)));
  let best: string | null = null;
  let bestDistance = allowed + 1;
  let looked = 0;
  for (const candidate of known) {
    // A file may have thousands of names and as many mistakes; a suggestion is not worth minutes.
    if (++looked > 200) break;
    if (Math.abs(candidate.length - word.length) > allowed || isOtherNumber(word, candidate)) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** `US-009` for `US-001`: another number is another thing, not a slip. */
function isOtherNumber(word: string, candidate: string): boolean {
  const letters = (text: string) => text.toLowerCase().replaceAll(/\d+/g, "#");
  return word.toLowerCase() !== candidate.toLowerCase() && letters(word) === letters(candidate);
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

/** `did you mean X? ` before the rest of a hint; empty where no candidate is near. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const near = nearest(word, known);
  return near === null ? "" : `did you mean ${near}? `;
}
