// Notices commits of other processes: the server tells them (LISTEN/NOTIFY), on one connection for all watchers of a store.

import type { Client as DriverClient } from "pg";
import type { Clock } from "../../system/clock.ts";

/** The types of the driver leave these out. */
export type Client = DriverClient & { ref(): void; unref(): void };

/** A server that is gone is asked this often whether it is back. */
const reconnectMs = 1_000;

/** The channel of all stores in a database. */
const channel = "pawl";

/** What a commit of this store says: which store, and by which process, since its own commits are no news to it. */
export function announcement(schema: string, origin: string): { readonly channel: string; readonly payload: string } {
  return { channel, payload: `${schema} ${origin}` };
}

export class CommitListener {
  readonly #connect: () => Client;
  readonly #clock: Clock;
  readonly #schema: string;
  readonly #origin: string;
  readonly #watchers = new Set<{ readonly onChange: () => void }>();
  #listening: Promise<void> | null = null;
  #stop = new AbortController();

  constructor(connect: () => Client, clock: Clock, schema: string, origin: string) {
    this.#connect = connect;
    this.#clock = clock;
    this.#schema = schema;
    this.#origin = origin;
  }

  add(onChange: () => void): { close(): void } {
    const watcher = { onChange };
    this.#watchers.add(watcher);
    if (this.#listening === null) {
      this.#stop = new AbortController();
      this.#listening = this.#listen(this.#stop.signal);
    }
    return {
      close: () => {
        this.#watchers.delete(watcher);
        if (this.#watchers.size === 0) void this.#end();
      },
    };
  }

  async close(): Promise<void> {
    this.#watchers.clear();
    await this.#end();
  }

  async #end(): Promise<void> {
    const ended = this.#listening;
    this.#listening = null;
    this.#stop.abort();
    await ended;
  }

  /** Until it is told to stop. A connection that is lost is replaced. */
  async #listen(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const client = this.#connect();
      const lost = new Promise<void>((resolve) => {
        client.once("error", () => resolve());
        client.once("end", () => resolve());
        stop.addEventListener("abort", () => resolve());
      });
      try {
        await client.connect();
        client.on("notification", ({ payload = "" }) => this.#hear(payload));
        await client.query(`listen ${channel}`);
        // The connection alone does not keep the process alive.
        client.unref();
        // What was committed before the server listened is told at once.
        this.#tell();
        await lost;
      } catch {
        // The next try says whether it is back; what uses the store says what is wrong.
      }
      client.ref();
      await client.end().catch(() => undefined);
      if (!stop.aborted) await this.#clock.sleep(reconnectMs, stop);
    }
  }

  #hear(payload: string): void {
    const [schema, origin] = payload.split(" ");
    if (schema === this.#schema && origin !== this.#origin) this.#tell();
  }

  #tell(): void {
    for (const { onChange } of this.#watchers) onChange();
  }
}
