// Logs of attempts. Owns: what agents printed, as it comes and without secrets, in files that only their owner reads. Any size of
// output: the file is capped, and says so.

import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Attempt } from "../../domain/attempt.ts";
import type { RunId } from "../../domain/ids.ts";
import type { RunFacts } from "../../protocols/protocol.ts";
import type { OutputSink } from "../../system/process/call.ts";
import type { Parts } from "../parts.ts";

const fileCapBytes = 100 * 1024 * 1024;

export interface AttemptLog {
  readonly sink: OutputSink;
  /** A line of ours among what the agent prints; one that cannot be written is left out. */
  note(line: string): void;
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

/** What the attempt was told, whole. */
function promptFile(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt): string {
  return join(logDirectory(parts, run), `${fileName(attempt)}.prompt.md`);
}

/** What its execution came to, until the store knows. */
export function endFile(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt): string {
  return join(logDirectory(parts, run), `${fileName(attempt)}.end.json`);
}

function fileName(attempt: Attempt): string {
  return `${attempt.story ?? "run"}-${attempt.step}-${attempt.number}`;
}

export function writePrompt(parts: Parts, run: RunId, attempt: Attempt, prompt: string): void {
  mkdirSync(logDirectory(parts, run), { recursive: true, mode: 0o700 });
  writeFileSync(promptFile(parts, run, attempt), prompt, { mode: 0o600 });
}

/** What is there already stays: the attempt was begun by another process, or its name is from another life. */
export function openLog(parts: Parts, run: RunFacts, attempt: Attempt): AttemptLog {
  const file = logFile(parts, run, attempt);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const stream = createWriteStream(file, { mode: 0o600, flags: "a" });
  const redactions = { stdout: parts.secrets.stream(), stderr: parts.secrets.stream() };
  let problem: Error | null = null;
  stream.on("error", (error) => {
    problem = error;
  });
  let written = 0;
  const write = async (bytes: Uint8Array) => {
    written += bytes.length;
    const isFull = written >= fileCapBytes;
    const rest = isFull ? Buffer.concat([bytes, Buffer.from("\n[… the rest is left out …]\n")]) : bytes;
    if (rest.length > 0 && !stream.write(rest)) await new Promise<void>((resolve) => drained(stream, resolve));
  };
  return {
    async sink(name, chunk) {
      if (problem) throw problem;
      if (written < fileCapBytes) await write(redactions[name].push(chunk));
    },
    note(line) {
      if (problem === null && written < fileCapBytes)
        void write(Buffer.from(`[pawl] ${parts.secrets.redact(line)}\n`)).catch(() => undefined);
    },
    async close() {
      for (const redaction of Object.values(redactions)) {
        const kept = redaction.end();
        if (problem === null && written < fileCapBytes) await write(kept);
      }
      await new Promise<void>((resolve) => stream.end(() => resolve()));
    },
  };
}

/** An error ends the wait too: a full disk must not hold an agent for ever. */
function drained(stream: ReturnType<typeof createWriteStream>, resolve: () => void): void {
  const settle = () => {
    stream.off("drain", settle);
    stream.off("error", settle);
    resolve();
  };
  stream.once("drain", settle);
  stream.once("error", settle);
}
