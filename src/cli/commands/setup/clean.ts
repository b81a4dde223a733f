// `pawl clean`: removes what runs that are over have left, with a preview.

import type { Command } from "commander";
import { clean } from "../../../application/clean.ts";
import { counted } from "../../../domain/counted.ts";
import { summaryOf } from "../../catalogue.ts";
import { ageOf } from "../../input/age.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

interface CleanOptions extends StoreOption {
  readonly older: string;
  readonly dryRun?: boolean;
}

export function define(program: Command, console: Console): void {
  program
    .command("clean")
    .description(summaryOf("clean"))
    .option("--older <age>", "only runs that ended longer ago: 12h, 30d", "30d")
    .option("--dry-run", "show what would go, and change nothing")
    .addHelpText("after", example("pawl clean --dry-run", "pawl clean --older 7d"))
    .action(async ({ older, dryRun = false, ...options }: CleanOptions) => {
      const olderMs = ageOf(older);
      const document = await withApplication(options, (app) => clean(app, { olderMs, dryRun }));
      if (console.json) return console.document(document);
      for (const { number, status, removed, kept } of document.runs) {
        console.print(`#${number} ${status}`);
        for (const what of removed) console.print(`  ${dryRun ? "would go" : "removed"}: ${what}`);
        for (const what of kept) console.print(`  stays: ${what}`);
      }
      const runs = counted(document.runs.length, "run");
      console.say(dryRun ? `Preview only; nothing was changed. It is about ${runs}.` : `Cleaned up after ${runs}.`);
    });
}
