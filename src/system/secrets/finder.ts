// The finder of secrets. Owns: where in some bytes a secret is, and from which offset on that cannot be decided before more bytes come.

import { formats, type KeyFormat } from "./formats.ts";
import { formsOf } from "./forms.ts";
import { PrefixScanner } from "./prefix-scanner.ts";
import { type Spelling, spellingsOf } from "./spellings.ts";
import type { SecretValue } from "./variables.ts";

interface Found {
  /** Where its context begins, for example a word before it. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  /** The name of the variable; null if it only looks like a key. */
  readonly name: string | null;
}

interface Findings {
  readonly found: readonly Found[];
  /** Everything before this offset is decided. */
  readonly decided: number;
}

interface Known {
  readonly name: string;
  /** Each character is one byte. */
  readonly text: string;
}

interface Spelled {
  readonly name: string;
  readonly spelling: Spelling;
}

/** A format and one of its prefixes. */
interface FormatPrefix {
  readonly format: KeyFormat;
  readonly prefix: string;
  /** By byte. */
  readonly letters: Uint8Array;
}

let prefixesOfFormats: readonly FormatPrefix[] | null = null;

/** Made when something is looked for: a command that only looks at a run pays a millisecond for it. */
function formatPrefixes(): readonly FormatPrefix[] {
  prefixesOfFormats ??= formats.flatMap((format) => {
    const letters = Uint8Array.from({ length: 256 }, (_, byte) =>
      format.letters.test(String.fromCharCode(byte)) ? 1 : 0,
    );
    return format.prefixes.map((prefix) => ({ format, prefix, letters }));
  });
  return prefixesOfFormats;
}

type Answer = Found | "open" | null;

/** Long enough to be rare, and short enough to keep the table small. */
const prefixLength = 6;
/** A spelling that is longer is not found; it must not be kept back for ever either. */
const longestSpelling = 16 * 1024;
/** So many bytes mostly suffice to see that a text is not a key. */
const firstLook = 256;
/** How many bytes before a key are needed to decide whether it begins there. */
export const contextLength = 16;

export class Finder {
  /** What may follow each prefix. */
  readonly #candidates: readonly {
    readonly known: readonly Known[];
    readonly spelled: readonly Spelled[];
    readonly formatPrefixes: readonly FormatPrefix[];
  }[];
  readonly #prefixes: PrefixScanner;

  constructor(secrets: readonly SecretValue[]) {
    const known = secrets.flatMap(({ name, value }) => formsOf(value).map((form) => ({ name, text: bytesIn(form) })));
    const byPrefix = Map.groupBy(known, ({ text }) => text.slice(0, prefixLength));
    const spelled = secrets.flatMap(({ name, value }) => spellingsOf(value).map((spelling) => ({ name, spelling })));
    const beginnings = spelled.flatMap((one) => one.spelling.beginnings.map((begin) => ({ begin, one })));
    const byBeginning = Map.groupBy(beginnings, ({ begin }) => begin);
    const prefixes = new Set([
      ...byPrefix.keys(),
      ...byBeginning.keys(),
      ...formatPrefixes().map(({ prefix }) => prefix),
    ]);
    this.#candidates = [...prefixes].map((prefix) => ({
      known: byPrefix.get(prefix) ?? [],
      spelled: (byBeginning.get(prefix) ?? []).map(({ one }) => one),
      formatPrefixes: formatPrefixes().filter((one) => one.prefix === prefix),
    }));
    this.#prefixes = new PrefixScanner([...prefixes]);
  }

  /** `before` has the bytes before these; `last` says that no more will come. */
  find(data: Buffer, before: string, last: boolean): Findings {
    const found: Found[] = [];
    let decided = data.length;
    const take = (answer: Answer, at: number) => {
      if (answer === "open") decided = Math.min(decided, at);
      else if (answer !== null) found.push(answer);
    };
    const half = this.#prefixes.scan(data, (which, at) => {
      const candidates = this.#candidates[which];
      for (const known of candidates?.known ?? []) take(valueAt(known, data, at, last), at);
      for (const spelled of candidates?.spelled ?? []) take(spellingAt(spelled, data, at, last), at);
      for (const one of candidates?.formatPrefixes ?? [])
        if (!isInside(one.format, data, at, before)) take(keyAt(one, data, at, last), at);
    });
    if (!last) decided = Math.min(decided, half);
    found.sort((one, other) => one.from - other.from);
    // A secret across that offset is decided together with the bytes after it.
    for (const { from, end } of found.toReversed()) if (end > decided && from < decided) decided = from;
    return { found: joined(found.filter(({ from }) => from < decided)), decided };
  }
}

function valueAt({ name, text }: Known, data: Buffer, at: number, last: boolean): Answer {
  const end = at + text.length;
  const there = data.toString("latin1", at, Math.min(end, data.length));
  if (there === text) return { from: at, start: at, end, name };
  return !last && end > data.length && text.startsWith(there) ? "open" : null;
}

function spellingAt({ name, spelling }: Spelled, data: Buffer, at: number, last: boolean): Answer {
  const text = data.toString("latin1", at, Math.min(data.length, at + longestSpelling));
  const compared = spelling.compare(text, 0, last || at + longestSpelling <= data.length);
  return compared === null || compared === "open" ? compared : { from: at, start: at, end: at + compared.end, name };
}

function keyAt(looking: FormatPrefix, data: Buffer, at: number, last: boolean): Answer {
  const { format } = looking;
  let there = lettersAt(looking, data, at, firstLook);
  let goesOn = there.length >= firstLook && format.open.test(there);
  if (goesOn || at + there.length === data.length) {
    there = lettersAt(looking, data, at, format.longest);
    goesOn = at + there.length === data.length && there.length < format.longest && format.open.test(there);
    if (goesOn && !last) return "open";
  }
  const [whole, part] = format.whole.exec(there) ?? [];
  if (whole === undefined) return null;
  const end = at + whole.length;
  return { from: at, start: end - (part ?? whole).length, end, name: null };
}

function lettersAt({ prefix, letters }: FormatPrefix, data: Buffer, at: number, most: number): string {
  const limit = Math.min(at + most, data.length);
  let end = at + prefix.length;
  while (end < limit && letters[data[end] as number] === 1) end++;
  return data.toString("latin1", at, end);
}

/** Whether it is in the middle of a longer word. The letter of an escape (`\n`) and the end of a colour code belong to no word. */
function isInside({ inside }: KeyFormat, data: Buffer, at: number, before: string): boolean {
  const context = at >= contextLength ? "" : before;
  const all = context + data.toString("latin1", Math.max(0, at - contextLength), at);
  return inside.test(all.slice(-1)) && !/(?:\\[bfnrt]|\[[\d;]*m)$/.test(all);
}

/** From left to right. Overlapping finds become one, and one with a name wins. */
function joined(found: readonly Found[]): readonly Found[] {
  const all: Found[] = [];
  for (const next of found.toSorted((one, other) => one.start - other.start)) {
    const previous = all.at(-1);
    if (previous === undefined || next.start >= previous.end) all.push(next);
    else
      all[all.length - 1] = {
        ...previous,
        end: Math.max(previous.end, next.end),
        name: previous.name ?? next.name,
      };
  }
  return all;
}

function bytesIn(text: string): string {
  return Buffer.from(text).toString("latin1");
}
