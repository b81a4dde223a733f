// JSON in text. Owns: finding where a JSON value ends, or the first place where it stops being JSON. `JSON.parse` cannot
// do the first and gives no position for most mistakes.

type JsonSpan =
  | { readonly ok: true; readonly end: number }
  | { readonly ok: false; readonly at: number; readonly expected: string };

const maxDepth = 100;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const plainText = new RegExp(`[^"\\\\${String.fromCharCode(0)}-${String.fromCharCode(31)}]*`, "y");
const stringEscape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The value that begins at `start`. What follows it is not looked at. */
export function spanJson(text: string, start: number): JsonSpan {
  const closers: string[] = [];
  let at = skipSpace(text, start);
  for (;;) {
    // A value begins here.
    const character = text[at];
    if (character === "[" || character === "{") {
      if (closers.length === maxDepth) return bad(at, `at most ${maxDepth} levels`);
      const closer = character === "[" ? "]" : "}";
      closers.push(closer);
      at = skipSpace(text, at + 1);
      if (text[at] !== closer) {
        if (closer === "]") continue;
        const value = passKey(text, at);
        if (!value.ok) return value;
        at = value.end;
        continue;
      }
    } else {
      const scalar = passScalar(text, at);
      if (!scalar.ok) return scalar;
      at = scalar.end;
    }
    // A value has ended: leave what ends with it, up to the next value.
    for (;;) {
      const closer = closers.at(-1);
      if (closer === undefined) return { ok: true, end: at };
      const next = skipSpace(text, at);
      if (text[next] === closer) {
        closers.pop();
        at = next + 1;
        continue;
      }
      if (text[next] !== ",") return bad(next, `"," or "${closer}"`);
      at = skipSpace(text, next + 1);
      if (closer === "]") break;
      const value = passKey(text, at);
      if (!value.ok) return value;
      at = value.end;
      break;
    }
  }
}

/** Line and column of a position, from 1. */
export function placeOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: at - lineStart + 1 };
}

function bad(at: number, expected: string): JsonSpan {
  return { ok: false, at, expected };
}

function skipSpace(text: string, at: number): number {
  let next = at;
  while (text[next] === " " || text[next] === "\n" || text[next] === "\t" || text[next] === "\r") next++;
  return next;
}

/** `"key":`, up to its value. */
function passKey(text: string, at: number): JsonSpan {
  if (text[at] !== '"') return bad(at, "a key in double quotes");
  const key = passString(text, at);
  if (!key.ok) return key;
  const colon = skipSpace(text, key.end);
  return text[colon] === ":" ? { ok: true, end: skipSpace(text, colon + 1) } : bad(colon, '":"');
}

function passScalar(text: string, at: number): JsonSpan {
  if (text[at] === '"') return passString(text, at);
  for (const word of ["true", "false", "null"])
    if (text.startsWith(word, at)) return { ok: true, end: at + word.length };
  const end = passPattern(number, text, at);
  return end === at ? bad(at, "a value") : { ok: true, end };
}

function passString(text: string, at: number): JsonSpan {
  let next = at + 1;
  for (;;) {
    next = passPattern(plainText, text, next);
    if (text[next] === '"') return { ok: true, end: next + 1 };
    if (text[next] !== "\\")
      return bad(next, "the rest of the string (line breaks and tabs in it are written \\n and \\t)");
    const afterEscape = passPattern(stringEscape, text, next);
    if (afterEscape === next) return bad(next, "an escape that JSON has");
    next = afterEscape;
  }
}

function passPattern(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
