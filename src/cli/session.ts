// A session. Owns: opening what a command needs: home, configuration, store, executors.

import { userInfo } from "node:os";
import { configuredExecutors, openApp } from "../app.ts";
import { type Config, readConfig } from "../runtime/config.ts";
import type { Log, Parts } from "../runtime/parts.ts";
import { findHome } from "../system/home.ts";

export interface SessionOptions {
  readonly store?: string | undefined;
  /** The repository whose `.pawl/config.yml` counts. */
  readonly repo?: string | null | undefined;
}

export interface Session {
  readonly parts: Parts;
  readonly config: Config;
}

/** Opens, works, and closes again whatever happens. */
export async function withSession<T>(options: SessionOptions, work: (session: Session) => Promise<T>): Promise<T> {
  const home = findHome(process.env);
  const config = readConfig(home.configFile, options.repo ?? null);
  const store = options.store ?? process.env["PAWL_STORE"] ?? null;
  const parts = await openApp({ home, store, executors: configuredExecutors(config), log: chooseLog(), warn });
  try {
    return await work({ parts, config });
  } finally {
    await parts.store.close();
  }
}

export function author(): string {
  try {
    return `user:${userInfo().username}`;
  } catch {
    return "user";
  }
}

function warn(text: string): void {
  process.stderr.write(`note: ${text}\n`);
}

/** Structured lines on stderr for whoever asks for them. */
function chooseLog(): Log {
  if (process.env["PAWL_LOG"] !== "json") return () => undefined;
  return (event, fields) =>
    process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), event, ...fields })}\n`);
}
