// `pawl waits`. Owns: before which steps a living run asks a person.

import type { Command } from "commander";
import { status } from "../../../application/looking/status.ts";
import { setWaits } from "../../../application/steering/steer.ts";
import { waitsWords } from "../../../transcript/event-line.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { readWaits } from "../../input/waits-level.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("waits")
    .description(summaryOf("waits"))
    .argument("<run>", runArgument)
    .argument("[level]", "all, marked or none; without it, the level is shown")
    .addHelpText("after", example("pawl waits 3 all", "pawl waits 3 none"))
    .action(async (reference: string, written: string | undefined, options: StoreOption) => {
      const level = readWaits(written);
      await withApplication(options, async (app) => {
        if (level !== undefined) await setWaits(app, reference, level);
        const { document } = await status(app, reference);
        if (console.json) return console.document(document);
        console.say(`Run #${document.run.number} asks before ${waitsWords[document.waits]}.`);
      });
    });
}
