// `pawl demo`. Owns: showing the demo's run, and what it left.

import type { Command } from "commander";
import { demo } from "../../../application/setup/demo.ts";
import { summaryOf } from "../../catalogue.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { watchDrive } from "../../output/driving.ts";
import { example } from "../../output/example.ts";

export function define(program: Command, console: Console): void {
  program
    .command("demo")
    .description(summaryOf("demo"))
    .addHelpText("after", example("pawl demo"))
    .action(async (options: StoreOption) => {
      const onRepository = (repo: string) =>
        console.say(`A small project is in ${repo}. Agents will plan, implement and verify three stories in it.\n`);
      await withApplication(options, async (app) => {
        const drive = watchDrive(
          console,
          app,
          { events: false },
          async (watched) => await demo(app, { ...watched, onRepository }),
        );
        const { repo, branch, number, commits } = await drive;
        if (commits === null) return;
        console.say(`\n$ git -C ${repo} log --oneline ${branch}`);
        console.say(commits);
        console.say(`\nUS-002 was rejected once and fixed: pawl logs ${number} US-002/verify`);
        console.say('Now with your own agent: see "Your first run" in the README.');
      });
    });
}
