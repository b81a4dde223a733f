// Records of an attempt: files with what only its own process knows, until the store has the result. The begin record has the facts
// of its begin, for a process that concludes it; most attempts have none. The saved end is that of its execution: a driver that dies
// before the result is stored does not cost the agent's work.

import { closeSync, constants, existsSync, fstatSync, renameSync, rmSync, writeSync } from "node:fs";
import type { Attempt } from "../../domain/attempt.ts";
import { errorText } from "../../domain/error.ts";
import type { AttemptId, RunId } from "../../domain/ids.ts";
import type { ExecutionEnd } from "../../executors/executor.ts";
import type { Deadline } from "../../system/clock.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { openRegular } from "../../system/files/regular-file.ts";
import type { Secrets } from "../../system/secrets/secrets.ts";
import { sha256Of } from "../../system/sha256.ts";
import type { Parts } from "../parts.ts";
import { redactedReport } from "../transition/redacted.ts";
import type { RefPlaces } from "./begin/ref-places.ts";
import type { Claim } from "./claim/claim.ts";
import { mayOnlyRead } from "./claim/read-access.ts";
import { noToolReport, type ToolReport } from "./execute/answer.ts";
import { beginFile, endFile } from "./logs.ts";

const { O_CREAT, O_WRONLY } = constants;

interface BeginRecord extends Pick<Claim, "hold" | "insteadOf"> {
  readonly missingKeys: readonly string[];
  readonly refs: RefPlaces | null;
  /** Another program does the work, and has this long; null: Pawl starts one. */
  readonly waitsUntil: Deadline | null;
  readonly treeBefore: string | null;
}

const emptyRecord: BeginRecord = {
  hold: null,
  insteadOf: null,
  missingKeys: [],
  refs: null,
  waitsUntil: null,
  treeBefore: null,
};

export function recordBegin(
  parts: Pick<Parts, "home" | "secrets">,
  {
    claim,
    missingKeys,
    refs: known,
    waitsUntil,
    treeBefore,
  }: { readonly claim: Claim } & Omit<BeginRecord, "hold" | "insteadOf">,
): void {
  const { run, attempt, hold, insteadOf } = claim;
  // What is only noted about an agent that writes is not worth a file for each attempt.
  const refs = mayOnlyRead(claim) ? known : null;
  const isUsual = hold === null && insteadOf === null && missingKeys.length === 0 && refs === null;
  if (isUsual && waitsUntil === null && treeBefore === null) return;
  const record: BeginRecord = { hold, insteadOf, missingKeys, refs, waitsUntil, treeBefore };
  writeJson(beginFile(parts, run.header.id, attempt), parts.secrets.redactAll(record));
}

export function readBeginRecord(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt): BeginRecord {
  return { ...emptyRecord, ...(readJson(beginFile(parts, run, attempt)) as Partial<BeginRecord> | null) };
}

export interface SavedEnd {
  readonly end: ExecutionEnd;
  readonly reported: ToolReport;
}

/** An execution that was stopped runs again anyway: its end is not saved. */
export function saveEnd(
  parts: Pick<Parts, "home" | "secrets" | "log">,
  run: RunId,
  attempt: Attempt,
  saved: SavedEnd,
): void {
  if (saved.end.outcome === "cancelled") return;
  try {
    writeEnd(endFile(parts, run, attempt), attempt.id, redacted(parts.secrets, saved));
  } catch (error) {
    // A full disk: the result itself will wait for space.
    parts.log("end.not_kept", { run, attempt: attempt.id, why: errorText(error) });
  }
}

/**
 * For a driver that dies: nobody waits for the disk, and a file that is not whole counts as none. After a power failure the attempt is
 * lost, as it is without this file. What an earlier attempt left in the file is written over and not cut off: a file that gives up its
 * blocks costs a disk that is told so 2 ms.
 */
function writeEnd(file: string, attempt: AttemptId, saved: SavedEnd): void {
  const handle = openRegular(file, { flags: O_WRONLY | O_CREAT });
  try {
    const written: WrittenEnd = { attempt: nameOf(attempt, saved), ...saved };
    const text = Buffer.from(`${JSON.stringify(written)}\n`);
    const blank = Buffer.alloc(Math.max(0, fstatSync(handle).size - text.length), " ");
    const bytes = Buffer.concat([text, blank]);
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
  } finally {
    closeSync(handle);
  }
}

function redacted(secrets: Secrets, { end, reported }: SavedEnd): SavedEnd {
  const report = reported.report === null ? null : redactedReport(secrets, reported.report);
  return { end: secrets.redactAll(end), reported: { ...secrets.redactAll(reported), report } };
}

/** null: the execution had not ended, or the file does not say how. */
export function readEnd(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt): SavedEnd | null {
  const read = (readJson(endFile(parts, run, attempt)) ?? {}) as OlderEnd;
  const { end } = read;
  if (!isOf(attempt, read) || typeof end?.outcome !== "string") return null;
  if (!Array.isArray(end.notes) || typeof end.usage !== "object") return null;
  return { end, reported: read.reported ?? read.told ?? noToolReport };
}

/** A driver that was killed while it wrote leaves the beginning of this end and the rest of an earlier one. */
function isOf({ id }: Attempt, { attempt: names, ...saved }: OlderEnd): boolean {
  if (names === undefined || names === id) return true;
  return names === nameOf(id, saved);
}

function nameOf(attempt: AttemptId, saved: object): string {
  return `${attempt} ${sha256Of(attempt + JSON.stringify(saved))}`;
}

interface WrittenEnd extends SavedEnd {
  /** Its attempt, because a file is handed on, and the hash of that and the rest. */
  readonly attempt: string;
}

/** What older versions wrote: without a hash, or without an attempt. */
interface OlderEnd extends Partial<WrittenEnd> {
  readonly told?: ToolReport;
}

/**
 * The store has the result, or the attempt is lost. The file of its end is handed on to the next attempt: where each of a thousand steps
 * makes a file and deletes one, some file systems look past all that were deleted before they make the next.
 */
export function removeRecords(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt, next: Attempt | null): void {
  // Most attempts have none, and looking takes a tenth of the time that removing nothing does.
  const begin = beginFile(parts, run, attempt);
  if (existsSync(begin)) rmSync(begin, { force: true });
  const end = endFile(parts, run, attempt);
  if (next === null || !handOn(end, endFile(parts, run, next))) rmSync(end, { force: true });
}

function handOn(file: string, to: string): boolean {
  try {
    if (existsSync(file)) renameSync(file, to);
    return true;
  } catch {
    return false; // the directory is full
  }
}
