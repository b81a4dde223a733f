// A session. Owns: opening what a command needs: home, configuration, store, executors.

import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join, resolve } from "node:path";
import { agents, configuredExecutors, configuredTargets, openApp } from "../app.ts";
import type { RunId } from "../domain/ids.ts";
import { type Config, readConfig } from "../runtime/config/config.ts";
import { deliverDue } from "../runtime/effects/deliveries.ts";
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

/** Whoever is told something by a command that does not drive has this long to take it. */
const deliveriesMs = 2_000;

/** Opens, works, and closes again whatever happens. */
export async function withSession<T>(options: SessionOptions, work: (session: Session) => Promise<T>): Promise<T> {
  const home = findHome(process.env);
  const config = await readConfig(home.configFile, options.repo ? topOf(options.repo) : null, agents);
  const store = options.store ?? process.env["PAWL_STORE"] ?? null;
  const [executors, targets] = [configuredExecutors(config), configuredTargets(config, home)];
  const settings = { workspace: config.workspace };
  const secretNames = config.notify.flatMap((target) => (target.kind === "webhook" ? (target.secretEnv ?? []) : []));
  const parts = await openApp({ home, store, executors, targets, settings, secretNames, log: chooseLog(), warn });
  const committed = new Set<RunId>();
  const listening = parts.commits.listen(({ run }) => committed.add(run));
  try {
    const result = await work({ parts, config });
    for (const run of committed) await parts.projections.show(run);
    if (committed.size > 0) await deliverDue(parts, deliveriesMs);
    return result;
  } finally {
    listening.close();
    await parts.tools?.close();
    await parts.trees.settled();
    await parts.projections.close();
    await parts.store.close();
  }
}

/** The directory above that is a repository: its configuration counts also from a folder inside it. */
function topOf(dir: string): string {
  for (let at = resolve(dir); ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return dir;
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
    process.stderr.write(`${JSON.stringify({ ts: new Date().toISOString(), event, ...fields })}\n`);
}
