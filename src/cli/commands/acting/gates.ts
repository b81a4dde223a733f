// `pawl gates`. Owns: the open questions of all runs, with their options.

import type { Command } from "commander";
import { type AskedRun, gatesDocument, openGates } from "../../../application/gates/gates.ts";
import { firstLine } from "../../../application/references.ts";
import { namesOf, reasonsOf } from "../../../domain/gate.ts";
import type { GateOptions } from "../../../domain/route.ts";
import { asked } from "../../../transcript/event-line.ts";
import { summaryOf } from "../../catalogue.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { aboutQuestion } from "../../output/question.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("gates")
    .description(summaryOf("gates"))
    .addHelpText("after", example("pawl gates", "pawl answer GATE approve"))
    .action(async (options: StoreOption) => {
      const open = await withApplication(options, openGates);
      if (console.json) return console.document(gatesDocument(open));
      if (open.length === 0) return console.say("No question is open.");
      for (const [index, shown] of gatesDocument(open).gates.entries()) {
        const { run, gate } = open[index] as AskedRun;
        const choices = namesOf(gate.options).map((name) => withReasons(gate.options, name));
        const where = `run #${run.number} ${run.workflow}: ${firstLine(run.task)}`;
        const lines = [
          `${gate.id}  ${gate.story ? `${gate.story} ` : ""}${asked(gate)}`,
          `  ${where}`,
          ...aboutQuestion(shown, Date.now()),
          `  ${choices.join(" | ")}`,
        ];
        console.print(lines.join("\n"));
      }
    });
}

/** `reject (--reason unclear, too_large)` */
function withReasons(options: GateOptions, name: string): string {
  const reasons = reasonsOf(options, name);
  return reasons.length === 0 ? name : `${name} (--reason ${reasons.join(", ")})`;
}
