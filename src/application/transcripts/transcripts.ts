// Transcripts of attempts. Owns: what the agents of a run printed as entries, of one attempt or of several at once, now or while the
// run moves. Which reader fits an attempt is decided by the configuration as it is now.

import { agents } from "../../app.ts";
import type { LogList } from "../../contracts/run-documents.ts";
import { AppError } from "../../domain/error.ts";
import { readerFor } from "../../executors/recorded-formats.ts";
import { type Config, readConfig } from "../../runtime/config/config.ts";
import type { LogEntry } from "../../transcript/entry.ts";
import { Transcript } from "../../transcript/transcript.ts";
import type { Application } from "../application.ts";
import { GrowingFile } from "./growing-file.ts";
import { followLogs, type LogsRequest } from "./logs.ts";

export type LoggedAttempt = LogList["attempts"][number];

/** The next entries of one attempt. */
export interface TranscriptPart {
  readonly attempt: LoggedAttempt;
  readonly entries: readonly LogEntry[];
  /** The number of attempts that are shown. */
  readonly among: number;
  /** Bytes of its log that were left out before these entries; only in its first part. */
  readonly leftOut: number;
  /** Why its log cannot be read; null: it can. */
  readonly problem: string | null;
  /** Nothing follows. */
  readonly isOver: boolean;
}

/** Of each log, what a person who follows sees of the past. */
const pastBytes = 256 * 1024;

/** Every part in order; of each attempt the last one says that it is over. Of the newest run without a reference. */
export async function* followTranscripts(
  app: Application,
  reference: string | undefined,
  request: LogsRequest,
): AsyncGenerator<TranscriptPart, void, undefined> {
  const open = new Map<string, OpenLog>();
  const tailBytes = request.until === "now" ? undefined : pastBytes;
  let last: readonly LoggedAttempt[] = [];
  for await (const { repo, attempts } of followLogs(app, reference, request)) {
    last = attempts;
    for (const attempt of attempts) {
      const key = keyOf(attempt);
      const log = open.get(key) ?? new OpenLog(attempt, await transcriptFor(app, repo, attempt), tailBytes);
      open.set(key, log);
      yield* log.parts(attempt, attempts.length);
    }
  }
  for (const attempt of last) yield* open.get(keyOf(attempt))?.rest(attempt, last.length) ?? [];
}

/** The file of an attempt may be that of an attempt of an earlier run. */
function keyOf({ file, startedAt }: LoggedAttempt): string {
  return `${startedAt} ${file}`;
}

/** With the reader of the agent that its executor is, by the configuration of the run's repository. `isWhole`: see there. */
export async function transcriptFor(
  app: Pick<Application, "home">,
  repo: string | null,
  { executor, workspace }: Pick<LoggedAttempt, "executor" | "workspace">,
  isWhole = true,
): Promise<Transcript> {
  const config = await readConfig(app.home.configFile, repo, agents).catch(unlessWrong);
  const newReader = await readerFor(kindOf(config, executor), agents);
  const now = Date.now();
  return new Transcript({ reader: newReader === null ? null : newReader(() => now), root: workspace, isWhole });
}

function kindOf(config: Config | null, executor: string): string {
  const configured = config?.executors ?? {};
  return (Object.hasOwn(configured, executor) ? configured[executor]?.kind : undefined) ?? executor;
}

/** A configuration that is broken now says nothing about an earlier attempt. */
function unlessWrong(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}

class OpenLog {
  readonly #transcript: Transcript;
  readonly #file: GrowingFile;
  #hasBegun = false;
  #isOver = false;

  constructor({ file }: LoggedAttempt, transcript: Transcript, tailBytes: number | undefined) {
    this.#transcript = transcript;
    this.#file = new GrowingFile(file, tailBytes);
  }

  *parts(attempt: LoggedAttempt, among: number): Generator<TranscriptPart, void, undefined> {
    if (this.#isOver) return;
    try {
      for (const piece of this.#file.added()) {
        const entries = this.#transcript.write(piece);
        const leftOut = this.#hasBegun ? 0 : this.#file.leftOut;
        if (entries.length > 0 || !this.#hasBegun)
          yield { attempt, entries, among, leftOut, problem: null, isOver: false };
        this.#hasBegun = true;
      }
    } catch (error) {
      // An agent may have put something else in its place; the other logs are shown.
      if (!(error instanceof AppError)) throw error;
      this.#isOver = true;
      yield { attempt, entries: [], among, leftOut: 0, problem: error.message, isOver: true };
      return;
    }
    if (attempt.phase === "ended") yield* this.rest(attempt, among);
  }

  /** What waited for more, once. */
  *rest(attempt: LoggedAttempt, among: number): Generator<TranscriptPart, void, undefined> {
    if (this.#isOver || !this.#hasBegun) return;
    this.#isOver = attempt.phase === "ended";
    yield { attempt, entries: this.#transcript.end(), among, leftOut: 0, problem: null, isOver: this.#isOver };
  }
}
