// `pawl approve` and `pawl reject`. Owns: the two words for a gate's first and last option.

import type { Command } from "commander";
import { approve, reject } from "../../../application/gates/gates.ts";
import { summaryOf } from "../../catalogue.ts";
import { noteOption, reasonOption, runArgument } from "../../input/arguments.ts";
import { withApplication } from "../../opened.ts";
import { printAnswered } from "../../output/answered.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(parent: Command, console: Console): void {
  defineVerdict(parent, console, "approve", approve);
  defineVerdict(parent, console, "reject", reject);
}

function defineVerdict(parent: Command, console: Console, name: string, decide: typeof approve): void {
  parent
    .command(name)
    .description(summaryOf(name))
    .argument("<run>", runArgument)
    .option(...noteOption)
    .option(...reasonOption)
    .addHelpText("after", example(`pawl ${name} 3 --note "because …"`))
    .action(async (reference: string, options: { note?: string; reason?: string; store?: string }) => {
      const { note, reason } = options;
      const given = { note, reason };
      await withApplication(options, async (app) => {
        await printAnswered(console, app, await decide(app, reference, given));
      });
    });
}
