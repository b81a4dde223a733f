// `pawl revert`. Owns: taking one integrated story back.

import type { Command } from "commander";
import { revert } from "../../../application/steering/revert.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("revert")
    .description(summaryOf("revert"))
    .argument("<run>", runArgument)
    .argument("<story>", "its id")
    .option("--yes", "also if other stories depend on it")
    .addHelpText("after", "\nThe branch gets a new commit, and the story no longer passes. Nothing is rewritten.")
    .addHelpText("after", example("pawl revert 3 US-002", "pawl revert 3 US-002 --yes"))
    .action(async (reference: string, story: string, options: StoreOption & { yes?: true }) => {
      const document = await withApplication(options, (app) => revert(app, reference, story, { yes: options.yes }));
      if (console.json) return console.document(document);
      const { commit, by, on, notes } = document;
      console.say(`${story} is taken back: ${by.slice(0, 12)} on ${on} reverts ${commit.slice(0, 12)}`);
      for (const note of notes) console.note(note);
    });
}
