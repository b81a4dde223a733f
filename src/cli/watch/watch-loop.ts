// The loop of `pawl watch`. Owns: reading keys and runs, drawing frames, doing what keys ask for, and leaving the terminal as it was.

import type { Application } from "../../application/application.ts";
import { diffOf } from "../../application/diffs/diff.ts";
import { ensureDriven } from "../../application/driving/background.ts";
import { answer } from "../../application/gates/gates.ts";
import { status } from "../../application/looking/status.ts";
import { Watched } from "../../application/looking/watch.ts";
import { pause } from "../../application/steering/steer.ts";
import { followTranscripts } from "../../application/transcripts/transcripts.ts";
import type { DiffDocument } from "../../contracts/diff-document.ts";
import { errorText } from "../../domain/error.ts";
import { runId } from "../../domain/ids.ts";
import { linesOfEntry, type ShownLine } from "../../transcript/rendering.ts";
import { statusLines } from "../commands/looking/status.ts";
import type { Console } from "../output/console.ts";
import { type FrameParts, frameOf } from "./frame.ts";
import { keysIn } from "./keys.ts";
import { LogWindow } from "./log-window.ts";
import { listedRuns } from "./overview.ts";
import { Screen } from "./screen.ts";
import { press, type WatchAct, type WatchState, watchBegin } from "./watch-state.ts";

const drawEveryMs = 200;
/** The store is read when something changed, and this often without a change: a driver may have died. */
const [refreshEveryMs, lookAgainMs] = [500, 5_000];

export class WatchLoop {
  readonly #app: Application;
  readonly #console: Console;
  readonly #watched: Watched;
  readonly #screen = new Screen();
  readonly #closing = new AbortController();
  #state: WatchState = watchBegin;
  #document: FrameParts["document"] = { at: new Date(0).toISOString(), needsYou: [], working: [], recent: [] };
  #details: readonly ShownLine[] = [];
  #log: LogWindow | null = null;
  #isStale = true;
  #refreshedAt = 0;
  #refreshing: Promise<void> | null = null;
  #acting: Promise<void> = Promise.resolve();
  #isEnded = false;

  constructor(app: Application, console: Console) {
    this.#app = app;
    this.#console = console;
    this.#watched = new Watched(app);
  }

  /** Until a person leaves; `ended`: by a signal. */
  async run(): Promise<"left" | "ended"> {
    await this.#watched.refresh();
    const listening = await this.#app.onChange(() => {
      this.#isStale = true;
    });
    const handlers = this.#handlers();
    for (const [name, handler] of handlers) process.on(name, handler);
    const onResize = () => this.#redraw();
    const onInput = (text: Buffer) => this.#pressed(text.toString("utf8"));
    process.stdout.on("resize", onResize);
    const timer = setInterval(() => this.#draw(), drawEveryMs);
    try {
      this.#screen.open();
      process.stdin.on("data", onInput).resume();
      this.#draw();
      await new Promise<void>((resolve) => this.#closing.signal.addEventListener("abort", () => resolve()));
    } finally {
      clearInterval(timer);
      this.#screen.close();
      process.stdin.off("data", onInput).pause();
      process.stdin.unref();
      process.stdout.off("resize", onResize);
      for (const [name, handler] of handlers) process.off(name, handler);
      listening.close();
      await this.#log?.close();
      await this.#refreshing;
      await this.#acting;
    }
    return this.#isEnded ? "ended" : "left";
  }

  #handlers(): readonly (readonly [NodeJS.Signals, () => void])[] {
    const end = () => {
      this.#isEnded = true;
      this.#closing.abort();
    };
    return [
      ["SIGINT", end],
      ["SIGTERM", end],
      ["SIGHUP", end],
      ["SIGTSTP", () => this.#suspend()],
      ["SIGCONT", () => this.#redraw()],
    ];
  }

  /** The shell gets its terminal back as it was, and the screen comes back with `fg`. */
  #suspend(): void {
    this.#screen.close();
    process.once("SIGCONT", () => {
      // It may be continued only to end.
      if (this.#closing.signal.aborted) return;
      this.#screen.open();
      this.#redraw();
    });
    // SIGTSTP would come back to our own handler.
    process.kill(0, "SIGSTOP");
  }

  #redraw(): void {
    this.#screen.forget();
    this.#draw();
  }

  #draw(): void {
    this.#refresh();
    this.#document = this.#watched.look(Date.now());
    const { size } = this.#screen;
    const text = this.#state.view.kind === "logs" ? (this.#log?.lines(size.columns) ?? []) : this.#details;
    const lines = frameOf(this.#state, { document: this.#document, text }, size);
    this.#screen.draw(lines.map((line) => this.#console.tone(line)));
  }

  #refresh(): void {
    const age = Date.now() - this.#refreshedAt;
    if (this.#refreshing !== null || age < (this.#isStale ? refreshEveryMs : lookAgainMs)) return;
    this.#isStale = false;
    this.#refreshing = this.#watched
      .refresh()
      .catch((error: unknown) => this.#say(errorText(error)))
      .finally(() => {
        this.#refreshedAt = Date.now();
        this.#refreshing = null;
      });
  }

  #pressed(text: string): void {
    for (const key of keysIn(text)) {
      const { state, act } = press(this.#state, key, listedRuns(this.#document));
      this.#state = state;
      if (act !== null) this.#act(act);
    }
    if (this.#state.view.kind !== "logs") this.#closeLog();
    this.#draw();
  }

  #say(message: string): void {
    this.#state = { ...this.#state, message };
  }

  #act(act: WatchAct): void {
    if (act.kind === "quit") return this.#closing.abort();
    if (act.kind === "suspend") return this.#suspend();
    this.#acting = this.#acting
      .then(async () => await this.#perform(act))
      .catch((error: unknown) => this.#say(errorText(error)))
      .finally(() => {
        this.#isStale = true;
      });
  }

  async #perform(act: Exclude<WatchAct, { kind: "quit" | "suspend" }>): Promise<void> {
    switch (act.kind) {
      case "open":
        return await this.#open(act.run.id);
      case "pause": {
        await pause(this.#app, act.run.id);
        return this.#say(`Run #${act.run.number} is paused: running attempts end, nothing new starts.`);
      }
      case "resume": {
        const file = await ensureDriven(this.#app, runId(act.run.id));
        return this.#say(
          `Run #${act.run.number} is driven in the background${file === null ? " already" : `: ${file}`}.`,
        );
      }
      case "answer": {
        const { option, note, gate } = act;
        const { number, run, isOver } = await answer(this.#app, gate, { option, note });
        if (!isOver) await ensureDriven(this.#app, run);
        return this.#say(`Answered "${option}"${isOver ? "" : `; run #${number} continues`}.`);
      }
    }
  }

  async #open(run: string): Promise<void> {
    if (this.#state.view.kind === "logs") {
      this.#closeLog();
      this.#log = new LogWindow((signal) => followTranscripts(this.#app, run, { until: "aborted", signal }));
      return;
    }
    this.#details = [];
    if (this.#state.view.kind === "diff") {
      this.#details = diffLines(await diffOf(this.#app, run), this.#screen.size.columns);
      return;
    }
    const { document, now } = await status(this.#app, run);
    const text = statusLines(document, now, (title) => title).join("\n");
    const { columns } = this.#screen.size;
    this.#details = text
      .split("\n")
      .flatMap((line) => linesOfEntry({ kind: "line", text: line, bytes: null }, columns));
  }

  #closeLog(): void {
    void this.#log?.close();
    this.#log = null;
  }
}

function diffLines({ text, notes }: DiffDocument, columns: number): readonly ShownLine[] {
  const lines = [...notes, ...(text === "" && notes.length === 0 ? ["nothing has changed"] : text.split("\n"))];
  return lines.flatMap((line) => {
    const tone = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "plain";
    return linesOfEntry({ kind: "line", text: line, bytes: null }, columns).map(
      (shown) => ({ ...shown, tone }) as const,
    );
  });
}
