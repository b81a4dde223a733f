// `pawl gates`. Owns: the open questions of all runs.

import type { Command } from "commander";
import { isoTime } from "../../runtime/status.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { withSession } from "../session.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("gates")
    .description("open questions, the oldest first")
    .addHelpText("after", example("pawl gates", "pawl answer GATE approve"))
    .action(async (options: { store?: string }) => {
      await withSession({ store: options.store }, async ({ parts }) => {
        const open = await parts.store.openGates(null);
        if (console.json) {
          return console.document({
            gates: open.map(({ run, gate }) => ({
              id: gate.id,
              run,
              step: gate.step,
              story: gate.story,
              question: gate.question,
              options: Object.keys(gate.options),
              status: gate.state.status,
              openedAt: isoTime(gate.openedAt),
            })),
          });
        }
        if (open.length === 0) return console.say("No question is open.");
        for (const { gate } of open) {
          console.print(
            `${gate.id}  ${gate.story ? `${gate.story} ` : ""}${gate.step}: ${gate.question}\n  ${Object.keys(gate.options).join(" | ")}`,
          );
        }
      });
    });
}
