// Resolves names of executors: which ones a run may use, which one it gets when nobody chose, and whose account each one uses.
// factory.ts makes executors of the names.

import type { Definition } from "../domain/definition.ts";
import type { AgentName } from "../domain/ids.ts";
import type { AgentRegistry } from "./agent/registry.ts";
import { type ExecutorConfig, type ExecutorSettings, executorIn } from "./executor-config.ts";
import { findProgram } from "./program.ts";

const usualAwaitMs = 60 * 60_000;

export interface NamedExecutor {
  readonly name: string;
  readonly kind: string;
}

export interface ExecutorNames {
  /** The executors of an agent of a run, in order of preference; empty: there is none. */
  namesFor(
    run: { readonly executor: string | null; readonly definition: Definition },
    agent: AgentName,
  ): readonly string[];
  /** Executors of one kind of agent share an account unless they are configured otherwise; programs and scripts have none. */
  accountOf(name: string): string | null;
  /** The configured executors, and the agents that need no configuration because their program is installed. */
  known(): readonly NamedExecutor[];
  /** The configured executors, and every agent of the registry. */
  every(): readonly NamedExecutor[];
  /** The executor of a run that names none: the configured default, else the first agent that is installed. */
  usual(): string | null;
  /** How long it waits for the report of another program, where the step has no limit; null: it starts a program itself. */
  awaitMs(name: string): number | null;
  /** It is known here, and its program is installed. */
  readonly isThere: (name: string) => boolean;
  /** The program of an agent is not installed. */
  isAbsent(executor: NamedExecutor): boolean;
}

export function executorNames(settings: ExecutorSettings, agents: AgentRegistry): ExecutorNames {
  const { executors, defaultExecutors } = settings;
  const configured = (name: string) => executorIn(settings, name);
  let defaults: readonly string[] | null = null;

  /** null: the executor needs no program, or the name is not known. */
  function programOf(name: string): string | null {
    const one = configured(name);
    const kind = one?.kind ?? name;
    if (agents.has(kind)) return one?.program ?? kind;
    if (one === null || kind === "scripted") return null;
    return one.command[0] ?? acpProgram(one, agents);
  }

  function hasProgram(name: string): boolean {
    const program = programOf(name);
    // A relative path is found only in the workspace.
    return program === null || program.startsWith(".") || findProgram(program) !== null;
  }

  /** The names whose program is installed; all of them if none is, because the first then says what is missing. */
  function installed(names: readonly string[]): readonly string[] {
    if (names.length < 2) return names;
    const found = names.filter(hasProgram);
    return found.length === 0 ? names : found;
  }

  function listed(kinds: readonly string[]): readonly NamedExecutor[] {
    const own = Object.entries(executors).map(([name, { kind }]) => ({ name, kind }));
    const others = kinds.filter((kind) => !Object.hasOwn(executors, kind));
    return [...own, ...others.map((kind) => ({ name: kind, kind }))];
  }

  const isAbsent = ({ name, kind }: NamedExecutor) =>
    agents.has(kind) && findProgram(configured(name)?.program ?? kind) === null;

  const known = () => listed(agents.kinds.filter((kind) => findProgram(kind) !== null));

  const usual = () =>
    defaultExecutors[0] ?? known().find((one) => agents.has(one.kind) && !isAbsent(one))?.name ?? null;

  /** Asked for every step, so it looks at the disk once. */
  function usualNames(): readonly string[] {
    defaults ??= defaultExecutors.length > 0 ? installed(defaultExecutors) : [usual() ?? []].flat();
    return defaults;
  }

  return {
    namesFor(run, agent) {
      if (run.executor !== null) return installed(namesIn(run.executor));
      const { executor = null, fallbacks = [] } = run.definition.agents[agent] ?? {};
      return executor === null ? usualNames() : installed([executor, ...fallbacks]);
    },
    accountOf(name) {
      const one = configured(name);
      if (one?.account) return one.account;
      const kind = one?.preset ?? one?.kind ?? name;
      if (agents.has(kind)) return kind;
      return kind === "acp" ? name : null;
    },
    awaitMs(name) {
      const one = configured(name);
      return (one?.kind ?? name) === "await" ? (one?.wallMs ?? usualAwaitMs) : null;
    },
    isThere: (name) => isInline(name) || ((agents.has(name) || configured(name) !== null) && hasProgram(name)),
    known,
    every: () => listed(agents.kinds),
    usual,
    isAbsent,
  };
}

function acpProgram({ preset }: ExecutorConfig, agents: AgentRegistry): string | null {
  return preset === null ? null : (agents.find(preset)?.acp?.program ?? null);
}

/** It says itself what it runs. */
function isInline(name: string): boolean {
  return /^(?:command|scripted|shell):/.test(name);
}

/** `one,other` are two names; a command line is one, whatever it contains. */
function namesIn(text: string): readonly string[] {
  if (isInline(text)) return [text];
  return text.split(",").flatMap((name) => name.trim() || []);
}
