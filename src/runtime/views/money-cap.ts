// Whether the money caps of a run can hold: they count what agents report, and some report no cost.

import { type Definition, defaultCaps } from "../../domain/definition.ts";
import { agentName } from "../../domain/ids.ts";
import type { Header } from "../../domain/run.ts";
import type { Executors } from "../parts.ts";

/** Why the run's money cap cannot hold, for people; null: it can, or nobody has set one. */
export function moneyCapGap(
  run: Pick<Header, "definition" | "executor" | "caps">,
  executors: Pick<Executors, "namesFor" | "costGap">,
): string | null {
  if (run.caps.costUsd >= defaultCaps.costUsd) return null;
  const gaps = namesOf(run, executors).flatMap((name) => executors.costGap?.(name) ?? []);
  const [first] = gaps;
  return first === undefined ? null : `The cap of ${run.caps.costUsd} USD cannot hold: ${first}`;
}

function namesOf(
  run: { readonly definition: Definition; readonly executor: string | null },
  { namesFor }: Pick<Executors, "namesFor">,
): readonly string[] {
  const agents = Object.keys(run.definition.agents).map(agentName);
  return [...new Set(agents.flatMap((agent) => namesFor(run, agent)))];
}
