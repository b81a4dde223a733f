// Logs of attempts: the file with what its agent printed, without secrets and capped, the prompt beside it, and the lines about its
// step in Pawl's own log. Only their owner can read the files.

import {
  appendFileSync,
  closeSync,
  createWriteStream,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  rmSync,
  type WriteStream,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Attempt, placeName } from "../../domain/attempt.ts";
import type { Event } from "../../domain/event.ts";
import type { RunId } from "../../domain/ids.ts";
import type { Report } from "../../domain/report.ts";
import type { RunFacts, StepWord } from "../../protocols/protocol.ts";
import { openInside, openPrivateInside, readInside } from "../../system/files/inside.ts";
import { isInside } from "../../system/files/paths.ts";
import type { OutputSink } from "../../system/process/call.ts";
import type { Parts } from "../parts.ts";
import { slotOf } from "../trees/places.ts";
import type { Claim } from "./claim/claim.ts";

const fileCapBytes = 100 * 1024 * 1024;

export interface AttemptLog {
  readonly sink: OutputSink;
  /** Makes the file, which its first line or its end makes otherwise: an agent need not wait for it to be started. */
  open(): void;
  /** Adds a line of Pawl's own; one that cannot be written is left out. */
  note(line: string): void;
  /** Adds what the agent said elsewhere than in its output, in the same way. */
  show(text: string): void;
  close(): Promise<void>;
}

function logDirectory(parts: Pick<Parts, "home">, run: RunId): string {
  return join(parts.home.logs, run);
}

/** `<story>-<step>-<attempt>.log`; where the run's protocol has a place for it, there. */
export function logFile(parts: Pick<Parts, "home" | "protocols">, run: RunFacts, attempt: Attempt): string {
  const own = parts.protocols.of(run.definition).logFile(run, attempt);
  return own ?? join(logDirectory(parts, run.id), `${fileName(attempt)}.log`);
}

/** The folder that has the log. An agent may write in the one of a protocol, which need not keep logs there. */
function logRoot(parts: Pick<Parts, "home">, { place: { shared } }: RunFacts, file: string): string {
  return shared !== undefined && isInside(file, shared) ? shared : parts.home.logs;
}

/** The whole prompt. */
function promptFile(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt): string {
  return join(logDirectory(parts, run), `${fileName(attempt)}.prompt.md`);
}

/** The end of its execution, until the store has the result. */
export function endFile(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt): string {
  return join(logDirectory(parts, run), `${fileName(attempt)}.end.json`);
}

/** What the store does not know of its begin, until the store has the result. */
export function beginFile(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt): string {
  return join(logDirectory(parts, run), `${fileName(attempt)}.begin.json`);
}

function fileName(attempt: Attempt): string {
  return `${attempt.story ?? "run"}-${placeName(attempt)}-${attempt.number}`;
}

export function writePrompt(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt, prompt: string): void {
  mkdirSync(logDirectory(parts, run), { recursive: true, mode: 0o700 });
  writeFileSync(promptFile(parts, run, attempt), prompt, { mode: 0o600 });
}

/** "" where there is none: the runtime itself performs the step, or the file was removed. */
export function readPrompt(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt): string {
  return readInside(parts.home.logs, promptFile(parts, run, attempt)) ?? "";
}

/** A descriptor that reads the log; null where there is none. No link on the way is followed: an agent may write there. */
export function openLogToRead(
  parts: Pick<Parts, "home" | "protocols">,
  run: RunFacts,
  attempt: Attempt,
): number | null {
  const file = logFile(parts, run, attempt);
  return openInside(logRoot(parts, run, file), file);
}

/** Adds what another machine has written of the log, as it was there. */
export function appendLog(
  parts: Pick<Parts, "home" | "protocols">,
  run: RunFacts,
  attempt: Attempt,
  bytes: Uint8Array,
): void {
  // All of it, where one call takes only a part.
  inLog(parts, run, attempt, (handle) => appendFileSync(handle, bytes));
}

function inLog(
  parts: Pick<Parts, "home" | "protocols">,
  run: RunFacts,
  attempt: Attempt,
  act: (handle: number) => void,
): void {
  const file = logFile(parts, run, attempt);
  const handle = openPrivateInside(logRoot(parts, run, file), file);
  try {
    act(handle);
  } finally {
    closeSync(handle);
  }
}

/** 0: there is none that may be read. */
export function logSize(parts: Pick<Parts, "home" | "protocols">, run: RunFacts, attempt: Attempt): number {
  const handle = openLogToRead(parts, run, attempt);
  if (handle === null) return 0;
  try {
    return fstatSync(handle).size;
  } finally {
    closeSync(handle);
  }
}

/** Takes out again what was added after it had this size. */
export function cutLog(parts: Pick<Parts, "home" | "protocols">, run: RunFacts, attempt: Attempt, size: number): void {
  if (logSize(parts, run, attempt) > size) inLog(parts, run, attempt, (handle) => ftruncateSync(handle, size));
}

/** The host has them. */
export function removeLog(parts: Pick<Parts, "home" | "protocols">, run: RunFacts, attempt: Attempt): void {
  const file = logFile(parts, run, attempt);
  // What a protocol has chosen goes with its folder.
  if (logRoot(parts, run, file) === parts.home.logs) rmSync(file, { force: true });
  rmSync(promptFile(parts, run.id, attempt), { force: true });
}

/** Appends: the attempt may have been begun by another process, and its name may be that of an attempt of an earlier run. */
export function openLog(
  parts: Pick<Parts, "home" | "secrets" | "protocols">,
  run: RunFacts,
  attempt: Attempt,
): AttemptLog {
  const file = logFile(parts, run, attempt);
  let problem: unknown = null;
  let stream: WriteStream | null = null;
  let isOpen = false;
  let written = 0;
  const open = () => {
    if (isOpen) return;
    isOpen = true;
    try {
      const handle = openPrivateInside(logRoot(parts, run, file), file);
      written = fstatSync(handle).size;
      stream = createWriteStream("", { fd: handle });
      stream.on("error", (error) => {
        problem = error;
      });
    } catch (error) {
      problem = error;
    }
  };
  const redactions = { stdout: parts.secrets.stream(), stderr: parts.secrets.stream() };
  const write = async (bytes: Uint8Array) => {
    written += bytes.length;
    const isFull = written >= fileCapBytes;
    const rest = isFull ? Buffer.concat([bytes, Buffer.from("\n[… the rest is left out …]\n")]) : bytes;
    const into = stream;
    if (into !== null && rest.length > 0 && !into.write(rest))
      await new Promise<void>((resolve) => drained(into, resolve));
  };
  const add = (text: string) => {
    open();
    if (problem === null && written < fileCapBytes)
      void write(Buffer.from(`${parts.secrets.redact(text)}\n`)).catch(() => undefined);
  };
  return {
    open,
    async sink(name, chunk) {
      open();
      if (problem !== null) throw problem;
      if (written < fileCapBytes) await write(redactions[name].push(chunk));
    },
    note: (line) => add(`[pawl] ${line}`),
    show: (text) => add(text),
    async close() {
      open();
      for (const redaction of Object.values(redactions)) {
        const kept = redaction.end();
        if (problem === null && written < fileCapBytes) await write(kept);
      }
      const into = stream;
      await new Promise<void>((resolve) => (into === null ? resolve() : into.end(() => resolve())));
    },
  };
}

/** An error ends the wait as well: a full disk must not block an agent forever. */
function drained(stream: WriteStream, resolve: () => void): void {
  const settle = () => {
    stream.off("drain", settle);
    stream.off("error", settle);
    resolve();
  };
  stream.once("drain", settle);
  stream.once("error", settle);
}

/** A line in Pawl's own log when a step starts and when it ends, with the slot, the story and the step that it is about. */
export function logStep(
  parts: Pick<Parts, "log" | "protocols">,
  { run, attempt }: Claim,
  word: StepWord,
  more: Readonly<Record<string, string>> = {},
): void {
  const { stepWords } = parts.protocols.of(run.header.definition);
  parts.log(stepWords[word] ?? word, {
    run_id: run.header.id,
    agent_id: slotOf(run, attempt.story),
    story_id: attempt.story,
    step_id: attempt.step,
    ...(attempt.part === undefined ? {} : { part: attempt.part }),
    type: attempt.name,
    attempt: attempt.number,
    ...more,
  });
}

/** The word for the end of a step, as the engine decided. */
export function wordFor(events: readonly Event[], { outcome }: Report): StepWord {
  if (events.some(({ type }) => type === "step_done")) return "step_completed";
  if (outcome === "timed_out" || outcome === "cancelled") return "step_cancelled";
  if (outcome !== "completed" || events.some(({ type }) => type === "step_failed")) return "step_failed";
  return "step_again";
}
