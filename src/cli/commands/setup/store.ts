// `pawl store`: a backup of the store.

import type { Command } from "commander";
import { backUpStore } from "../../../application/backup.ts";
import { counted } from "../../../domain/counted.ts";
import { summaryOf } from "../../catalogue.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(program: Command, console: Console): void {
  const store = program.command("store").description(summaryOf("store"));
  store
    .command("backup")
    .description(summaryOf("store"))
    .argument("<file>", "the new file; one that exists is not replaced")
    .addHelpText(
      "after",
      `\nThe copy has all runs, answers and events. Logs, trees and branches are not in it.\nA copy is a store: --store sqlite:FILE uses it.\n${example(
        "pawl store backup ~/pawl-2026-11-16.db",
        "pawl runs --store sqlite:$HOME/pawl-2026-11-16.db",
      )}`,
    )
    .action(async (file: string, options: StoreOption) => {
      const document = await withApplication(options, (app) => backUpStore(app, file));
      if (console.json) return console.document(document);
      console.print(document.file);
      console.say(
        `The backup has ${counted(document.runs, "run")}, in ${counted(document.bytes, "byte")}. \`pawl runs --store sqlite:${document.file}\` lists them.`,
      );
    });
}
