// `pawl logs`. Owns: printing what agents printed, attempt by attempt, and how to open their sessions.

import { closeSync, existsSync, readSync } from "node:fs";
import type { Command } from "commander";
import { followLogs } from "../../../application/logs.ts";
import type { LogList } from "../../../contracts/run-documents.ts";
import { AppError } from "../../../domain/error.ts";
import { openRegular } from "../../../system/files/regular-file.ts";
import { summaryOf } from "../../catalogue.ts";
import { runOrNewest } from "../../input/arguments.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

interface LogsOptions {
  readonly follow?: boolean;
  readonly raw?: boolean;
  readonly store?: string;
}

export function define(parent: Command, console: Console): void {
  parent
    .command("logs")
    .description(`${summaryOf("logs")}; STEP is a step, or a story and a step: US-001/verify`)
    .argument("[run]", runOrNewest)
    .argument("[step]", "only this step")
    .option("--follow", "continue until the run is over")
    .option("--raw", "the bytes as the agents printed them, with escape sequences and control characters")
    .addHelpText(
      "after",
      example("pawl logs 3 verify", "pawl logs 3 US-002/implement --follow", "pawl logs 3 --raw > run.log"),
    )
    .action(async (reference: string | undefined, step: string | undefined, options: LogsOptions) => {
      const printer = new Printer(console, options.raw ?? false);
      await withApplication(options, async (app) => {
        const request = { step, until: options.follow ? "over" : "now" } as const;
        for await (const { attempts } of followLogs(app, reference, request)) {
          if (console.json) console.document({ attempts });
          else printer.print(attempts);
        }
      });
      if (!console.json && printer.isEmpty)
        console.say(step ? `"${step}" has printed nothing yet.` : "Nothing was printed yet.");
    });
}

type AttemptLog = LogList["attempts"][number];

class Printer {
  readonly #console: Console;
  /** How much of each file is printed. */
  readonly #offsets = new Map<string, number>();
  readonly #opened = new Set<string>();
  readonly #write: (bytes: Uint8Array) => void;
  readonly #noted = new Set<string>();

  constructor(console: Console, isRaw: boolean) {
    this.#console = console;
    this.#write = isRaw ? (bytes) => console.raw(bytes) : (bytes) => void process.stdout.write(bytes);
  }

  get isEmpty(): boolean {
    return this.#offsets.size === 0;
  }

  print(attempts: readonly AttemptLog[]): void {
    for (const attempt of attempts) {
      this.#printOne(attempt);
      this.#sayNotes(attempt);
      this.#sayHowToOpen(attempt);
    }
  }

  #printOne({ story, step, attempt, executor, outcome, phase, file }: AttemptLog): void {
    if (!existsSync(file)) return;
    const from = this.#offsets.get(file);
    if (from === undefined) {
      const title = `${story ? `${story} ` : ""}${step}, attempt ${attempt} (${executor}, ${outcome ?? phase})`;
      this.#console.say(this.#console.paint("bold", `── ${title} ──`));
    }
    try {
      this.#offsets.set(file, copyFrom(file, from ?? 0, this.#write));
    } catch (error) {
      // An agent may have put something else in its place; the other logs are shown.
      if (!(error instanceof AppError)) throw error;
      if (from === undefined) this.#console.say(error.message);
      this.#offsets.set(file, from ?? 0);
    }
  }

  /** What it was denied, what was removed: said once, after everything that it printed. */
  #sayNotes({ notes, file, startedAt }: AttemptLog): void {
    const key = `${file} ${startedAt}`;
    if (notes.length === 0 || this.#noted.has(key)) return;
    this.#noted.add(key);
    for (const note of notes) this.#console.note(note);
  }

  /** An agent reports its session at its end; it is said once, after everything that it printed. */
  #sayHowToOpen({ session, open, file, startedAt }: AttemptLog): void {
    const key = `${file} ${startedAt}`;
    if (session === null || this.#opened.has(key)) return;
    this.#opened.add(key);
    this.#console.say(open === null ? `its session: ${session}` : `this session can be opened: ${open}`);
  }
}

/** In pieces: a log may be larger than memory. */
function copyFrom(file: string, offset: number, write: (bytes: Uint8Array) => void): number {
  const handle = openRegular(file);
  const buffer = Buffer.alloc(64 * 1024);
  let at = offset;
  try {
    for (;;) {
      const read = readSync(handle, buffer, 0, buffer.length, at);
      if (read === 0) return at;
      write(Buffer.from(buffer.subarray(0, read)));
      at += read;
    }
  } finally {
    closeSync(handle);
  }
}
