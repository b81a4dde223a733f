// What a reader of test results answers, and the bounds that hold for all of them. A reader gets its text in pieces, so that it
// need not keep it.

export interface ResultReader {
  add(text: string): void;
  end(): ResultsRead;
}

export type ResultsRead = TestResults | UnreadableResults;

export interface TestResults {
  readonly kind: "results";
  readonly pass: number;
  readonly fail: number;
  readonly skip: number;
  /** Names as one line each, in the order of the results; at most `mostNames`. */
  readonly failing: readonly string[];
  readonly passing: readonly string[];
  /** Packages, files and suites that failed without a test of theirs that failed: they did not build, or broke outside of a test. */
  readonly broken: readonly string[];
  readonly notes: readonly string[];
}

/** The text is not what it should be: cut off, damaged, too large, something else. */
interface UnreadableResults {
  readonly kind: "unreadable";
  readonly why: string;
}

const mostNames = 10_000;
export const mostTests = 500_000;
const longestName = 300;

export function cannotRead(why: string): UnreadableResults {
  return { kind: "unreadable", why };
}

/** Counts tests. */
export class Tally {
  #pass = 0;
  #fail = 0;
  #skip = 0;
  readonly #failing: string[] = [];
  readonly #passing: string[] = [];
  readonly #broken: string[] = [];
  readonly #notes: string[] = [];

  passed(name: string): void {
    this.#pass += 1;
    if (this.#passing.length < mostNames) this.#passing.push(cleanName(name));
  }

  failed(name: string): void {
    this.#fail += 1;
    if (this.#failing.length < mostNames) this.#failing.push(cleanName(name));
  }

  skipped(): void {
    this.#skip += 1;
  }

  broke(what: string): void {
    if (this.#broken.length < mostNames) this.#broken.push(cleanName(what));
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  get failures(): number {
    return this.#fail;
  }

  get count(): number {
    return this.#pass + this.#fail + this.#skip;
  }

  results(): TestResults {
    const [pass, fail, skip] = [this.#pass, this.#fail, this.#skip];
    const unnamed = Math.max(pass, fail) > mostNames ? [`only the first ${mostNames} names are kept`] : [];
    const notes = [...this.#notes, ...unnamed];
    return {
      kind: "results",
      pass,
      fail,
      skip,
      failing: this.#failing,
      passing: this.#passing,
      broken: this.#broken,
      notes,
    };
  }
}

/** One line that no terminal obeys: names come from code that an agent wrote. */
export function cleanName(name: string): string {
  const line = name
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .trim();
  if (line === "") return "(no name)";
  return line.length <= longestName ? line : `${line.slice(0, longestName - 1).toWellFormed()}…`;
}
