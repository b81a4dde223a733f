// `pawl store`: a backup of the store, a copy of it in another store, and a check.

import type { Command } from "commander";
import type { Application } from "../../../application/application.ts";
import { backUpStore } from "../../../application/stores/backup.ts";
import { checkStore } from "../../../application/stores/store-check.ts";
import { copyStore } from "../../../application/stores/store-copy.ts";
import type { StoreProgress } from "../../../application/stores/store-places.ts";
import type { StoreCheckDocument, StoreCopyDocument } from "../../../contracts/machine-documents.ts";
import { counted } from "../../../domain/counted.ts";
import { AppError, exitCodes } from "../../../domain/error.ts";
import { summaryOf } from "../../catalogue.ts";
import { assertNoPassword, type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { ShownStoreProgress } from "../../output/store-progress.ts";

export function define(program: Command, console: Console): void {
  const store = program.command("store").description(summaryOf("store"));
  store
    .command("backup")
    .description("copy the store into a new file, also while runs are driven")
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
  store
    .command("copy")
    .description(
      "copy a store with its whole history into a new one, of the same kind or another, and prove it by replay",
    )
    .argument("<from>", "the store to read: sqlite:PATH or postgres://…")
    .argument("<to>", "an empty store, or one that is not there yet: sqlite:PATH or postgres://…")
    .addHelpText(
      "after",
      `\nNothing may work on either store. FROM is not changed; TO has everything or nothing.\nLogs, trees and branches stay in the home. Put passwords into ~/.pgpass or into PAWL_STORE.\n${example(
        "pawl store copy sqlite:$HOME/.local/state/pawl/pawl.db postgres://ada@db.example.com/pawl",
        "pawl store copy postgres://ada@db.example.com/pawl sqlite:$HOME/pawl.db",
      )}`,
    )
    .action(async (from: string, to: string, { store: other }: StoreOption) => {
      for (const address of [from, to]) assertNoPassword("the address", address);
      if (other !== undefined) {
        throw new AppError("USAGE", "--store names a third store", { hint: "`pawl store copy FROM TO` takes two" });
      }
      const document = await withProgress(console, {}, (app, onProgress) => copyStore(app, { from, to, onProgress }));
      if (console.json) return console.document(document);
      console.print(document.to);
      console.say(copyInWords(document));
    });
  store
    .command("check")
    .description("replay every run of a store from its events, and say where its rows differ; exit code 1 if they do")
    .argument("[store]", "sqlite:PATH or postgres://…; without it, the store that commands use here")
    .addHelpText("after", example("pawl store check", "pawl store check sqlite:$HOME/pawl-2026-11-16.db"))
    .action(async (given: string | undefined, options: StoreOption) => {
      if (given !== undefined) assertNoPassword("the address", given);
      const document = await withProgress(console, options, (app, onProgress) =>
        checkStore(app, given ?? null, onProgress),
      );
      if (!document.ok) console.exitCode = exitCodes.failed;
      if (console.json) return console.document(document);
      console.print(checkInWords(document));
      if (!document.ok) console.say("hint: restore a backup; runs that are not named can still be used");
    });
}

async function withProgress<T>(
  console: Console,
  options: StoreOption,
  work: (app: Application, onProgress: (progress: StoreProgress) => void) => Promise<T>,
): Promise<T> {
  const progress = new ShownStoreProgress(console);
  try {
    return await withApplication(options, async (app) => await work(app, (each) => progress.show(each)));
  } finally {
    progress.close();
  }
}

function copyInWords({ from, to, runs, open, events, use }: StoreCopyDocument): string {
  const copied = `Copied ${counted(runs, "run")} (${open} open) with ${counted(events, "event")}. Every run was replayed from its events in both stores, and is the same. ${from} is unchanged.`;
  if (use === null) return `${copied}\nThis home uses ${to}.`;
  return `${copied}\nThis home still uses another store. To use the copy: \`${use}\`. Then use one of the two: both have the same runs and trees.`;
}

function checkInWords({ store, runs, events, problems }: StoreCheckDocument): string {
  const looked = `${store}: ${counted(runs, "run")}, ${counted(events, "event")}`;
  if (problems.length === 0) return `${looked}. Every run is what its events say.`;
  const lines = problems.map(
    ({ run, field, what }) => `  ${run === null ? "" : `run #${run.number} (${run.id}): `}${field}: ${what}`,
  );
  return [`${looked}. ${counted(problems.length, "problem")}:`, ...lines].join("\n");
}
