// The streams of one service: which are open, the feeds that they share, and one listener and one clock for all of them.

import { validTokens } from "../../application/access/tokens.ts";
import type { Application } from "../../application/application.ts";
import { type ApiToken, isSameToken } from "../../domain/api-token.ts";
import { errorText } from "../../domain/error.ts";
import { problem } from "../problem.ts";
import { Refusal } from "../refusal.ts";
import { EventStream, type StreamFeed, streamHeaders } from "./event-stream.ts";
import { Feed, type FeedSource } from "./feed.ts";
import { type LiveLimits, usualLiveLimits } from "./limits.ts";

const tickMs = 1_000;

/** The call that a stream answers. */
export interface StreamCall {
  /** Whose stream it is; null: it needs no token. */
  readonly token: ApiToken | null;
  /** Counts a stream of its token until it is ended; throws where it has too many. */
  readonly openStream: () => () => void;
  /** Cuts the client off. */
  readonly disconnect: () => void;
  /** Aborted when the client is gone or the service closes. */
  readonly signal: AbortSignal;
}

export interface LiveParts {
  readonly app: Application;
  readonly log: (event: string, fields: Readonly<Record<string, string | number | null>>) => void;
}

export class Live {
  readonly #parts: LiveParts;
  readonly #limits: LiveLimits;
  readonly #feeds = new Map<string, { readonly feed: Feed; streams: number }>();
  /** Each with the token that opened it. */
  readonly #streams = new Map<EventStream, ApiToken | null>();
  #listening: ReturnType<Application["onChange"]> | null = null;
  #clock: NodeJS.Timeout | null = null;
  #tickedAt = performance.now();
  #isChecking = false;

  constructor(parts: LiveParts, limits: LiveLimits = usualLiveLimits) {
    this.#parts = parts;
    this.#limits = limits;
  }

  /** How many streams are open. */
  get size(): number {
    return this.#streams.size;
  }

  /** A stream of what `source` has behind `after`. Streams with the same key share a feed. */
  async follow(call: StreamCall, key: string, after: number, source: FeedSource): Promise<Response> {
    const shared = this.#feeds.get(key) ?? {
      feed: new Feed(source, (error) => this.#failed(error), this.#limits),
      streams: 0,
    };
    shared.streams += 1;
    this.#feeds.set(key, shared);
    const leave = () => {
      shared.streams -= 1;
      if (shared.streams > 0) return;
      shared.feed.close();
      this.#feeds.delete(key);
    };
    return await this.open(call, after, shared.feed, leave);
  }

  /** A stream of a feed of its own. */
  async open(call: StreamCall, after: number, feed: StreamFeed, onEnd: () => void): Promise<Response> {
    let ended: () => void;
    try {
      if (this.#streams.size >= this.#limits.mostStreams) throw tooMany(this.#limits.mostStreams);
      ended = call.openStream();
    } catch (error) {
      onEnd();
      throw error;
    }
    const stream = new EventStream(feed, {
      after,
      times: this.#limits,
      signal: call.signal,
      disconnect: call.disconnect,
      onError: (error) => this.#failed(error),
      onEnd: () => {
        this.#streams.delete(stream);
        ended();
        onEnd();
        if (this.#streams.size === 0) this.#rest();
      },
    });
    this.#streams.set(stream, call.token);
    call.signal.addEventListener("abort", () => stream.end(), { once: true });
    try {
      await this.#listen();
    } catch (error) {
      stream.end();
      throw error;
    }
    return new Response(stream.body, { headers: streamHeaders });
  }

  async #listen(): Promise<void> {
    this.#clock ??= setInterval(() => this.#tick(), Math.min(this.#limits.beatMs / 3, tickMs)).unref();
    this.#listening ??= this.#parts.app.onChange(() => this.#poke());
    await this.#listening;
  }

  /** Without a stream, nothing is looked for. */
  #rest(): void {
    if (this.#clock !== null) clearInterval(this.#clock);
    this.#clock = null;
    const listening = this.#listening;
    this.#listening = null;
    listening?.then((each) => each.close()).catch(() => undefined);
  }

  #poke(): void {
    for (const { feed } of this.#feeds.values()) feed.poke();
  }

  /** Also looks for what no commit has told: not every file system tells. */
  #tick(): void {
    this.#poke();
    for (const { feed } of this.#feeds.values()) feed.beat();
    const now = performance.now();
    // After this process stood still, clients have had no chance to take anything.
    const stoodStill = now - this.#tickedAt > 3 * tickMs;
    this.#tickedAt = now;
    if (!stoodStill) for (const stream of this.#streams.keys()) stream.check(now);
    void this.#checkTokens();
  }

  /** A stream lives longer than a call: its token may be revoked or expire meanwhile. */
  async #checkTokens(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const valid = await validTokens(this.#parts.app);
      for (const [stream, token] of this.#streams)
        if (token !== null && !valid.some((each) => isSameToken(each, token))) stream.cutOff();
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#isChecking = false;
    }
  }

  #failed(error: unknown): void {
    this.#parts.log("stream.failed", { why: errorText(error) });
  }
}

function tooMany(most: number): Refusal {
  const hint = "close some, or try again in a few seconds";
  return new Refusal(problem(503, "TOO_MANY", `the service has ${most} open streams, its limit`, hint), {
    "retry-after": "5",
  });
}
