// Forms of a secret. Owns: how a value may be written: as it is, inside JSON, in an address, in base64.

/** The shortest part of a value that is searched for on its own. */
const shortestPiece = 32;
/** Fewer letters of base64 occur in many texts by chance. */
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

/** JSON as Python writes it: only ASCII. */
function asciiOnly(text: string): string {
  return text.replace(/[^\0-\x7f]/g, unicode);
}

/** JSON as Go writes it: safe inside HTML. */
function htmlSafe(text: string): string {
  return text.replace(/[<>&]/g, unicode);
}

function unicode(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function addressed(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Keys of several lines are often printed line by line, with other text between them. */
function linesOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n|\\n/).filter((line) => line.length >= shortestPiece && !/\s/.test(line));
  return lines.filter((line) => line !== value);
}

/**
 * Text before a value (`user:`) shifts its bits, so there are three ways to encode it. The first and last letters contain bits of the
 * text around it and are left out.
 */
export function base64Of(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const pieces = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return text.slice(Math.ceil((before * 8) / 6), end);
  });
  const long = pieces.filter((piece) => piece.length >= shortestBase64);
  return long.flatMap((piece) => [piece, piece.replaceAll("-", "+").replaceAll("_", "/")]);
}
