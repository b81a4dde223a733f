// What is known beside a run. Owns: the facts for the sentence that says why it does not move: drivers that are dead, accounts
// that are used up.

import { type Run, scopeOf } from "../domain/run.ts";
import { definitionOf } from "../engine/definitions.ts";
import type { Known } from "../engine/why.ts";
import { choose } from "./accounts.ts";
import type { Parts } from "./parts.ts";
import { findOrphans } from "./recover.ts";

export async function knownOf(parts: Parts, run: Run): Promise<Known> {
  const now = parts.clock.now();
  const holds = await parts.store.transaction((tx) => tx.holds());
  return {
    orphans: await findOrphans(parts),
    waitsFor(story, step) {
      if (scopeOf(run, story) === null) return null;
      const definition = definitionOf(run, story, step.name);
      if (definition.kind !== "agent") return null;
      const names = parts.executors.namesFor(run.header, definition.agent);
      const chosen = choose(parts.executors, names, holds, now);
      return chosen.kind === "held" ? chosen.why : null;
    },
  };
}
