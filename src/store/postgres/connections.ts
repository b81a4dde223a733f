// The connections of a store to its server: the driver's client with Pawl's settings, and the pool of them.

import { callbackify } from "node:util";
import type { ClientConfig, Client as DriverClient, Pool, PoolConfig } from "pg";
import { AppError } from "../../domain/error.ts";
import type { Address } from "./address.ts";
import type { Client } from "./commit-listener.ts";
import { type Login, passwordFor } from "./passfile.ts";
import { StatementNames } from "./statement-names.ts";
import { passwordMissing, refusedStart } from "./trouble.ts";

export type Driver = typeof import("pg");

/** Beside these, a store that is watched has one to listen. */
const mostConnections = 4;

/** How long a connection is silent before the system asks the server, then each second, and gives it up after ten. */
const askAfterMs = 10_000;
/** Of each session, in milliseconds. A process that is stopped within a transaction, or cut off, holds up the others for no longer. */
const timeouts = { statement_timeout: 30_000, lock_timeout: 15_000, idle_in_transaction_session_timeout: 10_000 };
export const connectMs = 10_000;

/** Only stores on a server need it, so it is not part of Pawl. */
export async function loadDriver(): Promise<Driver> {
  try {
    return await import("pg");
  } catch (error) {
    throw new AppError("STORE_UNUSABLE", "a store on PostgreSQL needs the npm package `pg`, which is not installed", {
      hint: "install it beside Pawl: `npm install --global pg` where Pawl is installed globally",
      cause: error,
    });
  }
}

export function configOf({ types }: Driver, { url, schema }: Address): ClientConfig {
  /** 64-bit integers and sums of them come as text. Pawl's numbers are no larger than those of JavaScript. */
  const numbers = new Set<number>([types.builtins.INT8, types.builtins.NUMERIC]);
  const getTypeParser = ((oid: number, format: never) =>
    numbers.has(oid) ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser;
  return {
    connectionString: url,
    application_name: `pawl ${schema}`,
    connectionTimeoutMillis: connectMs,
    // Without a delay the system would ask after two hours whether the server is still there. A statement whose answer was lost on the way
    // has nothing to send again, and would wait for so long.
    keepAlive: true,
    keepAliveInitialDelayMillis: askAfterMs,
    // Statements are sent while the answers of others are on their way.
    pipeline: true,
    types: { getTypeParser },
  };
}

type Connected = ((error: Error) => void) | ((error: null, client: DriverClient) => void);

/** The driver's client, with its settings, and with the password from its file where the address and the environment have none. */
export function clientOf(driver: Driver, address: Address): new (config: ClientConfig) => Client {
  const names = new StatementNames();
  class OwnClient extends driver.Client {
    constructor(config: ClientConfig) {
      super(config);
      // A connection in use has no other listener, and without one its loss would end this process. Its query says what is wrong.
      this.on("error", () => undefined);
      // The driver asks for it only if the server does.
      const ask = () => {
        const found = passwordFor(this as Login);
        if ("password" in found) return found.password;
        throw passwordMissing(address.label, found);
      };
      if (this.password === null) Object.assign(this, { password: ask });
      // Typed by each of its many forms; only the one with a text and its values is changed.
      const query = this.query.bind(this) as (...given: unknown[]) => unknown;
      const named = (text: unknown, values: unknown, ...more: unknown[]) => {
        const name = typeof text === "string" && Array.isArray(values) ? names.of(text, values) : null;
        return name === null ? query(text, values, ...more) : query({ name, text, values }, ...more);
      };
      Object.assign(this, { query: named });
    }

    override connect(): Promise<DriverClient>;
    override connect(done: Connected): void;
    /** A pool gives a callback. */
    override connect(done?: Connected): Promise<DriverClient> | void {
      const connect = async () => {
        try {
          await super.connect().catch((error: unknown) => {
            throw refusedStart(error, address.label);
          });
          await this.query(settingsOf(address));
          return this;
        } catch (error) {
          // The driver leaves it open, and this process would not end before the server gives up waiting for a password.
          this.connection.stream.destroy();
          throw error;
        }
      };
      if (done === undefined) return connect();
      callbackify(connect)(done as (error: Error | null, client: DriverClient) => void);
    }
  }
  return OwnClient as unknown as new (
    config: ClientConfig,
  ) => Client;
}

/** What is set once for each connection. */
function settingsOf({ schema }: Address): string {
  const settings = Object.entries({ search_path: `"${schema}"`, ...timeouts });
  return settings.map(([name, value]) => `set ${name} to ${value}`).join("; ");
}

export function poolOf(driver: Driver, config: PoolConfig): Pool {
  const pool = new driver.Pool({ ...config, max: mostConnections, allowExitOnIdle: true });
  // Without a listener, a server that restarts would end this process. What uses the store next says what is wrong.
  pool.on("error", () => undefined);
  return pool;
}
