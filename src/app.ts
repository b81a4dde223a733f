// The composition root: the only file that picks implementations.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { EmbeddedDispatch } from "./dispatch/embedded/embedded.ts";
import { AppError } from "./domain/error.ts";
import type { Executor } from "./executors/executor.ts";
import type { Target } from "./notify/target.ts";
import { openTargets } from "./notify/targets.ts";
import { agentsFor, type Config, plainWorkspace } from "./runtime/config.ts";
import type { ExecutorConfig } from "./runtime/config-file.ts";
import { Commits, type Executors, type Log, type Parts, type Settings } from "./runtime/parts.ts";
import { openSqliteStore } from "./store/sqlite/open.ts";
import type { PermitLimit } from "./store/store.ts";
import { type Clock, systemClock } from "./system/clock.ts";
import type { Home } from "./system/home.ts";
import { splitWords } from "./system/process/words.ts";

export interface AppOptions {
  readonly home: Home;
  /** `sqlite:PATH`; null: the one in Pawl's home. */
  readonly store: string | null;
  readonly executors: Executors;
  /** Nobody is told anything unless given. */
  readonly targets?: readonly Target[];
  /** What trees of stories get; nothing beyond the defaults unless given. */
  readonly settings?: Settings;
  readonly log: Log;
  readonly warn: (text: string) => void;
  readonly clock?: Clock;
}

export async function openApp(options: AppOptions): Promise<Parts> {
  const clock = options.clock ?? systemClock;
  const store = await openSqliteStore(storeFile(options), clock);
  return {
    store,
    dispatch: new EmbeddedDispatch(store),
    clock,
    home: options.home,
    executors: options.executors,
    targets: options.targets ?? [],
    settings: options.settings ?? { workspace: plainWorkspace },
    log: options.log,
    warn: options.warn,
    commits: new Commits(),
  };
}

function storeFile(options: AppOptions): string {
  const { store, home } = options;
  if (store === null) return home.storeFile;
  const sqlite = /^sqlite:(.+)$/.exec(store);
  if (sqlite?.[1]) return resolve(sqlite[1]);
  throw new AppError("USAGE", `"${store}" is not a store this version knows`, { hint: "use sqlite:PATH" });
}

const defaultWallMs = 60 * 60_000;
const defaultQuietMs = 15 * 60_000;
const graceMs = 5_000;

/** Executors as the configuration and the command line name them. */
export function configuredExecutors(config: Config): Executors {
  return {
    nameFor(run, agent) {
      const name = agent.slice(agent.indexOf("/") + 1);
      return run.executor ?? run.definition.agents[name as never]?.executor ?? config.defaultExecutor;
    },
    get: (name) => makeExecutor(config, name),
    permitsFor(name, run): readonly PermitLimit[] {
      const kind = name.startsWith("shell") ? "shell" : "agents";
      return kind === "shell" ? [] : [{ key: "agents", limit: agentsFor(config, run.definition) }];
    },
  };
}

/** Whom the configuration wants to be told; their commands run in Pawl's home. */
export function configuredTargets(config: Config, home: Home): readonly Target[] {
  return openTargets(config.notify, process.env, home.dir);
}

async function makeExecutor(config: Config, name: string): Promise<Executor> {
  const shell = /^shell:([^]*)$/.exec(name);
  if (shell) return await command("shell", ["sh", "-c", shell[1] ?? ""], null);
  const inline = /^command:\s*([^]*)$/.exec(name);
  if (inline) return await command("command", wordsOf(inline[1] ?? ""), null);
  const script = /^scripted:([^]+)$/.exec(name);
  if (script?.[1]) return await scripted(script[1]);
  const configured = config.executors[name];
  if (!configured) {
    const known = Object.keys(config.executors).join(", ");
    throw new AppError("EXECUTOR_MISSING", `there is no executor "${name}"`, {
      hint: `configured are: ${known || "none"}; or give a program: --executor 'command: bash ./agent.sh'`,
    });
  }
  if (configured.kind === "scripted") return await scripted(resolve(configured.script ?? ""));
  return await command(name, wordsIn(configured), configured);
}

// Loaded when something is performed: whoever only looks needs neither.

async function scripted(file: string): Promise<Executor> {
  const { scriptedExecutor } = await import("./executors/scripted/scripted.ts");
  return scriptedExecutor(file);
}

async function command(
  name: string,
  words: readonly [string, ...string[]],
  configured: ExecutorConfig | null,
): Promise<Executor> {
  const { commandExecutor } = await import("./executors/command/command.ts");
  return commandExecutor({
    name,
    command: words,
    env: configured?.env ?? [],
    wallMs: configured?.wallMs ?? defaultWallMs,
    quietMs: configured?.quietMs ?? defaultQuietMs,
    graceMs,
  });
}

function wordsIn(configured: ExecutorConfig): readonly [string, ...string[]] {
  const [program, ...rest] = configured.command;
  if (program === undefined)
    throw new AppError("CONFIG_INVALID", "an executor has an empty command", { hint: "name a program" });
  return [program, ...rest];
}

/** Words as a shell splits them; nothing is expanded. */
function wordsOf(text: string): readonly [string, ...string[]] {
  const split = splitWords(text);
  const hint = "write it as --executor 'command: PROGRAM ARGUMENT…'";
  if (!split.ok)
    throw new AppError("USAGE", `the executor's command cannot be split into words: ${split.message}`, { hint });
  const [program, ...rest] = split.words;
  if (program === undefined) throw new AppError("USAGE", "the executor's command is empty", { hint });
  return [program, ...rest];
}

/**
 * Agents work in a tree of their own, where a relative path of the caller's means nothing: words that name a file from here are
 * made absolute.
 */
export function absoluteExecutor(name: string, from: string): string {
  const inline = /^command:\s*([^]*)$/.exec(name);
  if (!inline) return name;
  const words = wordsOf(inline[1] ?? "").map((word) => {
    const path = resolve(from, word);
    return /^\.\.?\//.test(word) && existsSync(path) ? path : word;
  });
  return `command: ${words.map(quote).join(" ")}`;
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
