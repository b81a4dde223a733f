// Makes executors of names: an inline command, a script, an executor of the configuration, or an agent that needs no configuration.
// Each implementation is imported when one of its executors is made, so that commands which only read load none.

import { join, resolve } from "node:path";
import { AppError } from "../domain/error.ts";
import { didYouMean } from "../domain/nearest.ts";
import type { AgentRunOptions } from "./agent/agent-options.ts";
import type { AgentRegistry, RegisteredAgent } from "./agent/registry.ts";
import type { Executor } from "./executor.ts";
import { type ExecutorConfig, type ExecutorSettings, executorIn } from "./executor-config.ts";
import { inlineCommand } from "./inline-command.ts";
import type { CommandLine, Sandbox } from "./sandbox/sandbox.ts";

export interface FactoryOptions extends Pick<ExecutorSettings, "executors"> {
  readonly agents: AgentRegistry;
  /** The directory below which agents keep what must stay apart from the user's own. */
  readonly home: () => string;
  /** The file of a store elsewhere than in the home, which a sandbox hides. */
  readonly store?: () => string | null;
}

const defaultWallMs = 60 * 60_000;
const defaultQuietMs = 15 * 60_000;
const graceMs = 5_000;
/** To the first byte of an agent, and from its last event to its exit. */
const defaultStartMs = 90_000;
const leaveMs = 15_000;

export async function makeExecutor(name: string, options: FactoryOptions): Promise<Executor> {
  const shell = /^shell:([^]*)$/.exec(name);
  if (shell) return await command("shell", ["sh", "-c", shell[1] ?? ""], null);
  const inline = inlineCommand(name);
  if (inline !== null) return await command("command", inline, null);
  const script = /^scripted:([^]+)$/.exec(name);
  if (script?.[1]) return await scripted(script[1], null);
  const { agents } = options;
  const configured = confined(executorIn(options, name), options);
  const agent = agents.find(configured?.kind ?? name);
  if (agent !== null) return await cliAgent(name, agent, configured, options);
  if ((configured?.kind ?? name) === "await") return await awaiting(name);
  if (configured === null) throw unknownExecutor(name, options);
  if (configured.kind === "scripted") return await scripted(resolve(configured.script ?? ""), configured.sandbox);
  if (configured.kind === "acp") return await acp(name, configured, agents);
  return await command(name, wordsOf(configured), configured);
}

/** A sandbox hides Pawl's own files. */
function confined(configured: ExecutorConfig | null, { home, store }: FactoryOptions): ExecutorConfig | null {
  if (!configured?.sandbox) return configured;
  return { ...configured, sandbox: { ...configured.sandbox, pawl: { home: home(), store: store?.() ?? null } } };
}

function unknownExecutor(name: string, { executors, agents }: FactoryOptions): AppError {
  const known = [...new Set([...Object.keys(executors), ...agents.kinds])];
  return new AppError("EXECUTOR_MISSING", `there is no executor "${name}"`, {
    hint: `${didYouMean(name, known)}there are: ${known.join(", ")}; or give a program: --executor 'command: bash ./agent.sh'`,
  });
}

async function awaiting(name: string): Promise<Executor> {
  const { awaitExecutor } = await import("./await/await.ts");
  return awaitExecutor(name);
}

async function scripted(file: string, sandbox: Sandbox | null): Promise<Executor> {
  const { scriptedExecutor } = await import("./scripted/scripted.ts");
  return scriptedExecutor(file, sandbox);
}

async function command(name: string, words: CommandLine, configured: ExecutorConfig | null): Promise<Executor> {
  const { commandExecutor } = await import("./command/command.ts");
  return commandExecutor({ ...sharedOptions(name, configured), command: words });
}

async function cliAgent(
  name: string,
  agent: RegisteredAgent,
  configured: ExecutorConfig | null,
  { home }: FactoryOptions,
): Promise<Executor> {
  const { kind } = agent;
  const { agentExecutor } = await import("./agent/agent-cli.ts");
  return agentExecutor(await agent.profile(), {
    ...sharedOptions(name, configured),
    program: configured?.program ?? kind,
    args: configured?.args ?? [],
    home: join(home(), configured?.isolated ? `${kind}-isolated` : kind),
    isolated: configured?.isolated ?? false,
  });
}

async function acp(name: string, configured: ExecutorConfig, agents: AgentRegistry): Promise<Executor> {
  const { acpExecutor } = await import("./acp/acp.ts");
  const preset = configured.preset === null ? null : agents.find(configured.preset);
  return acpExecutor({
    ...sharedOptions(name, configured),
    command: configured.command.length === 0 ? null : wordsOf(configured),
    preset: (await preset?.profile()) ?? null,
    permissions: configured.permissions ?? "allow",
  });
}

function sharedOptions(name: string, configured: ExecutorConfig | null): AgentRunOptions {
  return {
    name,
    model: configured?.model ?? null,
    effort: configured?.effort ?? null,
    maxTurns: configured?.maxTurns ?? null,
    maxUsd: configured?.maxUsd ?? null,
    access: configured?.access ?? "write",
    env: configured?.env ?? [],
    sandbox: configured?.sandbox ?? null,
    wallMs: configured?.wallMs ?? defaultWallMs,
    quietMs: configured?.quietMs ?? defaultQuietMs,
    startMs: configured?.startMs ?? defaultStartMs,
    leaveMs,
    graceMs,
  };
}

function wordsOf({ command: words }: ExecutorConfig): CommandLine {
  const [program, ...rest] = words;
  if (program === undefined)
    throw new AppError("CONFIG_INVALID", "an executor has an empty command", { hint: "name a program" });
  return [program, ...rest];
}
