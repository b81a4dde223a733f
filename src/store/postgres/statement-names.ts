// Names for statements that come again and again, so that each connection plans them once. Planning takes the server as long as most of
// them do.

/** A store has some hundred; texts with values in them would never come again. */
const mostKnown = 1_000;

export class StatementNames {
  readonly #seen = new Set<string>();
  readonly #names = new Map<string, string>();

  /** Null: it comes for the first time, or has no values, which lets the driver send several statements in one text. */
  of(text: string, values: readonly unknown[]): string | null {
    if (values.length === 0) return null;
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (!this.#seen.has(text)) {
      if (this.#seen.size < mostKnown) this.#seen.add(text);
      return null;
    }
    const name = `pawl_${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }
}
