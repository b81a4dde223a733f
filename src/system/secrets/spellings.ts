// Spellings of a secret that mix escapes, so that there are too many to list: some letters of a value escaped as in JSON, in an address or in
// HTML, in either case, colours between them, and base64 that is wrapped into lines. Owns: where such a spelling may begin, and whether it is one.

import { base64Of } from "./forms.ts";

/** How a text at some place compares with a spelling. */
type Comparison = { readonly end: number } | "open" | null;

export interface Spelling {
  /** Beginnings by which it is found. Each character is one byte. */
  readonly beginnings: readonly string[];
  /** `text` has one character for each byte; `last` says that no more will come. */
  compare(text: string, at: number, last: boolean): Comparison;
}

/** So much of a spelling is looked up in a table. */
const beginningLength = 6;
/** A mix of escapes in the beginning has this many escaped letters at most; with more, all are escaped in the same way. */
const mostMixed = 3;

export function spellingsOf(value: string): readonly Spelling[] {
  const wrapped = [...new Set(base64Of(value).map(plainAlphabet))];
  return [
    escapedSpelling(value),
    ...wrapped.flatMap((letters) => [wrappedSpelling(letters), wrappedSpelling(letters.slice(3))]),
  ];
}

const ordinary = /^[\w.~-]$/;

function escapedSpelling(value: string): Spelling {
  const letters = Array.from(value.toWellFormed());
  const units = letters.map(unitOf);
  const first = letters.slice(0, beginningLength);
  const special = first.filter((letter) => !ordinary.test(letter)).length;
  const spelled = special > mostMixed ? escapes.map((escape) => first.map((letter) => spell(letter, escape))) : [];
  const mixed = [
    ...(special <= mostMixed ? mixes(first) : spelled),
    ...escapes.slice(2).map((escape) => first.map(escape)),
  ];
  const coloured = first.slice(1).map((_, at) => [...first.slice(0, at + 1).map(bytesOf), colourBegin]);
  return {
    beginnings: [...new Set([...mixed, ...coloured].map((parts) => parts.join("").slice(0, beginningLength)))],
    compare: (text, at, last) => compareUnits(units, text, at, last),
  };
}

type Escape = (letter: string) => string;

const hex = (letter: string, width: number) => letter.charCodeAt(0).toString(16).padStart(width, "0");
const percent = (letter: string) => encodeURIComponent(letter).replace(/^[^%]$/, (one) => `%${hex(one, 2)}`);
const escapes: readonly Escape[] = [
  bytesOf,
  (letter) => `\\${bytesOf(letter)}`,
  (letter) => unicode(letter),
  (letter) => unicode(letter).replace(/[0-9a-f]{4}/g, (digits) => digits.toUpperCase()),
  (letter) => percent(letter).toLowerCase(),
  (letter) => percent(letter).toUpperCase(),
];

function spell(letter: string, escape: Escape): string {
  return ordinary.test(letter) ? letter : escape(letter);
}

function mixes(letters: readonly string[]): readonly (readonly string[])[] {
  return letters.reduce<readonly (readonly string[])[]>(
    (all, letter) => {
      const ways = ordinary.test(letter) ? [letter] : escapes.map((escape) => escape(letter));
      return all.flatMap((begun) => ways.map((way) => [...begun, way]));
    },
    [[]],
  );
}

/** Every way to write one character, at the place where the expression is tried. */
function unitOf(letter: string): RegExp {
  const digits = hex(letter, 2);
  const short: Readonly<Record<string, string>> = { "\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f" };
  const names: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };
  const isAscii = letter.length === 1 && letter.charCodeAt(0) < 0x80;
  // As it is comes last: it is the begin of some escapes.
  const ways = [
    ...(short[letter] === undefined ? [] : [`\\\\{1,8}${short[letter]}`]),
    [...unicode(letter).matchAll(/[0-9a-f]{4}/g)].map(([code]) => `\\\\{1,8}u${anyCase(code)}`).join(""),
    anyCase(percent(letter)),
    ...(isAscii ? [`&#(?:${letter.charCodeAt(0)}|[xX]0*${anyCase(digits)});`] : []),
    ...(names[letter] === undefined ? [] : [`&${names[letter]};`]),
    ...(letter === " " ? ["\\+"] : []),
    ...(letter === "\\" ? ["\\\\{1,8}"] : [`\\\\{0,8}${literal(bytesOf(letter))}`]),
  ];
  return new RegExp(ways.join("|"), "y");
}

const colourBegin = "\u001b[";
/** The console leaves colours out, and what they cut is whole again. */
const colours = new RegExp(`(?:${literal(colourBegin)}[0-9;]{0,32}m){1,8}`, "y");

const halfColour = new RegExp(`^${colourBegin[0]}(?:\\[[\\d;]{0,32})?$`);

function compareUnits(units: readonly RegExp[], text: string, start: number, last: boolean): Comparison {
  let at = start;
  for (const unit of units) {
    if (at > start) {
      colours.lastIndex = at;
      at += colours.exec(text)?.[0].length ?? 0;
    }
    unit.lastIndex = at;
    const found = unit.exec(text)?.[0];
    if (found === undefined) return !last && mayBecomeEscape(text, at) ? "open" : null;
    at += found.length;
  }
  return { end: at };
}

/** What is there ends with the text, and is nothing or the begin of an escape. */
function mayBecomeEscape(text: string, at: number): boolean {
  const rest = text.slice(at, at + 40);
  if (at + rest.length < text.length) return false;
  if (halfColour.test(rest)) return true;
  return /^(?:\\{1,8}(?:u[0-9a-f]{0,3}(?:[0-9a-f]\\{0,8}u?[0-9a-f]{0,3})?)?|(?:%[0-9a-f]{0,2})+|&#?\w{0,6}|[\x80-\xff]{1,3})?$/i.test(
    rest,
  );
}

/** Base64 of the plain alphabet, with line ends between its letters. */
function wrappedSpelling(letters: string): Spelling {
  // A break further in front would keep back the end of every line; the spelling that begins later finds it.
  const broken = [beginningLength - 2, beginningLength - 1].flatMap((at) =>
    ["\n", "\r\n", "\\n", "\\r\\n"].map((end) => letters.slice(0, at) + end),
  );
  const all = [letters, ...broken].flatMap((begin) => [begin, begin.replaceAll("+", "-").replaceAll("/", "_")]);
  return {
    beginnings: [...new Set(all.map((begin) => begin.slice(0, beginningLength)))],
    compare: (text, at, last) => compareWrapped(letters, text, at, last),
  };
}

const lineEnd = /(?:(?:\r|\n|\\{1,8}[rn])[ \t]{0,32}){1,4}/y;

function compareWrapped(letters: string, text: string, start: number, last: boolean): Comparison {
  let at = start;
  for (const letter of letters) {
    if (at > start && plainAlphabet(text[at] ?? "") !== letter) {
      lineEnd.lastIndex = at;
      at += lineEnd.exec(text)?.[0].length ?? 0;
    }
    const there = text[at];
    if (there === undefined) return last ? null : "open";
    if (plainAlphabet(there) !== letter) return !last && at + 1 === text.length && there === "\\" ? "open" : null;
    at += 1;
  }
  return { end: at };
}

function plainAlphabet(text: string): string {
  return text.replaceAll("-", "+").replaceAll("_", "/");
}

function unicode(letter: string): string {
  return Array.from({ length: letter.length }, (_, index) => `\\u${hex(letter[index] ?? "", 4)}`).join("");
}

function anyCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString("latin1");
}
