// Agents of this machine. Owns: which of those that Pawl knows can be used here, and the one that a repository gets as its default.

import { configuredExecutors } from "../app.ts";
import { type AgentKind, agentKinds, isAgentKind } from "../executors/agent/agents.ts";
import { findProgram } from "../executors/program.ts";
import type { Config } from "../runtime/config/config.ts";
import { defaultExecutor } from "../runtime/config/executor-names.ts";

export interface FoundAgent {
  readonly name: string;
  readonly kind: string;
  readonly installed: boolean;
  /** Its program is not there at all; of those that are there and cannot be used, `problem` says why. */
  readonly isAbsent: boolean;
  readonly version: string | null;
  readonly problem: string;
  readonly hint: string;
}

/** Those that are configured, and those that could be there. All at once: asking one for its version can take seconds. */
export async function lookForAgents(config: Config): Promise<readonly FoundAgent[]> {
  const executors = configuredExecutors(config);
  const names = [...new Set([...Object.keys(config.executors), ...agentKinds])];
  return await Promise.all(
    names.map(async (name) => {
      const kind = config.executors[name]?.kind ?? name;
      const executor = await executors.get(name);
      const missing = await executor.missing();
      return {
        name,
        kind,
        installed: missing === null,
        isAbsent: isAgentKind(kind) && findProgram(config.executors[name]?.program ?? kind) === null,
        version: (await executor.version?.()) ?? null,
        problem: missing?.what ?? "",
        hint: missing?.hint ?? "",
      };
    }),
  );
}

export interface ChosenExecutor {
  readonly name: string;
  /** What others who work on the repository know by the same name: an agent's own. */
  readonly shared: AgentKind | null;
  /** It is taken without being named, also where the repository's file does not name it. */
  readonly isUsual: boolean;
}

/** The one that a run would take; where that cannot be used, the first that can. */
export function chooseExecutor(config: Config, agents: readonly FoundAgent[]): ChosenExecutor | null {
  const usual = defaultExecutor(config);
  const usable = agents.filter(({ installed }) => installed);
  const isBroken = agents.some(({ name, installed }) => name === usual && !installed);
  const other = usable.find(({ kind }) => isAgentKind(kind)) ?? usable[0];
  const name = isBroken ? other?.name : (usual ?? other?.name);
  if (name === undefined) return null;
  const isShared = isAgentKind(name) && (config.executors[name]?.kind ?? name) === name;
  return { name, shared: isShared ? name : null, isUsual: name === usual };
}
