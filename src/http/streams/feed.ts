// A feed: one log that many streams follow. Owns: reading it once for all of them, and the bytes of what is new, made once. It keeps
// the newest bytes only; a stream that is further behind is read for from the log, and streams at one place share that read.

/** One message of a stream. */
export interface StreamMessage {
  /** Its place in the log. */
  readonly id: number;
  /** Without line breaks: JSON has none. */
  readonly data: string;
}

export interface FeedSource {
  /** The place of the newest message. */
  last(): Promise<number>;
  /** In order, behind `after`. */
  read(after: number, limit: number): Promise<readonly StreamMessage[]>;
}

export interface FeedTimes {
  /** New messages are sent together at most this often. */
  readonly batchMs: number;
  /** How soon to read again after the log could not be read. */
  readonly retryMs: number;
}

export const usualFeedTimes: FeedTimes = { batchMs: 50, retryMs: 1_000 };

/** Messages behind `after`, up to `last`; without bytes where the log has nothing there any more. */
export interface Chunk {
  readonly after: number;
  readonly last: number;
  readonly bytes: Uint8Array;
}

const mostMessages = 500;
const fewestMessages = 4;
const mostChunkBytes = 256 * 1024;
const mostRecentBytes = 4 * 1024 * 1024;

export class Feed {
  readonly #source: FeedSource;
  readonly #times: FeedTimes;
  readonly #onError: (error: unknown) => void;
  /** The newest chunks by the place that they begin behind, oldest first. */
  readonly #recent = new Map<number, Chunk>();
  #recentBytes = 0;
  /** Everything up to here is sent or can be read; null: not known yet. */
  #tip: Promise<number> | null = null;
  readonly #reads = new Map<number, Promise<Chunk>>();
  #change = Promise.withResolvers<void>();
  #isPumping = false;
  #again = false;
  #timer: NodeJS.Timeout | null = null;
  #lastReadAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  /** How many messages to read at once: few where they are large, so that what is read at once is bounded. */
  #limit = 50;

  constructor(source: FeedSource, onError: (error: unknown) => void, times: FeedTimes = usualFeedTimes) {
    this.#source = source;
    this.#onError = onError;
    this.#times = times;
  }

  /** What comes behind `after`; null: nothing yet. */
  async next(after: number): Promise<Chunk | null> {
    this.#tip ??= this.#source.last();
    let tip: number;
    try {
      tip = await this.#tip;
    } catch (error) {
      this.#tip = null;
      throw error;
    }
    const recent = this.#recent.get(after);
    if (recent !== undefined) return recent;
    return after < tip ? await this.#readOnce(after, tip) : null;
  }

  /** Resolves with the next chunk, the next beat or the end: for every stream at once. */
  changed(): Promise<void> {
    return this.#change.promise;
  }

  /** Wakes every stream, so that those that have sent nothing for long can. */
  beat(): void {
    const { resolve } = this.#change;
    this.#change = Promise.withResolvers<void>();
    resolve();
  }

  /** There may be something new. It is read at once after a rest, else with what comes until the next batch. */
  poke(): void {
    if (this.#isClosed || this.#timer !== null) return;
    if (this.#isPumping) {
      this.#again = true;
      return;
    }
    this.#pumpIn(this.#lastReadAt + this.#times.batchMs - performance.now());
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.beat();
  }

  #pumpIn(ms: number): void {
    const pump = () => {
      this.#timer = null;
      void this.#pump();
    };
    if (ms <= 0) pump();
    else this.#timer = setTimeout(pump, ms);
  }

  async #pump(): Promise<void> {
    let isRead = true;
    this.#isPumping = true;
    this.#again = false;
    try {
      // Without a tip no stream has asked yet: the first one starts at the newest place anyway.
      if (this.#tip !== null) await this.#readNew(await this.#tip);
    } catch (error) {
      isRead = false;
      this.#onError(error);
    }
    this.#lastReadAt = performance.now();
    this.#isPumping = false;
    if (this.#isClosed) return;
    if (!isRead) this.#pumpIn(this.#times.retryMs);
    else if (this.#again) this.#pumpIn(this.#times.batchMs);
  }

  async #readNew(tip: number): Promise<void> {
    for (let after = tip; !this.#isClosed; ) {
      const limit = this.#limit;
      const messages = await this.#take(after);
      for (let from = 0; from < messages.length; ) {
        const chunk = chunkOf(after, messages, from);
        from += chunk.count;
        after = chunk.last;
        this.#keep(chunk);
      }
      this.#tip = Promise.resolve(after);
      if (messages.length > 0) this.beat();
      if (messages.length < limit) return;
    }
  }

  #keep(chunk: Chunk): void {
    this.#recent.set(chunk.after, chunk);
    this.#recentBytes += chunk.bytes.length;
    for (const [after, { bytes }] of this.#recent) {
      if (this.#recentBytes <= mostRecentBytes) break;
      this.#recent.delete(after);
      this.#recentBytes -= bytes.length;
    }
  }

  async #readOnce(after: number, tip: number): Promise<Chunk> {
    const known = this.#reads.get(after);
    if (known !== undefined) return await known;
    const reading = this.#read(after, tip).finally(() => this.#reads.delete(after));
    this.#reads.set(after, reading);
    return await reading;
  }

  /** At most up to the tip: from there on, this stream gets the chunks that all others get. */
  async #read(after: number, tip: number): Promise<Chunk> {
    const found = await this.#take(after);
    const messages = found.filter(({ id }) => id <= tip);
    if (messages.length === 0) return { after, last: tip, bytes: new Uint8Array() };
    return chunkOf(after, messages, 0);
  }

  async #take(after: number): Promise<readonly StreamMessage[]> {
    const messages = await this.#source.read(after, this.#limit);
    if (messages.length > 0) {
      const fitting = Math.floor((mostChunkBytes * messages.length) / Math.max(1, sizeOf(messages)));
      this.#limit = Math.max(fewestMessages, Math.min(mostMessages, fitting));
    }
    return messages;
  }
}

function sizeOf(messages: readonly StreamMessage[]): number {
  return messages.reduce((sum, { data }) => sum + data.length, 0);
}

function chunkOf(after: number, messages: readonly StreamMessage[], from: number): Chunk & { readonly count: number } {
  const texts: string[] = [];
  let size = 0;
  let last = after;
  for (const { id, data } of messages.slice(from)) {
    if (texts.length > 0 && size + data.length > mostChunkBytes) break;
    texts.push(`id: ${id}\ndata: ${data}\n\n`);
    size += data.length;
    last = id;
  }
  return { after, last, bytes: Buffer.from(texts.join("")), count: texts.length };
}
