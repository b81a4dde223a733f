// `pawl approve` and `pawl reject`. Owns: the two words for a gate's first and last option.

import type { Command } from "commander";
import { namesOf } from "../../domain/gate.ts";
import { answer, onlyGate } from "../answering.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { withSession } from "../session.ts";

export function define(parent: Command, console: Console): void {
  const word = (name: string, description: string, choose: (options: readonly string[]) => string | undefined) =>
    parent
      .command(name)
      .description(description)
      .argument("<run>", "its id, a prefix of it, or its number")
      .option("--note <text>", "goes into the next prompt", "")
      .option("--reason <code>", "why, in one word, where the gate has routes for reasons")
      .addHelpText("after", example(`pawl ${name} 3 --note "because …"`))
      .action(async (reference: string, options: { note: string; reason?: string; store?: string }) => {
        await withSession({ store: options.store }, async ({ parts }) => {
          const open = await onlyGate(parts, reference);
          const option = choose(namesOf(open.gate.options)) ?? "";
          await answer(console, parts, open, { option, note: options.note, reason: options.reason });
        });
      });
  word("approve", "say yes at the only open gate of a run: its first option", (options) => options.at(0));
  word("reject", "say no at the only open gate of a run: its last option", (options) => options.at(-1));
}
