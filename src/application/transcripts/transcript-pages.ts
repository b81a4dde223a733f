// Pages of a transcript. Owns: what the agent of an attempt did, as lines for people, a bounded part of its log at a time. A reader of
// events must know what came before: one that follows a log continues with the transcript of its last page, and any other page is
// read with the part of the log before it.

import { closeSync, fstatSync } from "node:fs";
import type { TranscriptPage } from "../../contracts/http-documents.ts";
import { hasEnded } from "../../domain/attempt.ts";
import { openLogToRead } from "../../runtime/attempt/logs.ts";
import type { LogEntry } from "../../transcript/entry.ts";
import { plainText } from "../../transcript/plain-text.ts";
import { linesOfEntry } from "../../transcript/rendering.ts";
import type { Transcript } from "../../transcript/transcript.ts";
import type { Application } from "../application.ts";
import { attemptById, type FoundAttempt } from "../looking/attempts.ts";
import { type LogSpan, LogSpans } from "./log-spans.ts";
import { transcriptFor } from "./transcripts.ts";

interface PlaceInLog {
  readonly from: number;
  /** The page ends here; absent: it begins at `from`. */
  readonly before?: number;
}

/** Transcripts that wait for the next page of whoever follows. */
const mostWaiting = 32;
/** Of a line. */
const longestText = 8_000;
/** Of a message that is not complete. */
const longestSaying = 2_000;

const waiting = new WeakMap<Application, Map<string, Transcript>>();

export async function attemptTranscript(
  app: Application,
  id: string,
  { from, before }: PlaceInLog,
): Promise<TranscriptPage> {
  const found = await attemptById(app, id);
  const { attempt, run, parts } = found;
  // Known before the file is read: what an agent printed until its end is in the page that says that it has ended.
  const ended = hasEnded(attempt);
  const about = { attempt: attempt.id, ended };
  const handle = openLogToRead(parts, run.header, attempt);
  if (handle === null) return { ...about, from, next: from, size: 0, hasLog: false, lines: [], saying: "" };
  try {
    const { size } = fstatSync(handle);
    const spans = new LogSpans(handle, size, ended);
    const span = before === undefined ? spans.after(from) : spans.before(before);
    const { lines, saying } = await linesOf(app, found, { spans, span, isOver: ended && span.end >= size });
    return { ...about, from: span.start, next: span.end, size, hasLog: true, lines, saying };
  } finally {
    closeSync(handle);
  }
}

interface Part {
  readonly spans: LogSpans;
  readonly span: LogSpan;
  /** Nothing follows. */
  readonly isOver: boolean;
}

async function linesOf(
  app: Application,
  found: FoundAttempt,
  { spans, span, isOver }: Part,
): Promise<Pick<TranscriptPage, "lines" | "saying">> {
  if (span.isPiece) return { lines: pieceLines(spans, span), saying: "" };
  const transcripts = waiting.get(app) ?? new Map<string, Transcript>();
  waiting.set(app, transcripts);
  const key = `${found.attempt.id} ${span.start}`;
  const transcript = transcripts.get(key) ?? (await readUntil(app, found, spans, span.start));
  transcripts.delete(key);
  const entries = [...transcript.write(spans.read(span)), ...(isOver ? transcript.end() : [])];
  // One that has read nothing is made again: by then more may be known of its agent.
  if (!isOver && span.end > 0) keep(transcripts, `${found.attempt.id} ${span.end}`, transcript);
  return {
    lines: entries.flatMap(shownLines),
    saying: isOver ? "" : plainText(transcript.saying.slice(-longestSaying)),
  };
}

/** As one that has read everything before: which calls wait for a result, and what is being said. */
async function readUntil(
  app: Application,
  { attempt, run }: FoundAttempt,
  spans: LogSpans,
  start: number,
): Promise<Transcript> {
  const { executor, state } = attempt;
  const workspace = state.phase === "dispatched" ? null : state.workspace;
  const before = spans.leadingTo(start);
  const transcript = await transcriptFor(app, run.header.place.repo, { executor, workspace }, before.start === 0);
  transcript.write(spans.read(before));
  return transcript;
}

function keep(transcripts: Map<string, Transcript>, key: string, transcript: Transcript): void {
  transcripts.set(key, transcript);
  const [oldest = ""] = transcripts.keys();
  if (transcripts.size > mostWaiting) transcripts.delete(oldest);
}

function shownLines(entry: LogEntry): TranscriptPage["lines"] {
  return linesOfEntry(entry, Number.POSITIVE_INFINITY).map(({ tone, text }) => ({
    kind: entry.kind,
    tone,
    text: text.length > longestText ? `${text.slice(0, longestText).toWellFormed()}…` : text,
  }));
}

/** A line without an end is no event. */
function pieceLines(spans: LogSpans, { start, end }: LogSpan): TranscriptPage["lines"] {
  const text = spans.read({ start, end: Math.min(end, start + longestText) }).toString("utf8");
  return shownLines({ kind: "line", text: text.slice(0, longestText), bytes: end - start });
}
