// Reads a log for the page. Owns: beginning with its last part, following it while it grows and the page is seen, and reading what is
// before on demand. While a person reads in the middle, nothing that is shown goes.

import { signal } from "@preact/signals";
import { CallProblem } from "../../api/calls.ts";
import { KeptLines } from "./kept-lines.ts";
import type { LogSource, ReadPart } from "./log-source.ts";

const pauseMs = 500;
const pauseAfterProblemMs = 3_000;
/** Whoever follows is not shown what is this far from the end. */
const mostBehind = 4 * 1024 * 1024;
/** Of one look. */
const mostPages = 8;
/** Earlier lines are read on demand until there are so many rows. */
const mostRowsOnDemand = 160_000;

export class LogReader {
  /** Grows with every change of the lines. */
  readonly version = signal(0);
  /** Another one: the lines are others, and none of the rows before is there. */
  readonly generation = signal(0);
  readonly latest = signal<ReadPart | null>(null);
  readonly problem = signal<CallProblem | null>(null);
  readonly isLoadingEarlier = signal(false);
  /** More lines would push out those that a person reads, so none is read. */
  readonly isHeld = signal(false);
  /** The end is in sight. */
  isFollowed = true;
  #kept: KeptLines;
  #width: number;
  readonly #source: LogSource;
  readonly #closing = new AbortController();

  constructor(source: LogSource, width: number) {
    this.#source = source;
    this.#width = width;
    this.#kept = new KeptLines(width);
    void this.#follow();
  }

  get kept(): KeptLines {
    return this.#kept;
  }

  get mayLoadEarlier(): boolean {
    return this.#kept.count < mostRowsOnDemand;
  }

  close(): void {
    this.#closing.abort();
  }

  setWidth(width: number): void {
    this.#width = width;
    if (this.#kept.setWidth(width)) this.version.value++;
  }

  async loadEarlier(): Promise<void> {
    if (this.isLoadingEarlier.value || this.#kept.from === 0) return;
    this.isLoadingEarlier.value = true;
    const kept = this.#kept;
    await this.#tried(async () => {
      const part = await this.#source.before(kept.from, this.#closing.signal);
      if (kept !== this.#kept || part.next !== kept.from) return;
      kept.prepend(part);
      this.version.value++;
    });
    this.isLoadingEarlier.value = false;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await seen(signal);
      const isRead = await this.#tried(async () => await this.#look());
      if (this.#isOver() || signal.aborted) return;
      const { latest } = this;
      const isBehind = latest.value !== null && latest.value.next < latest.value.size && this.#mayRead();
      if (!isRead) await wait(pauseAfterProblemMs, signal);
      else await wait(isBehind ? 0 : pauseMs, signal);
    }
  }

  async #look(): Promise<void> {
    const { signal } = this.#closing;
    const { value: before } = this.latest;
    if (before === null || !before.hasLog) return this.#begin(await this.#source.last(signal));
    this.isHeld.value = !this.#mayRead();
    if (this.isHeld.value) return;
    let isNew = before.saying.length > 0;
    // What is there is shown at once, not page by page.
    for (let pages = 0; pages < mostPages; pages += 1) {
      const part = await this.#source.after(this.#kept.next, signal);
      if (this.isFollowed && part.size - part.next > mostBehind) return this.#begin(await this.#source.last(signal));
      isNew ||= part.lines.length > 0 || part.saying.length > 0;
      this.#kept.append(part, this.isFollowed);
      this.#kept.say(part.saying);
      this.latest.value = part;
      if (part.next >= part.size || part.lines.length === 0) break;
    }
    if (isNew) this.version.value++;
  }

  #begin(part: ReadPart): void {
    this.#kept = new KeptLines(this.#width);
    this.#kept.append(part, false);
    this.#kept.say(part.saying);
    this.latest.value = part;
    this.generation.value++;
    this.version.value++;
  }

  #mayRead(): boolean {
    return this.isFollowed || !this.#kept.isFull;
  }

  #isOver(): boolean {
    const { value: latest } = this.latest;
    return latest?.ended === true && latest.next >= latest.size;
  }

  /** False: it did not work. */
  async #tried(read: () => Promise<void>): Promise<boolean> {
    try {
      await read();
      this.problem.value = null;
      return true;
    } catch (error) {
      if (this.#closing.signal.aborted) return false;
      if (!(error instanceof CallProblem)) throw error;
      this.problem.value = error;
      return false;
    }
  }
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** At once, or when somebody looks at the page again. */
async function seen(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === "visible") return;
  await new Promise<void>((resolve) => {
    const listening = new AbortController();
    const look = () => {
      if (document.visibilityState !== "visible" && !signal.aborted) return;
      listening.abort();
      resolve();
    };
    document.addEventListener("visibilitychange", look, { signal: listening.signal });
    signal.addEventListener("abort", look, { signal: listening.signal });
  });
}
