// `pawl watch`. Owns: all runs on one screen until a person leaves it; without a terminal, the same once as text.

import type { Command } from "commander";
import { Watched } from "../../../application/looking/watch.ts";
import { exitCodes } from "../../../domain/error.ts";
import { summaryOf } from "../../catalogue.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { overviewLines } from "../../watch/overview.ts";
import { WatchLoop } from "../../watch/watch-loop.ts";

/** Of a line for a file or a pipe. */
const textColumns = 120;

export function define(parent: Command, console: Console): void {
  parent
    .command("watch")
    .description(`${summaryOf("watch")}; without a terminal, once as text`)
    .addHelpText("after", example("pawl watch", "pawl watch --json", "pawl watch | cat"))
    .action(async (options: StoreOption) => {
      await withApplication(options, async (app) => {
        const isScreen = process.stdin.isTTY && process.stdout.isTTY && process.env["TERM"] !== "dumb";
        if (isScreen && !console.json) {
          const end = await new WatchLoop(app, console).run();
          if (end === "ended") console.exitCode = exitCodes.interrupted;
          return;
        }
        const watched = new Watched(app);
        await watched.refresh();
        const document = watched.look(Date.now());
        if (console.json) return console.document(document);
        for (const { text } of overviewLines(document, textColumns)) console.print(text.trimEnd());
      });
    });
}
