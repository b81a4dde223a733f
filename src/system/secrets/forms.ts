// Forms of a secret. Owns: how a value may look where somebody wrote it: as it is, inside JSON, in an address, in base64.

/** The shortest piece of a value that is looked for by itself. */
const shortestPiece = 32;
/** Fewer letters of base64 are found in many texts. */
const shortestBase64 = 10;

export function formsOf(value: string): readonly string[] {
  const inJson = escaped(value);
  const inOthers = [asciiOnly(inJson), htmlSafe(inJson), htmlSafe(asciiOnly(inJson))];
  const forms = [value, inJson, escaped(inJson), ...inOthers, addressed(value), ...linesOf(value), ...base64Of(value)];
  return [...new Set(forms)];
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Python's JSON has no letters beyond ASCII. */
function asciiOnly(text: string): string {
  return text.replace(/[^\0-\x7f]/g, unicode);
}

/** Go's is fit to be put into a page. */
function htmlSafe(text: string): string {
  return text.replace(/[<>&]/g, unicode);
}

function unicode(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function addressed(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Keys of several lines are printed line by line, with other things between them. */
function linesOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n|\\n/).filter((line) => line.length >= shortestPiece && !/\s/.test(line));
  return lines.filter((line) => line !== value);
}

/**
 * What comes before a value (`user:`) moves its bits: there are three ways to write it. Its first and last letters hold bits of
 * its neighbours and are left out.
 */
function base64Of(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const pieces = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(Math.ceil((before * 8) / 6), end);
  });
  const long = pieces.filter((piece) => piece.length >= shortestBase64);
  return long.flatMap((piece) => [piece, piece.replaceAll("-", "+").replaceAll("_", "/")]);
}
