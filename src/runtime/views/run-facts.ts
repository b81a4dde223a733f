// Facts beside a run for the sentence that says why it does not move: dead drivers, and accounts that hit their quota.

import { type Run, scopeOf } from "../../domain/run.ts";
import { definitionOf } from "../../engine/definitions.ts";
import type { Known } from "../../engine/why.ts";
import { localTime } from "../../system/local-time.ts";
import { choose } from "../attempt/claim/executor-choice.ts";
import type { Executors, Parts } from "../parts.ts";
import { driversOf, findOrphans } from "../worker.ts";
import { moneyCapGap } from "./money-cap.ts";

/** `executors`: as the run's own repository configures them. */
export async function knownOf(
  parts: Pick<Parts, "store" | "dispatch" | "clock">,
  { run, number }: { readonly run: Run; readonly number: number },
  executors: Executors,
): Promise<Known> {
  const now = parts.clock.now();
  const holds = await parts.store.holds();
  return {
    orphans: await findOrphans(parts),
    number,
    isDriven: (await driversOf(parts)).has(run.header.id),
    caveats: run.header.end === null ? [moneyCapGap(run.header, executors) ?? []].flat() : [],
    localTime: (at) => localTime(at, now),
    waitsFor(story, step) {
      if (scopeOf(run, story) === null) return null;
      const definition = definitionOf(run, story, step.name);
      if (definition.kind !== "agent") return null;
      const chosen = choose(executors, executors.namesFor(run.header, definition.agent), holds, now);
      if (chosen.kind === "none")
        return `an executor: none is configured for the agent "${definition.agent}" (\`pawl resume ${number} --executor NAME\`, or an agent that pulls)`;
      return chosen.kind === "held" ? chosen.why : null;
    },
  };
}
