// Splits a text that comes in pieces into lines. Of a line without end it keeps only the beginning.

const longestLine = 1024 * 1024;

export interface TextLine {
  readonly text: string;
  /** There was more than is kept. */
  readonly isCut: boolean;
}

export class LineSplitter {
  #rest = "";
  #isCut = false;
  readonly #onLine: (line: TextLine) => void;

  constructor(onLine: (line: TextLine) => void) {
    this.#onLine = onLine;
  }

  add(text: string): void {
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.#keep(text.slice(from, end));
      this.end();
      from = end + 1;
    }
    this.#keep(text.slice(from));
  }

  /** The last line may have no line break. */
  end(): void {
    const text = this.#rest.endsWith("\r") ? this.#rest.slice(0, -1) : this.#rest;
    const line = { text, isCut: this.#isCut };
    this.#rest = "";
    this.#isCut = false;
    if (line.text !== "") this.#onLine(line);
  }

  #keep(text: string): void {
    const room = longestLine - this.#rest.length;
    this.#rest += text.length <= room ? text : text.slice(0, room);
    this.#isCut ||= text.length > room;
  }
}
