// `pawl why`. Owns: one sentence.

import type { Command } from "commander";
import { why } from "../../engine/why.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { knownHere } from "../knowing.ts";
import { findRunOrNewest } from "../reference.ts";
import { withSession } from "../session.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("why")
    .description("one sentence: what a run is doing, or what it waits for and what would move it")
    .argument("[run]", "its id, a prefix of it, or its number; the newest without it")
    .addHelpText("after", example("pawl why 3"))
    .action(async (reference: string | undefined, options: { store?: string }) => {
      await withSession({ store: options.store }, async ({ parts }) => {
        const summary = await findRunOrNewest(parts.store, reference);
        const run = await parts.store.wholeRun(summary.id);
        const sentence = run ? why(run, parts.clock.now(), await knownHere(parts, run)) : "";
        if (console.json) console.document({ run: summary.id, status: summary.status, why: sentence });
        else console.print(sentence);
      });
    });
}
