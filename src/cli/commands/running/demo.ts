// `pawl demo`. Owns: showing the demo's run, also in the page, and what it left.

import type { Command } from "commander";
import type { Application } from "../../../application/application.ts";
import { pagePath } from "../../../application/looking/page-path.ts";
import { demo } from "../../../application/setup/demo.ts";
import { errorText } from "../../../domain/error.ts";
import { summaryOf } from "../../catalogue.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { watchDrive } from "../../output/driving.ts";
import { example } from "../../output/example.ts";
import { sayHow, serviceForPage, showPage } from "../../output/shown-page.ts";

interface DemoOptions extends StoreOption {
  readonly open?: boolean;
}

export function define(program: Command, console: Console): void {
  program
    .command("demo")
    .description(summaryOf("demo"))
    .option("--open", "show it in the page while it runs, in a browser that is signed in")
    .addHelpText("after", example("pawl demo", "pawl demo --open"))
    .action(async ({ open, ...options }: DemoOptions) => {
      const onRepository = (repo: string) =>
        console.say(`A small project is in ${repo}. Agents will plan, implement and verify three stories in it.\n`);
      await withApplication(options, async (app) => {
        const show = open ? await pageOf(console, app) : async () => undefined;
        const shown: Promise<void>[] = [];
        const announce = (run: { readonly number: number }) => void shown.push(show(run.number));
        const drive = watchDrive(
          console,
          app,
          { events: false, announce },
          async (watched) => await demo(app, { ...watched, onRepository }),
        );
        const { repo, branch, number, commits } = await drive;
        await Promise.all(shown);
        if (commits === null) return;
        console.say(`\n$ git -C ${repo} log --oneline ${branch}`);
        console.say(commits);
        console.say(`\nUS-002 was rejected once and fixed: pawl logs ${number} US-002/verify`);
        if (!open) console.say(`In a browser, at any moment of the run: pawl open ${number}`);
        console.say('Now with your own agent: see "Your first run" in the README.');
      });
    });
}

/** The service is there before the run begins. A browser that cannot be opened then stops no run. */
async function pageOf(console: Console, app: Application): Promise<(run: number) => Promise<void>> {
  const service = await serviceForPage(console, app);
  return async (run) => {
    try {
      const path = await pagePath(app, String(run));
      const document = await showPage(console, app, { service, path, isPrinted: false });
      if (!document.opened) console.say(document.url);
      sayHow(console, document);
    } catch (error) {
      console.note(`the page was not opened: ${errorText(error)}`);
    }
  };
}
