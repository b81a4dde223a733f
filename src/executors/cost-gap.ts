// Says of an executor why its cost will not be known, so that a cap of money cannot hold.

import type { AgentRegistry } from "./agent/registry.ts";
import { type ExecutorSettings, executorIn } from "./executor-config.ts";
import { type Prices, priceOf } from "./prices.ts";

/** Programs report no usage at all. Of agents, the descriptor says whether they report neither their cost nor their model. */
export function costGap(
  settings: ExecutorSettings & { readonly prices: Prices },
  agents: Pick<AgentRegistry, "find">,
  name: string,
): string | null {
  const configured = executorIn(settings, name);
  const kind = configured?.kind ?? name;
  if (name === "pull") return "agents that pull report no cost";
  if (/^(?:command|shell|scripted):/.test(name) || kind === "command" || kind === "scripted")
    return `${/^\w+:/.test(name) ? "a program" : name} reports no cost`;
  if (agents.find(kind)?.hidesCost !== true) return null;
  const price = priceOf({ executor: name, model: configured?.model ?? null }, settings.prices);
  return price === null ? `${name} names no model (set executors.${name}.model, or prices.${name})` : null;
}
