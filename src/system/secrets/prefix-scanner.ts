// Prefixes. Owns: finding, in one fast pass over bytes, where one of many prefixes may be. Three bytes of each prefix are its signature.
// Wherever the prefix is, two of them are at an even offset and the next one, so only such pairs are looked up in a table. The time
// does not depend on the number of prefixes.

/** No prefix is shorter. */
const signatureLength = 3;

interface Sighting {
  readonly which: number;
  /** The offset of the pair in the prefix. */
  readonly offset: number;
}

export class PrefixScanner {
  readonly #list: readonly string[];
  /** By two bytes: 1 if they are part of a signature. */
  readonly #isPart = new Uint8Array(65_536);
  readonly #sightings = new Map<number, Sighting[]>();
  readonly #halves = new Set<string>();
  readonly #firsts: ReadonlySet<number>;
  readonly #longest: number;

  /** Each character is one byte. */
  constructor(list: readonly string[]) {
    this.#list = list;
    this.#longest = Math.max(...list.map(({ length }) => length));
    this.#firsts = new Set(list.map((text) => text.charCodeAt(0)));
    for (const [which, text] of list.entries()) {
      const signature = signatureOf(text);
      for (const offset of [signature, signature + 1]) this.#mark(pairOf(text, offset), { which, offset });
      for (let length = 1; length < text.length; length++) this.#halves.add(text.slice(0, length));
    }
  }

  #mark(pair: number, sighting: Sighting): void {
    this.#isPart[pair] = 1;
    this.#sightings.set(pair, [...(this.#sightings.get(pair) ?? []), sighting]);
  }

  /** Calls `tell` for each prefix. Returns the offset from which on the bytes may be a part of one. */
  scan(data: Buffer, tell: (which: number, at: number) => void): number {
    const isPart = this.#isPart;
    const last = data.length - 1;
    for (let at = 0; at < last; at += 2) {
      const pair = ((data[at] as number) << 8) | (data[at + 1] as number);
      if (isPart[pair] === 1) this.#tellAt(data, at, pair, tell);
    }
    return this.#halfAt(data);
  }

  #tellAt(data: Buffer, at: number, pair: number, tell: (which: number, at: number) => void): void {
    for (const { which, offset } of this.#sightings.get(pair) ?? [])
      if (isAt(this.#list[which] ?? "", data, at - offset)) tell(which, at - offset);
  }

  #halfAt(data: Buffer): number {
    for (let at = Math.max(0, data.length - this.#longest + 1); at < data.length; at++)
      if (this.#firsts.has(data[at] as number) && this.#halves.has(data.toString("latin1", at))) return at;
    return data.length;
  }
}

/** The offset of its signature: the first three bytes that are not all the same, because lines of dashes are common. */
function signatureOf(text: string): number {
  for (let at = 0; at + signatureLength <= text.length; at++)
    if (new Set(text.slice(at, at + signatureLength)).size === signatureLength) return at;
  return 0;
}

function pairOf(text: string, at: number): number {
  return (text.charCodeAt(at) << 8) | text.charCodeAt(at + 1);
}

function isAt(text: string, data: Uint8Array, at: number): boolean {
  for (let index = 0; index < text.length; index++) if (data[at + index] !== text.charCodeAt(index)) return false;
  return true;
}
