// Live progress. Owns: showing a run while it is driven: a line for each thing that happened, and on a terminal what each agent does
// right now, below them.

import { setTimeout as sleep } from "node:timers/promises";
import type { Application } from "../../application/application.ts";
import { eventDocument, events } from "../../application/looking/events.ts";
import { LiveRun } from "../../application/looking/live-run.ts";
import { errorText } from "../../domain/error.ts";
import type { Event } from "../../domain/event.ts";
import type { RunId } from "../../domain/ids.ts";
import { lineOf, rememberNames } from "../../transcript/event-line.ts";
import type { Console } from "./console.ts";
import { liveLines } from "./live-lines.ts";
import { durationText } from "./table.ts";
import { columnsOf, rowsOf } from "./terminal-size.ts";

export type ProgressStyle = "lines" | "events" | "none";

const redrawEveryMs = 200;
/** The store is read when something changed, and not more often than this. */
const refreshEveryMs = 500;
/** After the store could not be read. */
const readAgainMs = 1_000;
const spinner = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"];

export class Progress {
  readonly #console: Console;
  readonly #style: ProgressStyle;
  readonly #names = new Map<string, string>();
  readonly #closing = new AbortController();
  readonly #begin = Date.now();
  readonly #since: number;
  readonly #reading: Promise<void>;
  readonly #live: LiveRun | null;
  #timer: NodeJS.Timeout | undefined;
  #refreshing: Promise<void> | null = null;
  #refreshedAt = 0;
  #isStale = true;
  /** Of the terminal, when it was last drawn. */
  #size = "";
  #frame = 0;
  /** Also when it has the same size again by the next draw: lines may have been wrapped in between. */
  readonly #onResize = () => {
    this.#size = "changed";
  };

  /** What happened before `since` is known already and is not shown again. */
  constructor(app: Application, run: RunId, console: Console, style: ProgressStyle, since: number) {
    this.#console = console;
    this.#style = style;
    this.#since = since;
    this.#live = style === "lines" && console.isTerminal ? new LiveRun(app, run) : null;
    this.#reading = style === "none" ? Promise.resolve() : this.#read(app, run);
    if (this.#live === null) return;
    this.#timer = setInterval(() => this.#draw(), redrawEveryMs);
    process.stderr.on("resize", this.#onResize);
  }

  /** Shows the rest and lets go of the terminal. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    process.stderr.off("resize", this.#onResize);
    this.#closing.abort();
    await this.#reading;
    await this.#refreshing;
    this.#console.redraw([]);
  }

  /** A store that cannot be read must not end the process: its agents work on, and the driver says what it cannot do. */
  async #read(app: Application, run: RunId): Promise<void> {
    const { signal } = this.#closing;
    let seen = 0;
    let isSaid = false;
    for (;;) {
      try {
        for await (const { seq, event } of events(app, run, { after: seen, until: "aborted", signal })) {
          seen = seq;
          this.#isStale = true;
          if (this.#style === "events") this.#console.print(JSON.stringify(eventDocument({ seq, event })));
          else this.#show(event);
        }
        return;
      } catch (error) {
        if (!isSaid) this.#console.note(`progress cannot be shown: ${errorText(error)}`);
        isSaid = true;
      }
      if (signal.aborted) return;
      await sleep(readAgainMs, undefined, { signal }).catch(() => undefined);
    }
  }

  #show(event: Event): void {
    rememberNames(event, this.#names);
    const line = lineOf(event, this.#names);
    if (!line || event.at < this.#since) return;
    const { mark, text } = line;
    const colour = mark === "✓" ? "green" : mark === "✗" ? "red" : mark === "▶" ? "blue" : "yellow";
    const elapsed = durationText(event.at - this.#begin).padStart(6);
    this.#console.say(`${this.#console.paint("dim", elapsed)} ${this.#console.paint(colour, mark)} ${text}`);
  }

  #draw(): void {
    if (this.#live === null) return;
    this.#refresh(this.#live);
    const view = this.#live.look();
    // Before the first agent and after the last there is nothing to see.
    if (view === null || view.agents.length === 0) return this.#console.redraw([]);
    this.#frame += 1;
    const size = { columns: columnsOf(process.stderr), rows: rowsOf(process.stderr) };
    const lines = liveLines(view, size, Date.now(), spinner[this.#frame % spinner.length] ?? "");
    const painted = lines.map((line) => this.#console.tone(line));
    const isResized = this.#size !== "" && this.#size !== `${size.columns} ${size.rows}`;
    if (isResized) this.#console.repaint(size.columns, size.rows, painted);
    else this.#console.redraw(painted);
    this.#size = `${size.columns} ${size.rows}`;
  }

  /** In the background: drawing does not wait, and a store that cannot be read is reported by the driver. */
  #refresh(live: LiveRun): void {
    if (!this.#isStale || this.#refreshing !== null || Date.now() - this.#refreshedAt < refreshEveryMs) return;
    this.#isStale = false;
    this.#refreshing = live
      .refresh()
      .catch(() => {
        this.#isStale = true;
      })
      .finally(() => {
        this.#refreshedAt = Date.now();
        this.#refreshing = null;
      });
  }
}
