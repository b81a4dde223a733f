// Logs of attempts. Owns: what agents printed, as it comes, in files that only their owner reads. Any size of output: the file
// is capped, and says so.

import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Attempt } from "../domain/attempt.ts";
import type { RunId } from "../domain/ids.ts";
import type { OutputSink } from "../system/process/call.ts";
import type { Parts } from "./parts.ts";

const fileCapBytes = 100 * 1024 * 1024;

export interface AttemptLog {
  readonly sink: OutputSink;
  close(): Promise<void>;
}

function logDirectory(parts: Pick<Parts, "home">, run: RunId): string {
  return join(parts.home.logs, run);
}

/** `<story>-<step>-<attempt>.log`, beside its `.prompt.md`. */
export function logFile(parts: Pick<Parts, "home">, run: RunId, attempt: Attempt): string {
  return join(logDirectory(parts, run), `${attempt.story ?? "run"}-${attempt.step}-${attempt.number}.log`);
}

export function writePrompt(parts: Parts, run: RunId, attempt: Attempt, prompt: string): void {
  mkdirSync(logDirectory(parts, run), { recursive: true, mode: 0o700 });
  writeFileSync(logFile(parts, run, attempt).replace(/\.log$/, ".prompt.md"), prompt, { mode: 0o600 });
}

export function openLog(parts: Parts, run: RunId, attempt: Attempt): AttemptLog {
  const file = logFile(parts, run, attempt);
  mkdirSync(logDirectory(parts, run), { recursive: true, mode: 0o700 });
  const stream = createWriteStream(file, { mode: 0o600 });
  let problem: Error | null = null;
  stream.on("error", (error) => {
    problem = error;
  });
  let written = 0;
  return {
    async sink(_stream, chunk) {
      if (problem) throw problem;
      if (written >= fileCapBytes) return;
      written += chunk.length;
      const rest =
        written >= fileCapBytes ? Buffer.concat([chunk, Buffer.from("\n[… the rest is left out …]\n")]) : chunk;
      if (!stream.write(rest)) await new Promise<void>((resolve) => drained(stream, resolve));
    },
    close: () => new Promise((resolve) => stream.end(() => resolve())),
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
