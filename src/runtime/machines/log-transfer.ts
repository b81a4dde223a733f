// Logs that are written on one machine and read on another. A guest sends what its agents print as it is in its own files, which have no
// secrets; the process that drives the run writes it where the service, `pawl logs` and the page look for it.

import { closeSync, fstatSync, readSync } from "node:fs";
import type { Attempt } from "../../domain/attempt.ts";
import { errorText } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { LogPart } from "../../store/store.ts";
import { appendLog, openLogToRead, readPrompt, writePrompt } from "../attempt/logs.ts";
import type { Parts } from "../parts.ts";

/** Whose log it is. */
export interface LogOf {
  readonly run: Run;
  readonly attempt: Attempt;
}

type SendPorts = Pick<Parts, "home" | "protocols" | "machines" | "log">;

const sendEveryMs = 1_000;
const mostBytes = 256 * 1024;

/** Sends the log of one attempt. */
export class LogSender {
  readonly #parts: SendPorts;
  readonly #claim: LogOf;
  readonly #timer: NodeJS.Timeout;
  #sent = 0;
  #hasPrompt = false;
  #sending: Promise<void> = Promise.resolve();

  constructor(parts: SendPorts, claim: LogOf) {
    this.#parts = parts;
    this.#claim = claim;
    this.#timer = setInterval(() => void this.#look().catch(() => undefined), sendEveryMs);
    this.#timer.unref();
  }

  /** Sends the rest. A log that cannot be sent costs no result. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    try {
      await this.#look();
    } catch (error) {
      this.#parts.log("log.not_sent", { attempt: this.#claim.attempt.id, why: errorText(error) });
    }
  }

  async #look(): Promise<void> {
    const send = this.#sending.catch(() => undefined).then(() => this.#send());
    this.#sending = send;
    await send;
  }

  async #send(): Promise<void> {
    const { run, attempt } = this.#claim;
    if (!this.#hasPrompt) {
      const prompt = readPrompt(this.#parts, run.header.id, attempt);
      if (prompt !== "") await this.#give("prompt", Buffer.from(prompt));
      this.#hasPrompt = prompt !== "";
    }
    for (let bytes = this.#read(); bytes.length > 0; bytes = this.#read()) {
      await this.#give("output", bytes);
      this.#sent += bytes.length;
    }
  }

  async #give(kind: LogPart["kind"], bytes: Uint8Array): Promise<void> {
    const { run, attempt } = this.#claim;
    await this.#parts.machines?.sendLog(run.header.id, { attempt: attempt.id, kind, bytes });
  }

  #read(): Buffer {
    const { run, attempt } = this.#claim;
    const handle = openLogToRead(this.#parts, run.header, attempt);
    if (handle === null) return Buffer.alloc(0);
    try {
      const size = Math.min(mostBytes, fstatSync(handle).size - this.#sent);
      if (size <= 0) return Buffer.alloc(0);
      const bytes = Buffer.alloc(size);
      return bytes.subarray(0, readSync(handle, bytes, 0, size, this.#sent));
    } finally {
      closeSync(handle);
    }
  }
}

type ReceivePorts = Pick<Parts, "home" | "protocols" | "machines" | "store" | "log">;

/** Writes down what has come of a run. One process at a time calls it: the one that drives the run, or the one that closes it. */
export async function receiveLogs(parts: ReceivePorts, run: RunId): Promise<void> {
  const { machines } = parts;
  if (machines === null || machines.isGuest) return;
  try {
    for (let logs = await machines.logsOf(run); logs.length > 0; logs = await machines.logsOf(run)) {
      await keep(parts, run, logs);
      await machines.dropLogs(logs);
    }
  } catch (error) {
    parts.log("log.not_received", { run, why: errorText(error) });
  }
}

async function keep(parts: ReceivePorts, run: RunId, logs: readonly LogPart[]): Promise<void> {
  const loaded = await parts.store.transaction((tx) => tx.load(run, () => []));
  if (loaded === null) return;
  const { header } = loaded.run;
  for (const { attempt: id, kind, bytes } of logs) {
    const attempt = (await parts.store.attempt(id))?.attempt;
    if (attempt === undefined) continue;
    try {
      if (kind === "prompt") writePrompt(parts, run, attempt, Buffer.from(bytes).toString());
      else appendLog(parts, header, attempt, bytes);
    } catch (error) {
      // An agent can put a link in the place of a log. The logs of others must not wait for that.
      parts.log("log.not_kept", { run, attempt: id, why: errorText(error) });
    }
  }
}
