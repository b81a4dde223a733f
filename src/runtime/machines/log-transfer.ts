// Logs that are written on one machine and read on another. A guest sends what its agents print as it is in its own files, which have no
// secrets; received-logs.ts writes it on the host where the service, `pawl logs` and the page look for it.

import { closeSync, fstatSync, readSync } from "node:fs";
import type { Attempt } from "../../domain/attempt.ts";
import { errorText } from "../../domain/error.ts";
import type { Run } from "../../domain/run.ts";
import type { LogPart } from "../../store/store.ts";
import { openLogToRead, readPrompt, removeLog } from "../attempt/logs.ts";
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
  /** All that was sent. */
  #isTaken = true;
  #sending: Promise<void> = Promise.resolve();

  constructor(parts: SendPorts, claim: LogOf) {
    this.#parts = parts;
    this.#claim = claim;
    this.#timer = setInterval(() => void this.#look().catch(() => undefined), sendEveryMs);
    this.#timer.unref();
  }

  /** Sends the rest, and keeps nothing that the host has. A log that cannot be sent costs no result. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    try {
      await this.#look();
      if (this.#isTaken) removeLog(this.#parts, this.#claim.run.header, this.#claim.attempt);
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
    const isTaken = await this.#parts.machines?.sendLog(run.header.id, { attempt: attempt.id, kind, bytes });
    if (isTaken !== true) this.#isTaken = false;
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
