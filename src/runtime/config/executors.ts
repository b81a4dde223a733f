// The executors of a configuration, as the runtime asks for them.

import type { AgentRegistry } from "../../executors/agent/registry.ts";
import { costGap } from "../../executors/cost-gap.ts";
import { executorIn } from "../../executors/executor-config.ts";
import { type ExecutorNames, executorNames, type NamedExecutor } from "../../executors/executor-names.ts";
import { type FactoryOptions, makeExecutor } from "../../executors/factory.ts";
import { estimate, priceOf } from "../../executors/prices.ts";
import { type ProbedExecutor, probeExecutors } from "../../executors/probe.ts";
import { usageInRecording } from "../../executors/recorded-usage.ts";
import type { Executors } from "../parts.ts";
import { agentsFor, type Config } from "./config.ts";

/** The executors of a configuration, with what a person asks about them. */
export interface ConfiguredExecutors extends Omit<Executors, "isThere">, ExecutorNames {
  /** Whether each of these can be used here. */
  probe(executors: readonly NamedExecutor[]): Promise<readonly ProbedExecutor[]>;
}

/** The permit of every agent that works, over all runs. */
export const placesForAgents = "agents";

type ExecutorsConfig = Pick<Config, "executors" | "defaultExecutors" | "prices" | "agents" | "agentLimits">;

/** Pawl's own files: what agents keep apart from the user's own is below `home`, and a sandbox hides all of them. */
export type PawlPlaces = Pick<FactoryOptions, "home" | "store">;

export function executorsOf(config: ExecutorsConfig, agents: AgentRegistry, places: PawlPlaces): ConfiguredExecutors {
  const names = executorNames(config, agents);
  const get = async (name: string) => await makeExecutor(name, { executors: config.executors, agents, ...places });
  return {
    ...names,
    get,
    probe: async (executors) => await probeExecutors(executors, get),
    priced: (name, { usage, model }) =>
      estimate(usage, priceOf({ executor: name, model: model ?? null }, config.prices)),
    usedIn: async (name, file, resumed) =>
      await usageInRecording(file, executorIn(config, name)?.kind ?? name, agents, resumed),
    costGap: (name) => costGap(config, agents, name),
    permitsFor(name, { definition }, agent) {
      const own = config.agentLimits[agent];
      const ofName = own === undefined ? [] : [{ key: `agent:${agent}`, limit: own, inLine: true }];
      // An agent that pulls runs already, and another program is not ours: waiting would not lower the load of this machine.
      const isElsewhere = name === "pull" || name.startsWith("shell") || names.awaitMs(name) !== null;
      return isElsewhere ? ofName : [...ofName, { key: placesForAgents, limit: agentsFor(config, definition) }];
    },
  };
}
