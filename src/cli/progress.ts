// Live progress. Owns: showing a run as it goes: a line for each thing that happened, and on a terminal what runs right now.

import type { Event } from "../domain/event.ts";
import type { RunId } from "../domain/ids.ts";
import type { Parts } from "../runtime/parts.ts";
import type { Console } from "./console.ts";
import { eventDocument } from "./documents.ts";
import { lineOf, rememberNames } from "./lines.ts";
import { duration } from "./table.ts";

export type ProgressStyle = "lines" | "events" | "none";

const redrawEveryMs = 200;
const batch = 500;
const spinner = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"];

export class Progress {
  readonly #parts: Parts;
  readonly #run: RunId;
  readonly #console: Console;
  readonly #style: ProgressStyle;
  readonly #names = new Map<string, string>();
  readonly #running = new Map<string, { text: string; since: number }>();
  readonly #closers: (() => void)[] = [];
  readonly #begin: number;
  readonly #since: number;
  #seen = 0;
  #drawn = 0;
  #frame = 0;
  #reading: Promise<void> = Promise.resolve();

  /** `since`: what happened before is known already and not shown again. */
  constructor(parts: Parts, run: RunId, console: Console, style: ProgressStyle, since: number) {
    this.#parts = parts;
    this.#run = run;
    this.#console = console;
    this.#style = style;
    this.#begin = parts.clock.now();
    this.#since = since;
    if (style === "none") return;
    const read = () => this.#readSoon();
    const listening = [parts.commits.listen(read), parts.store.watch(read)];
    this.#closers.push(...listening.map((each) => () => each.close()));
    if (style === "lines" && console.isTerminal) {
      const timer = setInterval(() => this.#draw(), redrawEveryMs);
      this.#closers.push(() => clearInterval(timer));
    }
    read();
  }

  /** Shows what is left and lets go of the terminal. */
  async close(): Promise<void> {
    for (const close of this.#closers) close();
    if (this.#style !== "none") this.#readSoon();
    await this.#reading;
    this.#erase();
  }

  #readSoon(): void {
    this.#reading = this.#reading.then(() => this.#read());
  }

  async #read(): Promise<void> {
    for (;;) {
      const events = await this.#parts.store.events(this.#run, this.#seen, batch);
      for (const { seq, event } of events) {
        this.#seen = seq;
        if (this.#style === "events") this.#console.print(JSON.stringify(eventDocument(seq, event)));
        else this.#show(event);
      }
      if (events.length < batch) return;
    }
  }

  #show(event: Event): void {
    rememberNames(event, this.#names);
    const line = lineOf(event, this.#names);
    this.#follow(event);
    if (!line || event.at < this.#since) return;
    const { mark, text } = line;
    const colour = mark === "✓" ? "green" : mark === "✗" ? "red" : mark === "▶" ? "blue" : "yellow";
    this.#erase();
    const elapsed = duration(event.at - this.#begin).padStart(6);
    this.#console.say(`${this.#console.paint("dim", elapsed)} ${this.#console.paint(colour, mark)} ${text}`);
    this.#draw();
  }

  #follow(event: Event): void {
    if (event.type === "attempt_dispatched") {
      const what = `${event.story ?? ""} ${event.name}`.trim();
      this.#running.set(event.attempt, {
        text: `${what} (attempt ${event.number}, ${event.executor.split(":")[0]})`,
        since: event.at,
      });
    }
    if (event.type === "attempt_ended") this.#running.delete(event.attempt);
  }

  #draw(): void {
    if (!this.#console.isTerminal || this.#style !== "lines") return;
    this.#erase();
    this.#frame += 1;
    const sign = spinner[this.#frame % spinner.length] ?? "";
    for (const { text, since } of this.#running.values()) {
      const line = `       ${sign} ${text} ${duration(this.#parts.clock.now() - since)}`;
      // A line that wraps would be two to erase.
      this.#console.say(this.#console.paint("dim", line.slice(0, (process.stderr.columns ?? 80) - 1)));
      this.#drawn += 1;
    }
  }

  #erase(): void {
    if (this.#drawn > 0) process.stderr.write(`\u001b[${this.#drawn}A\u001b[J`);
    this.#drawn = 0;
  }
}
