// Secrets. Owns: keeping secrets out of everything that Pawl writes: logs, prompts, events. They are known by their values in the
// environment, and by their formats.

import { Finder } from "./finder.ts";
import { Redaction } from "./redaction.ts";
import { type SecretValue, secretValues, shortest } from "./variables.ts";

/** Made once for each process, from its environment. `named` has the variables that the configuration calls secret. */
export function environmentSecrets(
  env: Readonly<Record<string, string | undefined>>,
  named: readonly string[] = [],
): Secrets {
  return new Secrets(secretValues(env, named));
}

export class Secrets {
  readonly #values: readonly SecretValue[];
  #made: Finder | null = null;

  constructor(values: readonly SecretValue[]) {
    this.#values = values;
  }

  /** Built on first use: commands that only read need no tables. */
  get #finder(): Finder {
    this.#made ??= new Finder(this.#values);
    return this.#made;
  }

  /** Redacts one stream of bytes. */
  stream(): Redaction {
    return new Redaction(this.#finder);
  }

  /** The same text if nothing in it is secret. */
  redact(text: string): string {
    // Most texts of a report are a single word.
    if (text.length < shortest) return text;
    const bytes = Buffer.from(text);
    if (this.#finder.find(bytes, "", true).found.length === 0) return text;
    const redacted = Buffer.from(this.stream().end(bytes));
    return redacted.equals(bytes) ? text : redacted.toString();
  }

  /** Redacts every text of a value, and every key. */
  redactAll<T>(value: T): T {
    return this.#all(value) as T;
  }

  /** The result is still a word that is safe in paths and branches. */
  redactId<Id extends string>(id: Id): Id {
    const redacted = this.redact(id);
    return redacted === id
      ? id
      : (redacted
          .replace(/[^\w.]+/g, "-")
          .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "")
          .slice(0, 64) as Id);
  }

  /** The variable whose value is in the text; null if there is none. */
  nameIn(text: string): string | null {
    const { found } = this.#finder.find(Buffer.from(text), "", true);
    return found.find(({ name }) => name !== null)?.name ?? null;
  }

  #all(value: unknown): unknown {
    if (typeof value === "string") return this.redact(value);
    if (Array.isArray(value)) return value.map((item) => this.#all(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.redact(key), this.#all(item)]));
  }
}
