// `pawl gates`. Owns: the open questions of all runs.

import type { Command } from "commander";
import { namesOf, reasonsOf } from "../../domain/gate.ts";
import type { GateOptions } from "../../domain/route.ts";
import { isoTime } from "../../runtime/views/status.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { asked } from "../lines.ts";
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
              options: namesOf(gate.options),
              status: gate.state.status,
              openedAt: isoTime(gate.openedAt),
              deadline: gate.deadline && { at: isoTime(gate.deadline.at), option: gate.deadline.option },
            })),
          });
        }
        if (open.length === 0) return console.say("No question is open.");
        for (const { gate } of open) {
          console.print(
            `${gate.id}  ${gate.story ? `${gate.story} ` : ""}${asked(gate)}\n  ${namesOf(gate.options)
              .map((name) => withReasons(gate.options, name))
              .join(" | ")}`,
          );
        }
      });
    });
}

/** `reject (--reason unclear, too_large)` */
function withReasons(options: GateOptions, name: string): string {
  const reasons = reasonsOf(options, name);
  return reasons.length === 0 ? name : `${name} (--reason ${reasons.join(", ")})`;
}
