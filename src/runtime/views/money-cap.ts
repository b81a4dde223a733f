// Whether the money limits of a run can hold: they count what agents report, and some report no cost.

import { type Definition, isGiven, type StepDefinition } from "../../domain/definition.ts";
import { agentName } from "../../domain/ids.ts";
import type { Limit } from "../../domain/route.ts";
import type { Header } from "../../domain/run.ts";
import type { Executors } from "../parts.ts";

type Names = Pick<Executors, "namesFor" | "costGap">;
type MoneyRun = Pick<Header, "definition" | "executor" | "caps">;

interface MoneyLimit {
  /** For people: `The cap of 5 USD`. */
  readonly what: string;
  readonly agents: readonly string[];
}

/** Why a money limit of the run cannot hold, for people; null: all can, or none is set. */
export function moneyCapGap(run: MoneyRun, executors: Names): string | null {
  for (const { what, agents } of limitsOf(run)) {
    const names = agents.flatMap((agent) => executors.namesFor(run, agentName(agent)));
    const [first] = names.flatMap((name) => executors.costGap?.(name) ?? []);
    if (first !== undefined) return `${what} cannot hold: ${first}`;
  }
  return null;
}

function limitsOf({ definition, caps }: MoneyRun): readonly MoneyLimit[] {
  const agents = Object.keys(definition.agents);
  const cap = { what: `The cap of ${caps.costUsd} USD`, agents };
  const isCapped = isGiven(definition.caps, "costUsd") || caps.costUsd !== definition.caps.costUsd;
  return [...(isCapped ? [cap] : []), ...definition.steps.flatMap(budgetsOf)];
}

function budgetsOf(step: StepDefinition): readonly MoneyLimit[] {
  if (step.kind === "stories") {
    const agents = step.body.flatMap(agentsOf);
    return [...limited(`of a story in ${step.name}`, step.storyBudget, agents), ...step.body.flatMap(budgetsOf)];
  }
  return step.kind === "gate" ? [] : limited(`of ${step.name}`, step.budget, agentsOf(step));
}

function limited(whose: string, limit: Limit | null, agents: readonly string[]): readonly MoneyLimit[] {
  const usd = limit?.spend?.costUsd ?? null;
  return usd === null ? [] : [{ what: `The budget of ${usd} USD ${whose}`, agents }];
}

function agentsOf(step: Definition["steps"][number]): readonly string[] {
  return step.kind === "agent" ? [step.agent] : [];
}
