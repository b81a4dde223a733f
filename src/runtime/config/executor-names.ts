// Names of executors. Owns: who is meant by what a run, a workflow and the configuration say, and whose account that is. What they
// are made of is in app.ts.

import type { Definition } from "../../domain/definition.ts";
import type { AgentName } from "../../domain/ids.ts";
import { acpPrograms, agentKinds, isAgentKind } from "../../executors/agent/agents.ts";
import { findProgram } from "../../executors/program.ts";
import type { Config } from "./config.ts";
import type { ExecutorConfig } from "./config-executors.ts";

/** Whom the run or its workflow names for an agent, in order; null: neither does. */
export function namedFor(
  config: Config,
  run: { readonly executor: string | null; readonly definition: Definition },
  agent: AgentName,
): readonly string[] | null {
  if (run.executor !== null) return present(config, namesIn(run.executor));
  const { executor = null, fallbacks = [] } = run.definition.agents[agent] ?? {};
  return executor === null ? null : present(config, [executor, ...fallbacks]);
}

/** Executors of one kind of agent use one account, unless they say otherwise; programs and scripts have none. */
export function accountOf(config: Config, name: string): string | null {
  const configured = executorIn(config, name);
  if (configured?.account) return configured.account;
  const kind = configured?.preset ?? configured?.kind ?? name;
  if (isAgentKind(kind)) return kind;
  return kind === "acp" ? name : null;
}

/** `claude,codex` names two; a command line is one, whatever it contains. */
function namesIn(text: string): readonly string[] {
  if (/^(?:command|scripted|shell):/.test(text)) return [text];
  return text.split(",").flatMap((name) => name.trim() || []);
}

/** Of several, those whose program is there; all of them where none is, since the first then says what is missing. */
function present(config: Config, names: readonly string[]): readonly string[] {
  if (names.length < 2) return names;
  const there = names.filter((name) => {
    const program = programOf(name, executorIn(config, name));
    // A path from the workspace is found only there.
    return program === null || program.startsWith(".") || findProgram(program) !== null;
  });
  return there.length === 0 ? names : there;
}

/** null: nobody knows, or it needs none. */
function programOf(name: string, configured: ExecutorConfig | null): string | null {
  const kind = configured?.kind ?? name;
  if (isAgentKind(kind)) return configured?.program ?? kind;
  if (configured === null || kind === "scripted") return null;
  return configured.command[0] ?? (configured.preset === null ? null : acpPrograms[configured.preset]);
}

/** What can be named: the configuration's executors, and agents that need none because their program is there. */
export function knownExecutors(config: Config): readonly { readonly name: string; readonly kind: string }[] {
  const configured = Object.entries(config.executors).map(([name, { kind }]) => ({ name, kind }));
  const found = agentKinds.filter((kind) => !Object.hasOwn(config.executors, kind) && findProgram(kind) !== null);
  return [...configured, ...found.map((kind) => ({ name: kind, kind }))];
}

export function defaultExecutors(config: Config): readonly string[] {
  if (config.defaultExecutors.length > 0) return present(config, config.defaultExecutors);
  return [defaultExecutor(config) ?? []].flat();
}

/** Where nobody chose: the first agent that is there. */
export function defaultExecutor(config: Config): string | null {
  if (config.defaultExecutor !== null) return config.defaultExecutor;
  const isThere = ({ name, kind }: { name: string; kind: string }) =>
    isAgentKind(kind) && findProgram(executorIn(config, name)?.program ?? kind) !== null;
  return knownExecutors(config).find(isThere)?.name ?? null;
}

export function executorIn({ executors }: Config, name: string): ExecutorConfig | null {
  return Object.hasOwn(executors, name) ? (executors[name] ?? null) : null;
}
