// SQL as text with named parameters. Kysely takes milliseconds to load and run its compiler for the first query of a process, which
// is a tenth of the time of a `pawl status`; what that command reads is written in this way.

/** Stands for a value while a query is compiled. */
export class SqlParameter {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export interface Compiled {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export class SqlText {
  readonly #pieces: readonly string[];
  readonly #values: readonly unknown[];

  constructor(pieces: readonly string[], values: readonly unknown[]) {
    this.#pieces = pieces;
    this.#values = values;
  }

  /** `mark` is how the dialect writes its nth parameter, counted from 1. */
  compile(mark: (position: number) => string): Compiled {
    const parameters: unknown[] = [];
    const sql = this.#write(mark, parameters);
    return { sql, parameters };
  }

  #write(mark: (position: number) => string, parameters: unknown[]): string {
    const written = this.#values.map((value) =>
      value instanceof SqlText ? value.#write(mark, parameters) : mark(parameters.push(value)),
    );
    return this.#pieces.map((piece, index) => `${piece}${written[index] ?? ""}`).join("");
  }
}

/** A value is a parameter; another text is a part of this one. */
export function sqlText(pieces: readonly string[], ...values: readonly unknown[]): SqlText {
  return new SqlText(pieces, values);
}

/** A part of a text that has no parameters. */
export function sqlWords(words: string): SqlText {
  return new SqlText([words], []);
}
