// `pawl retry`. Owns: putting what failed back to `ready`, with new limits.

import type { Command } from "commander";
import { continuationOf } from "../../../application/driving/continuation.ts";
import { retry } from "../../../application/steering/steer.ts";
import { runId } from "../../../domain/ids.ts";
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
      await withApplication(options, async (app) => {
        const run = await retry(app, reference, { story, step });
        if (console.json) return console.document({ run });
        console.say(
          `What failed is ready again. ${await continuationOf(app, { ...run, id: runId(run.id) })}`.trimEnd(),
        );
      });
    });
}
