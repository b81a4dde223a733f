// One stream of server-sent events. It gives its client bytes only when the client takes them, so a slow one costs no memory; one that
// takes nothing for long is cut off, and comes back with `Last-Event-ID`.

import type { Feed } from "./feed.ts";

export interface StreamTimes {
  /** A comment is sent after this long without a message, so that proxies and clients know that the stream lives. */
  readonly beatMs: number;
  /** A client that takes nothing for this long is cut off. */
  readonly stalledMs: number;
  /** What clients wait before they come back. */
  readonly comeBackMs: number;
}

export const usualStreamTimes: StreamTimes = { beatMs: 15_000, stalledMs: 60_000, comeBackMs: 1_000 };

export const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies that collect answers would hold messages back.
  "x-accel-buffering": "no",
  // Without it, the server waits for the first chunks before it sends anything.
  "transfer-encoding": "chunked",
} as const;

/** What gives a stream its bytes. */
export interface StreamFeed extends Pick<Feed, "changed"> {
  next(after: number): Promise<{ readonly last: number; readonly bytes: Uint8Array; readonly isEnd?: boolean } | null>;
}

export interface StreamOptions {
  /** Everything behind this place is sent. */
  readonly after: number;
  readonly times: StreamTimes;
  /** Aborted when the service closes. */
  readonly signal: AbortSignal;
  /** Cuts the client off. */
  readonly disconnect: () => void;
  readonly onEnd: () => void;
  readonly onError: (error: unknown) => void;
}

const beat = Buffer.from(": \n\n");

export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #feed: StreamFeed;
  readonly #options: StreamOptions;
  #seen: number;
  #hasBegun = false;
  #isOver = false;
  /** What the feed gave last was its end. */
  #isLast = false;
  /** null: the client waits for something new. */
  #givenAt: number | null = performance.now();
  #sentAt = performance.now();

  constructor(feed: StreamFeed, options: StreamOptions) {
    this.#feed = feed;
    this.#options = options;
    this.#seen = options.after;
    this.body = new ReadableStream<Uint8Array>(
      { pull: (controller) => this.#pull(controller), cancel: () => this.end() },
      // Nothing is made before it is asked for.
      { highWaterMark: 0 },
    );
  }

  /** Cuts off a client that takes nothing. */
  check(now: number): void {
    if (this.#givenAt === null || now - this.#givenAt < this.#options.times.stalledMs) return;
    this.cutOff();
  }

  /** Its client gets nothing more, whatever it has not taken yet. */
  cutOff(): void {
    this.end();
    this.#options.disconnect();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onEnd();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#givenAt = null;
    const bytes = await this.#next().catch((error: unknown) => {
      // The client comes back and reads on from where it was.
      this.#options.onError(error);
      return null;
    });
    if (this.#isOver) return controller.close();
    if (bytes !== null) {
      this.#sentAt = performance.now();
      this.#givenAt = this.#sentAt;
      controller.enqueue(bytes);
    } else {
      this.end();
      controller.close();
    }
  }

  /** null: the stream is over. */
  async #next(): Promise<Uint8Array | null> {
    const { signal, times } = this.#options;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      return Buffer.from(`retry: ${times.comeBackMs}\n\n`);
    }
    for (;;) {
      if (this.#isOver || this.#isLast || signal.aborted) return null;
      const changed = this.#feed.changed();
      const chunk = await this.#feed.next(this.#seen);
      if (chunk !== null) {
        this.#isLast = chunk.isEnd ?? false;
        this.#seen = chunk.last;
        if (chunk.bytes.length > 0) return chunk.bytes;
        continue;
      }
      if (performance.now() - this.#sentAt >= times.beatMs) return beat;
      await changed;
    }
  }
}
