// Output. Owns: reading `KEY: value` from what an agent prints, and saying in notes what was read differently from how it
// was written. Does not own: what the values mean.

import { counted } from "../domain/counted.ts";
import { type FenceLine, type KeyLine, readFenceLine, readKeyLine } from "./keyline.ts";
import { cleanText, cutEnd, fits, foldWord } from "./plaintext.ts";
import { denialAtTheEnd, isDenialWithRemark, meaningOf } from "./status.ts";
import { isStoriesLine, storiesKey } from "./stories.ts";

const maxValueBytes = 64 * 1024;
const maxKeys = 200;
const maxNotes = 100;

/** Keys whose value is one line; prose after it belongs to no key. */
const singleLineKeys = ["status", "decision", "repo", "branch", "pr", "pr_url"] as const;
/** Keys that are known without any workflow naming them. */
const builtIn = new Set<string>([
  ...singleLineKeys,
  "issues",
  "review_issues",
  "failures",
  "feedback",
  "problems",
  "reason",
  "findings",
  "stories_json",
]);
/** Known also as `Status:`. The others are words that prose and logs begin lines with (`Reason: …`, `Problems: …`). */
const builtInInAnyCase = new Set<string>([...singleLineKeys, "issues", "review_issues", "failures", "stories_json"]);

export interface PrintedKey {
  readonly key: string;
  readonly value: string;
  /** It stood in a fenced block. */
  readonly fenced: boolean;
}

interface Entries {
  /** In the order in which they were printed; a key may occur more than once. */
  readonly entries: readonly PrintedKey[];
  readonly notes: readonly string[];
  /** A STATUS in prose that says no, behind the last one that is a key; null: there is none. */
  readonly aside: string | null;
}

interface KeyValues {
  readonly values: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

export function readKeys(text: string, known: readonly string[]): KeyValues {
  return lastOfEach(readEntries(text, known, null), known);
}

/** Each key once. The last occurrence counts: what comes before may be the prompt, echoed. */
export function lastOfEach(read: Pick<Entries, "entries" | "notes">, known: readonly string[]): KeyValues {
  const notes = new Set(read.notes);
  const values = new Map<string, string>();
  for (const { key, value } of read.entries) {
    if (values.has(key)) notes.add(`${key.toUpperCase()} was given more than once; the last one counts`);
    values.set(key, value);
  }
  if (values.size <= maxKeys) return { values, notes: limited(notes) };
  const isKnown = new Set([...builtIn, ...known.map((key) => key.toLowerCase())]);
  const kept = [...values].toSorted(([a], [b]) => Number(isKnown.has(b)) - Number(isKnown.has(a))).slice(0, maxKeys);
  notes.add(`left out ${counted(values.size - maxKeys, "key")}: at most ${maxKeys} are read`);
  return { values: new Map(kept), notes: limited(notes) };
}

/** `deciding` is the key whose value decides, where a step has one: it is known and takes one line. */
export function readEntries(text: string, known: readonly string[], deciding: string | null): Entries {
  const cleaned = cleanText(text);
  const reader = new Reader(known, deciding, cleaned.notes);
  for (const line of cleaned.text.split("\n")) reader.read(line);
  return reader.end();
}

/** A key whose value may span lines. */
interface Open {
  readonly key: string;
  readonly lines: string[];
  readonly nested: boolean;
  readonly fences: number;
  /** An odd number of fence lines: the last block inside of the value is not closed. */
  inBlock: boolean;
}

class Reader {
  readonly #known: ReadonlySet<string>;
  readonly #single: ReadonlySet<string>;
  readonly #verdict: ReadonlySet<string>;
  readonly #notes: Set<string>;
  readonly #entries: PrintedKey[] = [];
  readonly #seen = new Set<string>();
  readonly #fences: FenceLine[] = [];
  #open: Open | null = null;
  #aside: string | null = null;

  constructor(known: readonly string[], deciding: string | null, notes: readonly string[]) {
    const also = deciding === null ? [] : [deciding.toLowerCase()];
    this.#known = new Set([...known.map((key) => key.toLowerCase()), ...also]);
    this.#single = new Set([...singleLineKeys, ...also]);
    this.#verdict = new Set(["status", ...also]);
    this.#notes = new Set(notes);
  }

  read(line: string): void {
    const fence = readFenceLine(line);
    if (fence) return this.#crossFence(fence, line);
    const keyLine = readKeyLine(line);
    if (keyLine && this.#counts(keyLine)) return this.#start(keyLine, line);
    this.#open?.lines.push(line);
    this.#lookAside(line);
  }

  end(): Entries {
    this.#close();
    return { entries: this.#entries, notes: [...this.#notes], aside: this.#aside };
  }

  /** In a value that is not a summary, a STATUS is what that value is about. Without a STATUS before it, only one in the last line counts. */
  #lookAside(line: string): void {
    if (this.#fences.length > 0 || !isFilled(line)) return;
    if (!this.#seen.has("status")) this.#aside = null;
    if (this.#open === null || this.#open.key === "summary") this.#aside = denialAtTheEnd(line) ?? this.#aside;
  }

  #crossFence(fence: FenceLine, line: string): void {
    const innermost = this.#fences.at(-1);
    const closes = innermost && !fence.named && fence.mark[0] === innermost.mark[0];
    if (closes) this.#fences.pop();
    else this.#fences.push(fence);
    // The block in which the key stands ends here, and the value with it.
    if (this.#open && this.#fences.length < this.#open.fences) return this.#close();
    if (!this.#open) return;
    this.#open.lines.push(line);
    this.#open.inBlock = !closes;
  }

  #counts(line: KeyLine): boolean {
    const { key } = line;
    const single = this.#single.has(key);
    const known = this.#known.has(key) || (line.upper ? builtIn : builtInInAnyCase).has(key);
    const open = this.#open;
    if (key === storiesKey) return isStoriesLine(line);
    if (!line.spaced && !(line.upper && single)) return false;
    if (!known) return line.upper && (open === null || this.#endsValue(line, open));
    if (single && (!line.upper || line.nested) && !isPlausible(line)) return false;
    if (!open) return true;
    if (this.#fences.length > open.fences) return !this.#seen.has(key);
    if (line.nested && !open.nested) return this.#verdict.has(key) && !this.#seen.has(key);
    return true;
  }

  /** Whether a key that nobody declared ends the value before it. */
  #endsValue({ key, nested }: KeyLine, open: Open): boolean {
    if (nested || this.#fences.length > open.fences) return false;
    if (open.key === storiesKey || key.includes("_") || open.key.endsWith("_cmd")) return true;
    return !listsWords(open.lines);
  }

  #start(line: KeyLine, raw: string): void {
    this.#close();
    if (!line.plain) this.#notes.add(`read ${quoted(line.spelling)} as ${line.key.toUpperCase()}`);
    if (!line.spaced) this.#notes.add(`read ${line.key.toUpperCase()} without a space after its colon`);
    if (/[\u00A0\u2000-\u200A\u202F\u3000]/.test(raw.slice(0, line.spelling.length + 8)))
      this.#notes.add(`read a no-break space beside ${line.key.toUpperCase()} as a space`);
    this.#seen.add(line.key);
    if (line.key === "status") this.#aside = null;
    const { key, value, nested } = line;
    const fences = this.#fences.length;
    if (this.#single.has(key)) this.#add(key, this.#unwrapped(line), fences > 0);
    else this.#open = { key, lines: [value], nested, fences, inBlock: false };
  }

  /** `**done**` and `` `feature/x` `` are values in marks that mean nothing in a value of one line. */
  #unwrapped({ key, value }: KeyLine): string {
    const inner = /^(\*{1,3}|`{1,3})([^*`]+)\1$/.exec(value)?.[2];
    if (inner === undefined) return value;
    this.#notes.add(`read ${quoted(value)} as the value of ${key.toUpperCase()}`);
    return inner;
  }

  #close(): void {
    const open = this.#open;
    this.#open = null;
    if (!open || open.key === storiesKey) return;
    // A block that opened in this value and holds the next key is not part of the value.
    if (open.inBlock && readFenceLine(lastFilled(open.lines))) open.lines.splice(open.lines.findLastIndex(isFilled));
    this.#add(open.key, open.lines.join("\n").trim(), open.fences > 0);
  }

  #add(key: string, value: string, fenced: boolean): void {
    const cut = !fits(value, maxValueBytes);
    if (cut) this.#notes.add(`${key.toUpperCase()} was cut to 64 KiB`);
    this.#entries.push({ key, value: cut ? cutEnd(value, maxValueBytes) : value, fenced });
  }
}

/** In a list or in prose, `Status: field is missing` is about a status; `Status: done` is one. */
function isPlausible({ key, value }: KeyLine): boolean {
  if (key === "status") return meaningOf(value) !== null || isDenialWithRemark(value);
  return value !== "" && !/\s/.test(foldWord(value));
}

/** A value below its key whose lines begin with words of their own: `FINDINGS:`, and below it `SQL: …` and `XSS: …`. */
function listsWords([same = "", ...below]: readonly string[]): boolean {
  if (same !== "") return false;
  const first = below.find(isFilled);
  return first === undefined || readKeyLine(first)?.nested === false;
}

function isFilled(line: string): boolean {
  return line.trim() !== "";
}

function lastFilled(lines: readonly string[]): string {
  return lines.findLast(isFilled) ?? "";
}

function quoted(text: string): string {
  const short = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return short.includes("`") ? `"${short}"` : `\`${short}\``;
}

function limited(notes: ReadonlySet<string>): readonly string[] {
  if (notes.size <= maxNotes) return [...notes];
  return [...[...notes].slice(0, maxNotes - 1), `and ${notes.size - maxNotes + 1} more notes`];
}
