// Starts processes that work on one store (store-worker.ts), gives them orders, and reads what they did.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { programWords } from "./program-words.ts";

const [node, ...program] = programWords("store-worker.ts");

export class StoreWorker {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;
  #complaints = "";

  constructor(what: "open" | "claim" | "drive" | "write" | "hold" | "copy", file: string) {
    this.#child = spawn(node, [...program, what, file], { stdio: "pipe" });
    this.#ended = once(this.#child, "close");
    this.#child.stderr.on("data", (chunk) => (this.#complaints += chunk));
    this.#child.stdin.on("error", () => {});
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    onTestFinished(() => void this.#child.kill("SIGKILL"));
  }

  tell(order: string | number): void {
    this.#child.stdin.write(`${order}\n`);
  }

  /** The next line it printed; undefined after the last. */
  async hear(): Promise<unknown> {
    const line = await this.#lines.next();
    return line.done ? undefined : JSON.parse(line.value);
  }

  /** All remaining lines, until it ends. */
  async hearAll(): Promise<readonly unknown[]> {
    const heard: unknown[] = [];
    for (let line = await this.#lines.next(); !line.done; line = await this.#lines.next()) {
      // The last line of a killed process may be incomplete.
      if (line.value.endsWith("}") || line.value.endsWith('"')) heard.push(JSON.parse(line.value));
    }
    return heard;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Ends it and returns its stderr. */
  async end(): Promise<string> {
    this.#child.stdin.end();
    await this.#ended;
    return this.#complaints;
  }
}

/** Starts that many processes, ready for their first order. */
export async function startWorkers(
  count: number,
  what: ConstructorParameters<typeof StoreWorker>[0],
  file: string,
): Promise<readonly StoreWorker[]> {
  const workers = Array.from({ length: count }, () => new StoreWorker(what, file));
  for (const worker of workers) {
    if ((await worker.hear()) !== "ready") throw new Error(await worker.end());
  }
  return workers;
}

/** A time that all of them can reach. */
export const soon = () => Date.now() + 25;
