// `pawl logs`. Owns: printing what agents did, attempt by attempt or line by line of several, and how to open their sessions.

import { existsSync } from "node:fs";
import type { Command } from "commander";
import { GrowingFile } from "../../../application/transcripts/growing-file.ts";
import { followLogs, type LogsRequest } from "../../../application/transcripts/logs.ts";
import {
  followTranscripts,
  type LoggedAttempt,
  type TranscriptPart,
} from "../../../application/transcripts/transcripts.ts";
import { AppError } from "../../../domain/error.ts";
import { column } from "../../../transcript/cells.ts";
import { linesOfEntry } from "../../../transcript/rendering.ts";
import { summaryOf } from "../../catalogue.ts";
import { runOrNewest } from "../../input/arguments.ts";
import { withApplication } from "../../opened.ts";
import { attemptName, nameColumns } from "../../output/attempt-name.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { columnsOf } from "../../output/terminal-size.ts";

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
    .option("--follow", "continue until the run is over; of long logs, only the end is shown first")
    .option("--raw", "the bytes as the agents printed them, with escape sequences and control characters")
    .addHelpText(
      "after",
      example("pawl logs 3 verify", "pawl logs 3 US-002/implement --follow", "pawl logs 3 --raw > run.log"),
    )
    .action(async (reference: string | undefined, step: string | undefined, options: LogsOptions) => {
      const titles = new Titles(console);
      await withApplication(options, async (app) => {
        const request: LogsRequest = { step, until: options.follow ? "over" : "now" };
        if (console.json)
          for await (const { attempts } of followLogs(app, reference, request)) console.document({ attempts });
        else if (options.raw)
          for await (const { attempts } of followLogs(app, reference, request)) copyAll(console, titles, attempts);
        else for await (const part of followTranscripts(app, reference, request)) print(console, titles, part);
      });
      if (!console.json && titles.isEmpty)
        console.say(step ? `"${step}" has printed nothing yet.` : "Nothing was printed yet.");
    });
}

/** What is said about an attempt before and after its log, once each. */
class Titles {
  readonly #console: Console;
  readonly #begun = new Map<string, GrowingFile>();
  readonly #ended = new Set<string>();
  readonly #failed = new Set<string>();

  constructor(console: Console) {
    this.#console = console;
  }

  get isEmpty(): boolean {
    return this.#begun.size === 0;
  }

  /** Its file, read from where the last call ended. */
  begin({ story, step, part, attempt, executor, outcome, phase, file }: LoggedAttempt): GrowingFile {
    const known = this.#begun.get(file);
    if (known !== undefined) return known;
    const opened = new GrowingFile(file);
    this.#begun.set(file, opened);
    const name = `${story ? `${story} ` : ""}${step}${part === undefined ? "" : ` (${part})`}`;
    const title = `${name}, attempt ${attempt} (${executor}, ${outcome ?? phase})`;
    this.#console.say(this.#console.paint("bold", `── ${title} ──`));
    return opened;
  }

  /** Said once, however often it is tried. */
  fail({ file }: LoggedAttempt, error: AppError): void {
    if (this.#failed.has(file)) return;
    this.#failed.add(file);
    this.#console.say(error.message);
  }

  /** What it was denied, what was removed, and its session: an agent reports them at its end. */
  end({ notes, session, open, file, startedAt }: LoggedAttempt): void {
    const key = `${file} ${startedAt}`;
    if (this.#ended.has(key) || (notes.length === 0 && session === null)) return;
    this.#ended.add(key);
    for (const note of notes) this.#console.note(note);
    if (session === null) return;
    this.#console.say(open === null ? `its session: ${session}` : `this session can be opened: ${open}`);
  }
}

function print(console: Console, titles: Titles, part: TranscriptPart): void {
  const { attempt, entries, among, leftOut, problem } = part;
  titles.begin(attempt);
  if (problem !== null) console.say(problem);
  if (leftOut > 0)
    console.say(`… ${Math.ceil(leftOut / 1024)} KiB before this are left out; without --follow they are shown`);
  const isWatched = process.stdout.isTTY;
  const columns = isWatched ? columnsOf(process.stdout) : Number.POSITIVE_INFINITY;
  const prefix = among > 1 ? `${column(attemptName(attempt), nameColumns(columns))} │ ` : "";
  for (const line of entries.flatMap((entry) => linesOfEntry(entry, columns - prefix.length)))
    console.print(isWatched ? console.paint("dim", prefix) + console.tone(line) : prefix + line.text);
  if (part.isOver || attempt.phase === "ended") titles.end(attempt);
}

function copyAll(console: Console, titles: Titles, attempts: readonly LoggedAttempt[]): void {
  for (const attempt of attempts.filter(({ file }) => existsSync(file))) {
    try {
      for (const piece of titles.begin(attempt).added()) console.raw(Buffer.from(piece));
    } catch (error) {
      // An agent may have put something else in its place; the other logs are shown.
      if (!(error instanceof AppError)) throw error;
      titles.fail(attempt, error);
    }
    titles.end(attempt);
  }
}
