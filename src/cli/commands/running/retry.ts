// `pawl retry`. Owns: putting what failed back to `ready`, with new limits.

import type { Command } from "commander";
import { retry } from "../../../application/steer.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("retry")
    .description(summaryOf("retry"))
    .argument("<run>", runArgument)
    .option("--story <id>", "only this story")
    .option("--step <name>", "only this step")
    .addHelpText("after", example("pawl retry 3 --story US-002", "pawl resume 3"))
    .action(async (reference: string, options: { store?: string; story?: string; step?: string }) => {
      const { story, step } = options;
      const run = await withApplication(options, async (app) => await retry(app, reference, { story, step }));
      if (console.json) console.document({ run });
      else console.say(`What failed is ready again. \`pawl resume ${run.number}\` continues the run.`);
    });
}
