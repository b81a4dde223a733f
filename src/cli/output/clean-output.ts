// Clean output. Owns: that no control character reaches a terminal or a pipe from anything that Pawl prints: titles, names, errors, what
// agents said. Both streams pass through here, so that no command can forget it.

import { StringDecoder } from "node:string_decoder";
import { plainText } from "../../transcript/plain-text.ts";

type Stream = Pick<NodeJS.WriteStream, "write">;

/** Pawl's own escapes have a mark that no text can contain by design or by guessing. */
let mark: string | null = null;
/** Finds the marked escapes; null while there are none. */
let marked: RegExp | null = null;

/** An escape sequence of Pawl's own, such as `[1m`. */
export function ownEscape(sequence: string): string {
  mark ??= newMark();
  return mark + sequence;
}

/** Made when it is first needed: the chance for it takes Node 3 ms to load, and most commands print no escape. */
function newMark(): string {
  const made = `\uE000${crypto.randomUUID()}`;
  marked = new RegExp(`${made}(\\[\\??[0-9;]*[A-Za-z])`, "g");
  return made;
}

export function cleanOutput(text: string): string {
  const safe = plainText(text);
  return marked === null ? safe : safe.replace(marked, "\u001b$1");
}

interface Guard {
  /** Passes bytes through as they are. */
  raw(bytes: Uint8Array): void;
  /** Writes to the stream are as they were before. */
  remove(): void;
}

/** Cleans everything that is written to the stream from now on. */
export function guardStream(stream: Stream): Guard {
  const { write } = stream;
  // A character may be cut between two writes.
  const decoder = new StringDecoder("utf8");
  const clean = (chunk: string | Uint8Array) =>
    cleanOutput(typeof chunk === "string" ? decoder.end() + chunk : decoder.write(Buffer.from(chunk)));
  stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
    const done = rest.findLast((each): each is () => void => typeof each === "function");
    return write.call(stream, clean(chunk), "utf8", done);
  };
  return {
    raw: (bytes) => void write.call(stream, bytes),
    remove: () => {
      stream.write = write;
    },
  };
}
