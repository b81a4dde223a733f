// Live progress. Owns: showing a run while it is driven: a line for each thing that happened, and on a terminal what runs right now.

import type { Application } from "../../application/application.ts";
import { eventDocument, events } from "../../application/events.ts";
import type { Event } from "../../domain/event.ts";
import type { RunId } from "../../domain/ids.ts";
import { cleanOutput } from "./clean-output.ts";
import type { Console } from "./console.ts";
import { lineOf, rememberNames } from "./lines.ts";
import { durationText } from "./table.ts";

export type ProgressStyle = "lines" | "events" | "none";

const redrawEveryMs = 200;
const spinner = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"];

export class Progress {
  readonly #console: Console;
  readonly #style: ProgressStyle;
  readonly #names = new Map<string, string>();
  readonly #running = new Map<string, { text: string; since: number }>();
  readonly #closing = new AbortController();
  readonly #begin = Date.now();
  readonly #since: number;
  readonly #reading: Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #drawn = 0;
  #frame = 0;

  /** What happened before `since` is known already and is not shown again. */
  constructor(app: Application, run: RunId, console: Console, style: ProgressStyle, since: number) {
    this.#console = console;
    this.#style = style;
    this.#since = since;
    this.#reading = style === "none" ? Promise.resolve() : this.#read(app, run);
    if (style === "lines" && console.isTerminal) this.#timer = setInterval(() => this.#draw(), redrawEveryMs);
  }

  /** Shows the rest and lets go of the terminal. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#reading;
    this.#erase();
  }

  async #read(app: Application, run: RunId): Promise<void> {
    for await (const { seq, event } of events(app, run, { until: "aborted", signal: this.#closing.signal })) {
      if (this.#style === "events") this.#console.print(JSON.stringify(eventDocument({ seq, event })));
      else this.#show(event);
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
    const elapsed = durationText(event.at - this.#begin).padStart(6);
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
      const line = `       ${sign} ${text} ${durationText(Date.now() - since)}`;
      // A line that wraps would be two to erase.
      this.#console.say(this.#console.paint("dim", cleanOutput(line).slice(0, (process.stderr.columns ?? 80) - 1)));
      this.#drawn += 1;
    }
  }

  #erase(): void {
    if (this.#drawn > 0) {
      this.#console.control(`[${this.#drawn}A`);
      this.#console.control("[J");
    }
    this.#drawn = 0;
  }
}
