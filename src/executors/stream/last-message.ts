// What an agent said last. Owns: joining pieces until something else happens, in bounded memory.

/** More than any honest answer. Of a longer one the end is kept: that is where the answer's keys are. */
const longest = 512 * 1024;
const cutMark = "[the beginning was cut]\n";

export class LastMessage {
  #text = "";
  #message: string | null = null;
  #isOpen = false;

  /** No half characters and no NUL: it is kept in a database. */
  get text(): string {
    return cut(this.#text, longest).toWellFormed().replaceAll("\0", "");
  }

  whole(text: string): void {
    this.#text = text;
    this.#isOpen = false;
  }

  /** Pieces with another `message` begin anew, where the agent names its messages. */
  add(piece: string, message: string | null = null): void {
    if (piece === "") return;
    const continues = this.#isOpen && this.#message === message;
    this.#text = continues ? cut(this.#text + piece, 2 * longest) : piece;
    this.#message = message;
    this.#isOpen = true;
  }

  /** A tool was called, or something else happened: the next piece is a new message. */
  pause(): void {
    this.#isOpen = false;
  }
}

/** Cut to the half when it is too long, so that many small pieces are not cut one by one. */
function cut(text: string, limit: number): string {
  return text.length <= limit ? text : cutMark + text.slice(-Math.min(limit, longest));
}
