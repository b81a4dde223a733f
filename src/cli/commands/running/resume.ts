// `pawl resume`. Owns: continuing a run, whatever stopped it: a pause, a crash, Ctrl-C, an answered gate.

import type { Command } from "commander";
import { resume } from "../../../application/driving/drive.ts";
import { summaryOf } from "../../catalogue.ts";
import { eventsOption, foregroundOption, runArgument, trustOption } from "../../input/arguments.ts";
import { readCount } from "../../input/run-options.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { watchDrive } from "../../output/driving.ts";
import { example } from "../../output/example.ts";

interface ResumeOptions {
  readonly trust?: boolean;
  readonly events?: boolean;
  readonly concurrency?: string;
  readonly executor?: string;
  readonly foreground?: boolean;
  readonly store?: string;
}

export function define(parent: Command, console: Console): void {
  parent
    .command("resume")
    .description(summaryOf("resume"))
    .argument("<run>", runArgument)
    .option(...trustOption)
    .option(...eventsOption)
    .option(...foregroundOption)
    .option("--concurrency <n>", "attempts at once")
    .option("--executor <name>", "who performs the steps of all agents from here on: a name, or 'command: PROGRAM'")
    .addHelpText("after", example("pawl resume 3", "pawl resume 3 --executor codex"))
    .action(async (reference: string, options: ResumeOptions) => {
      const concurrency = readCount(options.concurrency);
      const events = options.events ?? false;
      const { executor } = options;
      const mayHandOver = options.foreground !== true;
      await withApplication(options, async (app) => {
        await watchDrive(
          console,
          app,
          { events },
          async (watched) => await resume(app, reference, { ...watched, concurrency, executor, mayHandOver }),
        );
      });
    });
}
