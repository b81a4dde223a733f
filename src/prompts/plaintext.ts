// Plain text. Owns: making text from outside safe to keep and to compare: one kind of line end, no terminal codes, no
// NUL (PostgreSQL refuses it), no half characters, a size.

interface Cleaned {
  readonly text: string;
  readonly notes: readonly string[];
}

const escape = String.fromCharCode(27);
const bell = String.fromCharCode(7);
const terminalCodes = new RegExp(
  `${escape}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^${bell}${escape}]*(?:${bell}|${escape}\\\\))`,
  "g",
);
const invisible = new RegExp(`[${String.fromCharCode(0)}\u200B\uFEFF]`, "g");

export function cleanText(raw: string): Cleaned {
  const notes: string[] = [];
  const apply = (text: string, changed: string, note: string) => {
    if (changed !== text) notes.push(note);
    return changed;
  };
  let text = apply(raw, raw.replace(/\r\n?/g, "\n"), "read Windows line ends as line ends");
  text = apply(text, text.replace(terminalCodes, ""), "removed terminal codes");
  text = apply(text, text.replace(invisible, ""), "removed NUL bytes or invisible characters");
  text = apply(text, text.toWellFormed(), "replaced half characters");
  return { text, notes };
}

const cutMark = "\n[… cut]";
const cutMarkBytes = sizeOf(cutMark);

/** The beginning of a text, in at most so many bytes of UTF-8, never half a character. */
export function cutEnd(text: string, maxBytes: number): string {
  if (fits(text, maxBytes)) return text;
  return text.slice(0, unitsWithin(text, maxBytes - cutMarkBytes)) + cutMark;
}

/** The end of a text: an agent's verdict and reasons are rarely at the beginning. */
export function cutBeginning(text: string, maxBytes: number): string {
  if (fits(text, maxBytes)) return text;
  let from = text.length;
  let bytes = cutMarkBytes;
  while (from > 0) {
    const low = text.charCodeAt(from - 1);
    const units = low >= 0xdc00 && low <= 0xdfff && from > 1 ? 2 : 1;
    bytes += sizeOf(text.slice(from - units, from));
    if (bytes > maxBytes) break;
    from -= units;
  }
  return `[… cut]\n${text.slice(from)}`;
}

export function fits(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return true;
  return text.length <= maxBytes && sizeOf(text) <= maxBytes;
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function unitsWithin(text: string, maxBytes: number): number {
  return new TextEncoder().encodeInto(text, new Uint8Array(maxBytes)).read;
}

/** A text as it is compared: without the marks of Markdown, white space as one space, lower case. */
export function flatten(text: string): string {
  return text.replace(/[*`#]/g, "").replace(/\s+/g, " ").trim().toLowerCase();
}

// Quotes, marks of Markdown, brackets, points and the usual signs of success. Not `?`: "done?" is a question.
const wrapping = new Set("\"'`*_.,;:!()[]<>“”‘’«»✅✔☑🎉\uFE0F");

/** A word that was asked for, without the quotes and marks around it. */
export function foldWord(text: string): string {
  const characters = Array.from(text.trim().toLowerCase());
  const isWrapping = (character: string | undefined) =>
    character !== undefined && (wrapping.has(character) || /\s/.test(character));
  let from = 0;
  let to = characters.length;
  while (from < to && isWrapping(characters[from])) from++;
  while (to > from && isWrapping(characters[to - 1])) to--;
  return characters.slice(from, to).join("");
}

/** The same word in the spelling of identifiers: "Needs fixes" and "needs-fixes" are `needs_fixes`. */
export function asIdentifier(word: string): string {
  return word.replace(/[\s-]+/g, "_");
}
