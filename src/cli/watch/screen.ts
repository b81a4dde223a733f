// The full screen of a terminal. Owns: taking it over and giving it back, however the program ends, and writing only the lines that
// changed.

import { ownEscape } from "../output/clean-output.ts";
import { columnsOf, rowsOf } from "../output/terminal-size.ts";

export class Screen {
  #last: readonly string[] = [];
  #isOpen = false;
  /** Also for an end that nobody sees coming: a crash, `process.exit`. */
  readonly #restore = () => this.close();

  get size(): { readonly columns: number; readonly rows: number } {
    return { columns: columnsOf(process.stdout), rows: rowsOf(process.stdout) };
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    process.on("exit", this.#restore);
    process.stdin.setRawMode(true);
    // The alternate screen, without a cursor.
    process.stdout.write(ownEscape("[?1049h") + ownEscape("[?25l") + ownEscape("[2J"));
    this.#last = [];
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    process.off("exit", this.#restore);
    process.stdout.write(ownEscape("[?25h") + ownEscape("[?1049l"));
    process.stdin.setRawMode(false);
  }

  /** All lines are written again: the terminal has another size, or others wrote on it. */
  forget(): void {
    this.#last = [];
    if (this.#isOpen) process.stdout.write(ownEscape("[2J"));
  }

  /** At most as many lines as the screen has rows, none of them wider than it. */
  draw(lines: readonly string[]): void {
    if (!this.#isOpen) return;
    let written = "";
    const count = Math.min(this.size.rows, Math.max(lines.length, this.#last.length));
    for (let row = 0; row < count; row += 1) {
      const line = lines[row] ?? "";
      if (line !== this.#last[row]) written += `${ownEscape(`[${row + 1};1H`)}${line}${ownEscape("[K")}`;
    }
    if (written !== "") process.stdout.write(written);
    this.#last = lines;
  }
}
