// `pawl answer`. Owns: answering one gate by its id.

import type { Command } from "commander";
import { answer } from "../../../application/gates/gates.ts";
import { summaryOf } from "../../catalogue.ts";
import { noteOption, reasonOption } from "../../input/arguments.ts";
import { withApplication } from "../../opened.ts";
import { printAnswered } from "../../output/answered.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("answer")
    .description(summaryOf("answer"))
    .argument("<gate>", "its id, from `pawl gates`")
    .argument("<option>", "one of its options")
    .option(...noteOption)
    .option(...reasonOption)
    .addHelpText("after", example('pawl answer kx81.1 continue --note "look at the cache"'))
    .action(async (gate: string, option: string, options: { note?: string; reason?: string; store?: string }) => {
      const { note, reason } = options;
      const given = { option, note, reason };
      await withApplication(options, async (app) => {
        await printAnswered(console, app, await answer(app, gate, given));
      });
    });
}
