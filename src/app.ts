// The composition root: the only file that picks implementations.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { EmbeddedDispatch } from "./dispatch/embedded/embedded.ts";
import { AppError } from "./domain/error.ts";
import type { AgentProfile } from "./executors/agent/agent-profile.ts";
import { type AgentKind, agentKinds, isAgentKind } from "./executors/agent/agents.ts";
import type { Executor } from "./executors/executor.ts";
import { estimate, priceOf } from "./executors/prices.ts";
import type { Sandbox } from "./executors/sandbox/sandbox.ts";
import type { NewReader } from "./executors/stream/reader.ts";
import type { Target } from "./notify/target.ts";
import { openTargets } from "./notify/targets.ts";
import type { ToolServer } from "./runtime/attempt/execute/desk.ts";
import { agentsFor, type Config, plainWorkspace } from "./runtime/config/config.ts";
import type { ExecutorConfig } from "./runtime/config/config-file.ts";
import { accountOf, defaultExecutors, executorIn, namedFor } from "./runtime/config/executor-names.ts";
import { Commits, type Executors, type Log, type Parts, type Settings } from "./runtime/parts.ts";
import { Trees } from "./runtime/trees/trees.ts";
import { openSqliteStore } from "./store/sqlite/open.ts";
import type { PermitLimit } from "./store/store.ts";
import { type Clock, systemClock } from "./system/clock.ts";
import { findHome, type Home } from "./system/home.ts";
import { shellWord, splitWords } from "./system/process/words.ts";
import { environmentSecrets } from "./system/secrets/secrets.ts";

export interface AppOptions {
  readonly home: Home;
  /** `sqlite:PATH`; null: the one in Pawl's home. */
  readonly store: string | null;
  readonly executors: Executors;
  /** Nobody is told anything unless given. */
  readonly targets?: readonly Target[];
  /** Variables that are secret whatever they are called. */
  readonly secretNames?: readonly string[];
  /** What trees of stories get; nothing beyond the defaults unless given. */
  readonly settings?: Settings;
  readonly log: Log;
  readonly warn: (text: string) => void;
  readonly clock?: Clock;
}

export async function openApp(options: AppOptions): Promise<Parts> {
  const clock = options.clock ?? systemClock;
  const store = await openSqliteStore(storeFile(options), clock);
  const secrets = environmentSecrets(process.env, options.secretNames);
  return {
    store,
    dispatch: new EmbeddedDispatch(store),
    clock,
    home: options.home,
    executors: options.executors,
    tools: lazyTools(),
    targets: options.targets ?? [],
    settings: options.settings ?? { workspace: plainWorkspace },
    trees: new Trees(),
    secrets,
    log: (event, fields) => options.log(event, secrets.redactAll(fields)),
    warn: (text) => options.warn(secrets.redact(text)),
    commits: new Commits(),
  };
}

/** Loaded for the first agent that calls tools. */
function lazyTools(): ToolServer {
  let server: Promise<ToolServer> | null = null;
  const load = async () => (await import("./mcp/attempts.ts")).openToolServer();
  return {
    async open(desk) {
      server ??= load();
      return await (await server).open(desk);
    },
    async close() {
      await (await server)?.close();
    },
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
/** Of agents: to the first byte, and from the last event to the exit. */
const defaultStartMs = 90_000;
const leaveMs = 15_000;

/** Executors as the configuration and the command line name them. */
export function configuredExecutors(config: Config): Executors {
  let fallback: readonly string[] | null = null;
  return {
    namesFor(run, agent) {
      const named = namedFor(config, run, agent);
      if (named !== null) return named;
      // Looked for once: this is asked for every step.
      fallback ??= defaultExecutors(config);
      return fallback;
    },
    accountOf: (name) => accountOf(config, name),
    get: (name) => makeExecutor(config, name),
    priced: (name, { usage, model }) =>
      estimate(usage, priceOf({ executor: name, model: model ?? null }, config.prices)),
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
  const configured = executorIn(config, name);
  if (configured === null && isAgentKind(name)) return await agent(name, name, null);
  if (configured === null) {
    const known = [...new Set([...Object.keys(config.executors), ...agentKinds])].join(", ");
    throw new AppError("EXECUTOR_MISSING", `there is no executor "${name}"`, {
      hint: `there are: ${known}; or give a program: --executor 'command: bash ./agent.sh'`,
    });
  }
  if (configured.kind === "scripted") return await scripted(resolve(configured.script ?? ""), configured.sandbox);
  if (configured.kind === "command") return await command(name, wordsIn(configured), configured);
  if (configured.kind === "acp") return await acp(name, configured);
  return await agent(name, configured.kind, configured);
}

// Loaded when something is performed: whoever only looks needs neither.

async function scripted(file: string, sandbox: Sandbox | null = null): Promise<Executor> {
  const { scriptedExecutor } = await import("./executors/scripted/scripted.ts");
  return scriptedExecutor(file, sandbox);
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
    sandbox: configured?.sandbox ?? null,
    access: configured?.access ?? "write",
    wallMs: configured?.wallMs ?? defaultWallMs,
    quietMs: configured?.quietMs ?? defaultQuietMs,
    graceMs,
  });
}

async function agent(name: string, kind: AgentKind, configured: ExecutorConfig | null): Promise<Executor> {
  const { agentExecutor } = await import("./executors/agent/agent-cli.ts");
  return agentExecutor(await profiles[kind](), {
    name,
    program: configured?.program ?? kind,
    model: configured?.model ?? null,
    effort: configured?.effort ?? null,
    maxTurns: configured?.maxTurns ?? null,
    maxUsd: configured?.maxUsd ?? null,
    access: configured?.access ?? "write",
    args: configured?.args ?? [],
    env: configured?.env ?? [],
    home: join(findHome(process.env).dir, configured?.isolated ? `${kind}-isolated` : kind),
    isolated: configured?.isolated ?? false,
    sandbox: configured?.sandbox ?? null,
    wallMs: configured?.wallMs ?? defaultWallMs,
    quietMs: configured?.quietMs ?? defaultQuietMs,
    startMs: configured?.startMs ?? defaultStartMs,
    leaveMs,
    graceMs,
  });
}

async function acp(name: string, configured: ExecutorConfig): Promise<Executor> {
  const { acpExecutor } = await import("./executors/acp/acp.ts");
  return acpExecutor({
    name,
    command: configured.command.length === 0 ? null : wordsIn(configured),
    preset: configured.preset,
    model: configured.model,
    effort: configured.effort,
    maxTurns: configured.maxTurns,
    maxUsd: configured.maxUsd,
    access: configured.access ?? "write",
    permissions: configured.permissions ?? "allow",
    env: configured.env,
    sandbox: configured.sandbox,
    wallMs: configured.wallMs ?? defaultWallMs,
    quietMs: configured.quietMs ?? defaultQuietMs,
    startMs: configured.startMs ?? defaultStartMs,
    leaveMs,
    graceMs,
  });
}

const profiles: Readonly<Record<AgentKind, () => Promise<AgentProfile>>> = {
  claude: async () => (await import("./executors/claude/claude.ts")).claude,
  codex: async () => (await import("./executors/codex/codex.ts")).codex,
  opencode: async () => (await import("./executors/opencode/opencode.ts")).opencode,
  gemini: async () => (await import("./executors/gemini/gemini.ts")).gemini,
  copilot: async () => (await import("./executors/copilot/copilot.ts")).copilot,
  qwen: async () => (await import("./executors/qwen/qwen.ts")).qwen,
  goose: async () => (await import("./executors/goose/goose.ts")).goose,
};

/** Whoever prints events of its own, and how they are read. Loaded when somebody listens. */
export const readers: ReadonlyMap<string, () => Promise<NewReader>> = new Map([
  ["claude", async () => (await import("./executors/claude/reader.ts")).claudeReader],
  ["codex", async () => (await import("./executors/codex/reader.ts")).codexReader],
  ["opencode", async () => (await import("./executors/opencode/reader.ts")).opencodeReader],
  ["gemini", async () => (await import("./executors/gemini/reader.ts")).geminiReader],
  ["qwen", async () => (await import("./executors/qwen/reader.ts")).qwenReader],
  ["copilot", async () => (await import("./executors/copilot/reader.ts")).copilotReader],
  ["goose", async () => (await import("./executors/goose/reader.ts")).gooseReader],
  ["acp", async () => (await import("./executors/acp/reader.ts")).acpReader],
]);

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
  return `command: ${words.map(shellWord).join(" ")}`;
}
