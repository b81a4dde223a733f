// Splits chunks of bytes into JSON objects. It looks at each byte once and uses bounded memory. It skips what is not an object:
// banners, blank lines, half a line of a program that died.

export interface JsonLinesOptions {
  readonly onObject: (value: object) => void;
  /** Beginnings of lines to skip without parsing. */
  readonly noise?: readonly string[];
}

export interface JsonLines {
  /** The caller may reuse the chunk afterwards. */
  write(chunk: Uint8Array): void;
  /** Also reads what follows the last newline, if it is complete. */
  end(): void;
  /** The number of lines that were too long to read. */
  tooLong(): number;
}

/** Much more than an agent's longest message; a line that never ends must not fill the memory. */
export const longestLine = 8 * 1024 * 1024;

const newline = 0x0a;
const brace = 0x7b;
const smallestRest = 64 * 1024;

export function jsonLines({ onObject, noise = [] }: JsonLinesOptions): JsonLines {
  const unwanted = noise.map((beginning) => Buffer.from(beginning));
  /** The incomplete line, `length` bytes of it. */
  let rest = Buffer.allocUnsafe(smallestRest);
  let length = 0;
  let isCut = false;
  let cutLines = 0;

  function keep(bytes: Buffer, from: number, to: number): void {
    if (isCut) return;
    const needed = length + to - from;
    if (needed > longestLine) {
      isCut = true;
      cutLines += 1;
      forget();
      return;
    }
    if (needed > rest.length) {
      const larger = Buffer.allocUnsafe(Math.min(longestLine, Math.max(needed, 2 * rest.length)));
      rest.copy(larger, 0, 0, length);
      rest = larger;
    }
    bytes.copy(rest, length, from, to);
    length = needed;
  }

  /** A long line must not hold its memory while short ones follow. */
  function forget(): void {
    length = 0;
    if (rest.length > 1024 * 1024) rest = Buffer.allocUnsafe(smallestRest);
  }

  function endRest(): void {
    if (!isCut && length > 0) readLine(rest, 0, length);
    isCut = false;
    forget();
  }

  function readLine(bytes: Buffer, from: number, to: number): void {
    let start = from;
    while (start < to && isBlank(bytes[start] ?? 0)) start += 1;
    if (bytes[start] !== brace || start === to) return;
    if (to - start > longestLine) {
      cutLines += 1;
      return;
    }
    for (const beginning of unwanted) if (beginsWith(bytes, start, to, beginning)) return;
    const value = parse(bytes.toString("utf8", start, to));
    if (value !== null) onObject(value);
  }

  return {
    write(chunk) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let from = 0;
      for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, from)) {
        if (length === 0 && !isCut) readLine(bytes, from, at);
        else {
          keep(bytes, from, at);
          endRest();
        }
        from = at + 1;
      }
      if (from < bytes.length) keep(bytes, from, bytes.length);
    },
    end: endRest,
    tooLong: () => cutLines,
  };
}

/** White space, and the byte order mark. */
function isBlank(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0xef || byte === 0xbb || byte === 0xbf;
}

/** From the end, where beginnings of lines differ. */
function beginsWith(bytes: Buffer, from: number, to: number, beginning: Buffer): boolean {
  if (to - from < beginning.length) return false;
  for (let index = beginning.length - 1; index >= 0; index -= 1)
    if (bytes[from + index] !== beginning[index]) return false;
  return true;
}

function parse(text: string): object | null {
  try {
    return JSON.parse(text) as object; // it begins with a brace
  } catch {
    return null;
  }
}
