// Limits of the service: how much, how long and how often a client may. Owns: counting failed sign-ins and open streams.

export interface Limits {
  readonly connections: number;
  /** Of one token. */
  readonly streams: number;
  readonly bodyBytes: number;
  /** Until all of a request is there. */
  readonly requestMs: number;
  readonly headersMs: number;
  /** Of one address, in a minute. */
  readonly failedSignIns: number;
  /** Calls that start programs, at once. */
  readonly slowCalls: number;
}

export const usualLimits: Limits = {
  connections: 512,
  streams: 256,
  bodyBytes: 1024 * 1024,
  requestMs: 30_000,
  headersMs: 10_000,
  failedSignIns: 20,
  slowCalls: 3,
};

const minuteMs = 60_000;
const mostAddresses = 1_000;

/**
 * A valid token is never locked out: otherwise an agent of the same machine could lock out its user. What is limited is how often a
 * client can ask whether a token is valid and hear "no".
 */
export class FailedSignIns {
  readonly #most: number;
  readonly #now: () => number;
  readonly #failed = new Map<string, { count: number; readonly since: number }>();

  constructor(most: number, now: () => number) {
    this.#most = most;
    this.#now = now;
  }

  /** Counts one. Returns in how many seconds to try again, or null while there are few. */
  add(address: string): number | null {
    const now = this.#now();
    const known = this.#failed.get(address);
    const entry = known !== undefined && now - known.since < minuteMs ? known : { count: 0, since: now };
    entry.count++;
    this.#failed.delete(address);
    this.#failed.set(address, entry);
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > mostAddresses && oldest !== undefined) this.#failed.delete(oldest);
    return entry.count > this.#most ? Math.max(1, Math.ceil((entry.since + minuteMs - now) / 1000)) : null;
  }
}

/** The open streams of each token. */
export class Streams {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** What ends the stream again, once; null: the token has as many as it may. */
  open(token: string): (() => void) | null {
    const count = this.#open.get(token) ?? 0;
    if (count >= this.#most) return null;
    this.#open.set(token, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#open.get(token) ?? 1) - 1;
      if (left === 0) this.#open.delete(token);
      else this.#open.set(token, left);
    };
  }
}
