// Paths as git prints them: as they are, or in quotes with the escapes of C where a character would be unclear.

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

interface ReadPath {
  readonly path: string;
  /** What follows it on the line. */
  readonly rest: string;
}

/** Of a text that begins with a quote; null: the quote does not end. */
function readQuoted(text: string): ReadPath | null {
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (let at = 1; at < text.length; at += 1) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (character === '"') return { path: new TextDecoder().decode(new Uint8Array(bytes)), rest: text.slice(at + 1) };
    if (character !== "\\") {
      bytes.push(...encoder.encode(character));
      at += character.length - 1;
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(at + 1, at + 4))?.[0];
    if (octal === undefined) {
      bytes.push(escapes[text[at + 1] ?? ""] ?? 92);
      at += 1;
    } else {
      bytes.push(Number.parseInt(octal, 8));
      at += 3;
    }
  }
  return null;
}

/** A path that ends its line. After one with a space git prints a tab. */
export function readPath(text: string): string {
  if (text.startsWith('"')) return readQuoted(text)?.path ?? text;
  return text.endsWith("\t") ? text.slice(0, -1) : text;
}

/** Both paths of `diff --git a/X b/X`, without `a/` and `b/`; null: they differ and are not quoted, so that their border is not known. */
export function readBothPaths(text: string): { readonly from: string; readonly to: string } | null {
  if (text.startsWith('"')) {
    const first = readQuoted(text);
    if (first === null) return null;
    return { from: first.path.slice(2), to: readPath(first.rest.trimStart()).slice(2) };
  }
  const quote = text.endsWith('"') ? text.indexOf(' "') : -1;
  if (quote >= 0) return { from: text.slice(2, quote), to: readPath(text.slice(quote + 1)).slice(2) };
  const length = (text.length - "a/ b/".length) / 2;
  const [from, to] = [text.slice(2, 2 + length), text.slice(text.length - length)];
  return from === to ? { from, to } : null;
}
