// The finder of secrets. Owns: where in some bytes a secret stands, and from where on nobody can tell before more bytes come.

import { Beginnings } from "./beginnings.ts";
import { type Format, formats } from "./formats.ts";
import { formsOf } from "./forms.ts";
import type { SecretValue } from "./variables.ts";

interface Found {
  /** What makes it one begins here: a word before it, perhaps. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  /** Of the variable; null: it only looks like a key. */
  readonly name: string | null;
}

interface Findings {
  readonly found: readonly Found[];
  /** What stands before is decided. */
  readonly decided: number;
}

interface Known {
  readonly name: string;
  /** One character for a byte. */
  readonly text: string;
}

/** A format, found by one of its beginnings. */
interface Looked {
  readonly format: Format;
  readonly beginning: string;
  /** By byte. */
  readonly letters: Uint8Array;
}

const looked: readonly Looked[] = formats.flatMap((format) => {
  const letters = Uint8Array.from({ length: 256 }, (_, byte) =>
    format.letters.test(String.fromCharCode(byte)) ? 1 : 0,
  );
  return format.beginnings.map((beginning) => ({ format, beginning, letters }));
});

type Answer = Found | "open" | null;

/** Enough of a value to be rare, and not so much that the table gets large. */
const beginningLength = 6;
/** What is no key is mostly seen to be none in so many bytes. */
const firstLook = 256;
/** How much before a key must be known to tell whether it begins there. */
export const contextLength = 16;

export class Finder {
  /** What may follow each beginning. */
  readonly #candidates: readonly { readonly known: readonly Known[]; readonly looked: readonly Looked[] }[];
  readonly #beginnings: Beginnings;

  constructor(secrets: readonly SecretValue[]) {
    const known = secrets.flatMap(({ name, value }) => formsOf(value).map((form) => ({ name, text: bytesIn(form) })));
    const byBeginning = Map.groupBy(known, ({ text }) => text.slice(0, beginningLength));
    const beginnings = new Set([...byBeginning.keys(), ...looked.map(({ beginning }) => beginning)]);
    this.#candidates = [...beginnings].map((beginning) => ({
      known: byBeginning.get(beginning) ?? [],
      looked: looked.filter((one) => one.beginning === beginning),
    }));
    this.#beginnings = new Beginnings([...beginnings]);
  }

  /** `before`: the bytes before these. `last`: no more will come. */
  find(data: Buffer, before: string, last: boolean): Findings {
    const found: Found[] = [];
    let decided = data.length;
    const take = (answer: Answer, at: number) => {
      if (answer === "open") decided = Math.min(decided, at);
      else if (answer !== null) found.push(answer);
    };
    const half = this.#beginnings.scan(data, (which, at) => {
      const candidates = this.#candidates[which];
      for (const known of candidates?.known ?? []) take(valueAt(known, data, at, last), at);
      for (const one of candidates?.looked ?? [])
        if (!isInside(one.format, data, at, before)) take(keyAt(one, data, at, last), at);
    });
    if (!last) decided = Math.min(decided, half);
    found.sort((one, other) => one.from - other.from);
    // What is found across that place is decided with what comes behind it.
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

function keyAt(looking: Looked, data: Buffer, at: number, last: boolean): Answer {
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

function lettersAt({ beginning, letters }: Looked, data: Buffer, at: number, most: number): string {
  const limit = Math.min(at + most, data.length);
  let end = at + beginning.length;
  while (end < limit && letters[data[end] as number] === 1) end++;
  return data.toString("latin1", at, end);
}

/** In the middle of a longer word. The letter of an escape (`\n`) and the end of a colour belong to no word. */
function isInside({ inside }: Format, data: Buffer, at: number, before: string): boolean {
  const context = at >= contextLength ? "" : before;
  const all = context + data.toString("latin1", Math.max(0, at - contextLength), at);
  return inside.test(all.slice(-1)) && !/(?:\\[bfnrt]|\[[\d;]*m)$/.test(all);
}

/** From left to right; what overlaps is one, and a name wins. */
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
