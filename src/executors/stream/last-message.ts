// The last message of an agent: joins its pieces until something else happens, in bounded memory.

/** More than any real answer. Of a longer one the end is kept, because the answer's keys are there. */
const longest = 512 * 1024;
const cutMark = "[the beginning was cut]\n";

export class LastMessage {
  #text = "";
  #message: string | null = null;
  #isOpen = false;

  /** Without half characters and NUL bytes, which a database does not take. */
  get text(): string {
    return cut(this.#text, longest).toWellFormed().replaceAll("\0", "");
  }

  whole(text: string): void {
    this.#text = text;
    this.#isOpen = false;
  }

  /** A piece of another `message` starts a new text, if the agent names its messages. */
  add(piece: string, message: string | null = null): void {
    if (piece === "") return;
    const continues = this.#isOpen && this.#message === message;
    this.#text = continues ? cut(this.#text + piece, 2 * longest) : piece;
    this.#message = message;
    this.#isOpen = true;
  }

  /** A tool was called, or something else happened: the next piece starts a new message. */
  pause(): void {
    this.#isOpen = false;
  }
}

/** Cuts to half the limit, so that not every small piece causes another cut. */
function cut(text: string, limit: number): string {
  return text.length <= limit ? text : cutMark + text.slice(-Math.min(limit, longest));
}
