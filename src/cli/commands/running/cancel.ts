// `pawl cancel`, antfarm's `workflow stop`. Owns: ending a run for good, its processes included.

import type { Command } from "commander";
import { cancel } from "../../../application/steering/steer.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(parent: Command, console: Console): void {
  defineCancel(parent, console, "cancel");
}

export function defineCancel(parent: Command, console: Console, name: "cancel" | "stop"): void {
  parent
    .command(name)
    .description(summaryOf("cancel"))
    .argument("<run>", runArgument)
    .option("--reason <text>", "why", "cancelled by the user")
    .addHelpText("after", example(name === "cancel" ? "pawl cancel 3" : "pawl workflow stop 3"))
    .action(async (reference: string, options: { store?: string; reason: string }) => {
      const { reason } = options;
      const run = await withApplication(options, async (app) => await cancel(app, reference, { reason }));
      if (console.json) console.document({ run });
      else console.say(`Run #${run.number} is cancelled. What it has committed is on its branch.`);
    });
}
