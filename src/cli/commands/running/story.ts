// `pawl story`: what a person does with one story of a run.

import { type Command, Option } from "commander";
import { dropOneStory } from "../../../application/drop.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { type DropOptions, printDropped } from "../../output/dropped.ts";
import { example } from "../../output/example.ts";

export function define(program: Command, console: Console): void {
  const story = program.command("story").description(summaryOf("story"));

  story
    .command("drop")
    .description("end one story as failed, or as done without its work; the others continue")
    .argument("<run>", runArgument)
    .argument("<story>", "its id")
    .addOption(new Option("--as <end>", "how it counts").choices(["failed", "done"]).default("failed"))
    .option("--reason <text>", "why")
    .addHelpText("after", "\nIts agent is stopped. Its work stays on its branch, and is not integrated.")
    .addHelpText("after", example("pawl story drop 3 US-002", "pawl story drop 3 US-002 --as done --reason obsolete"))
    .action(async (reference: string, id: string, options: DropOptions) => {
      const { as, reason } = options;
      const dropped = await withApplication(options, (app) => dropOneStory(app, reference, id, { as, reason }));
      printDropped(console, dropped);
    });
}
