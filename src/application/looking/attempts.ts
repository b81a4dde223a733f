// Attempts by their id. Owns: what is known of one, a part of its log, and its prompt. Files are opened by the id of the attempt and
// never by a name from outside; no link is followed.

import { closeSync, fstatSync, readSync } from "node:fs";
import type { AttemptDocument, LogPage, PromptDocument } from "../../contracts/http-documents.ts";
import { type Attempt, hasEnded, isUnreported } from "../../domain/attempt.ts";
import { AppError } from "../../domain/error.ts";
import { attemptId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import { openLogToRead, readPrompt } from "../../runtime/attempt/logs.ts";
import { isoTime } from "../../runtime/views/status.ts";
import { used } from "../../runtime/views/used.ts";
import type { Application, ReadSession } from "../application.ts";
import { findRun, wholeRun } from "../references.ts";
import { openerFor } from "../transcripts/sessions.ts";

export interface FoundAttempt {
  readonly attempt: Attempt;
  readonly run: Run;
  readonly number: number;
  readonly parts: ReadSession["parts"];
}

export async function attempt(app: Application, id: string): Promise<AttemptDocument> {
  const reached = await attemptById(app, id);
  const { attempt: found, run, number } = reached;
  const { state } = found;
  return {
    id: found.id,
    run: run.header.id,
    number,
    story: found.story,
    step: found.step,
    name: found.name,
    ...(found.part === undefined ? {} : { part: found.part }),
    attempt: found.number,
    executor: found.executor,
    model: found.model ?? null,
    version: found.version ?? null,
    startedAt: isoTime(found.startedAt),
    endedAt: state.phase === "ended" ? isoTime(state.endedAt) : null,
    phase: state.phase,
    outcome: state.phase === "ended" ? state.outcome : null,
    why: state.phase === "ended" ? state.why : "",
    notes: state.phase === "ended" ? (state.notes ?? []) : [],
    verdict: state.phase === "ended" ? state.verdict : null,
    took: state.phase === "ended" ? (state.taken?.key ?? null) : null,
    ...(await resultOf(reached)),
    usage: used(found.usage, Number(isUnreported(found))),
    others: othersOf(run, found),
    ...(await openerFor(app, run.header))(found),
  };
}

/** What its end left in the log of the run: the outputs of one that passed, the facts of any. */
async function resultOf({
  attempt: { id, story, step, state },
  run,
  parts,
}: FoundAttempt): Promise<Pick<AttemptDocument, "outputs" | "facts">> {
  if (state.phase !== "ended") return { outputs: {}, facts: {} };
  const at = state.endedAt;
  const ends = (await parts.store.eventsAt(run.header.id, "attempt_ended", at)).map(({ event }) => event);
  const sets = (await parts.store.eventsAt(run.header.id, "outputs_set", at)).map(({ event }) => event);
  const end = ends.find((event) => event.type === "attempt_ended" && event.attempt === id);
  const set = sets.find((event) => event.type === "outputs_set" && event.step === step && event.story === story);
  return {
    outputs: set?.type === "outputs_set" ? set.set : {},
    facts: end?.type === "attempt_ended" ? (end.facts ?? {}) : {},
  };
}

function othersOf(run: Run, { story, step, part }: Attempt): AttemptDocument["others"] {
  const scope = story === null ? run.header : run.stories[story];
  const same = (scope?.attempts ?? []).filter((each) => each.step === step && each.part === part);
  return same.map(({ id, number, startedAt, state }) => ({
    id,
    attempt: number,
    phase: state.phase,
    outcome: state.phase === "ended" ? state.outcome : null,
    verdict: state.phase === "ended" ? state.verdict : null,
    startedAt: isoTime(startedAt),
  }));
}

/** What is read at once. */
const pageBytes = 256 * 1024;

/** The log from a byte on. `next`: where the next page begins. A character is never cut. */
export async function attemptLog(app: Application, id: string, from: number): Promise<LogPage> {
  return await (await openAttemptLog(app, id))(from);
}

/** Reads pages of the log. What does not change while the attempt runs is read once. */
export async function openAttemptLog(app: Application, id: string): Promise<(from: number) => Promise<LogPage>> {
  const found = await attemptById(app, id);
  return async (from) => {
    const now = (await found.parts.store.attempt(found.attempt.id))?.attempt;
    // Read before the file: what an agent printed until its end is in the page that says that it has ended.
    return logPage(found, from, now === undefined || hasEnded(now));
  };
}

function logPage({ attempt: found, run, parts }: FoundAttempt, from: number, ended: boolean): LogPage {
  const handle = openLogToRead(parts, run.header, found);
  if (handle === null) return { attempt: found.id, from, next: from, size: 0, ended, text: "" };
  try {
    const { size } = fstatSync(handle);
    const buffer = Buffer.alloc(Math.max(0, Math.min(size - from, pageBytes)));
    const read = readSync(handle, buffer, 0, buffer.length, from);
    const isLast = ended && from + read >= size;
    const whole = buffer.subarray(0, isLast ? read : wholeCharacters(buffer.subarray(0, read)));
    return { attempt: found.id, from, next: from + whole.length, size, ended, text: whole.toString("utf8") };
  } finally {
    closeSync(handle);
  }
}

/** Its length without a character at the end whose last bytes are missing. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Empty where there is none: Pawl itself performed the step, or the file was removed. */
export async function attemptPrompt(app: Application, id: string): Promise<PromptDocument> {
  const { attempt: found, run, parts } = await attemptById(app, id);
  return { attempt: found.id, prompt: readPrompt(parts, run.header.id, found) };
}

export async function attemptById(app: Application, id: string): Promise<FoundAttempt> {
  const { parts } = await app.read();
  const found = await parts.store.attempt(attemptId(id));
  if (found === null)
    throw new AppError("NOT_FOUND", `there is no attempt ${id}`, { hint: "`pawl cost RUN --json` has their ids" });
  const { number } = await findRun(parts.store, found.run);
  return { attempt: found.attempt, run: await wholeRun(parts.store, { id: found.run }), number, parts };
}
