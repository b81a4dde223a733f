// `pawl pause`. Owns: letting running attempts end and starting nothing new.

import type { Command } from "commander";
import { pause } from "../../../application/steering/steer.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("pause")
    .description(summaryOf("pause"))
    .argument("<run>", runArgument)
    .addHelpText("after", example("pawl pause 3", "pawl resume 3"))
    .action(async (reference: string, options: StoreOption) => {
      const run = await withApplication(options, async (app) => await pause(app, reference));
      if (console.json) console.document({ run });
      else console.say(`Run #${run.number} is paused. \`pawl resume ${run.number}\` continues it.`);
    });
}
