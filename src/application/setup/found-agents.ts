// Agents of this machine. Owns: which known agents can be used here, and which one becomes the default of a repository.

import { agents } from "../../app.ts";
import type { ProbedExecutor } from "../../executors/probe.ts";
import type { ConfiguredExecutors } from "../../runtime/config/executors.ts";

export interface FoundAgent extends ProbedExecutor {
  /** Its program is not installed at all; `problem` says what is wrong with the others. */
  readonly isAbsent: boolean;
}

type Known = Pick<ConfiguredExecutors, "every" | "usual" | "isAbsent" | "probe">;

/** The configured executors, and every agent that could be installed. */
export async function lookForAgents(executors: Known): Promise<readonly FoundAgent[]> {
  const probed = await executors.probe(executors.every());
  return probed.map((agent) => ({ ...agent, isAbsent: executors.isAbsent(agent) }));
}

export interface ChosenExecutor {
  readonly name: string;
  /** Its name if other people who work on the repository know it too: an agent's own. */
  readonly shared: string | null;
  /** A run takes it without naming it, even if the repository's file does not name it. */
  readonly isUsual: boolean;
}

/** The one that a run would take; if that cannot be used, the first that can. */
export function chooseExecutor(executors: Known, found: readonly FoundAgent[]): ChosenExecutor | null {
  const usual = executors.usual();
  const usable = found.filter(({ installed }) => installed);
  const isBroken = found.some(({ name, installed }) => name === usual && !installed);
  const other = usable.find(({ kind }) => agents.has(kind)) ?? usable[0];
  const name = isBroken ? other?.name : (usual ?? other?.name);
  if (name === undefined) return null;
  const isShared = agents.has(name) && (found.find((one) => one.name === name)?.kind ?? name) === name;
  return { name, shared: isShared ? name : null, isUsual: name === usual };
}
