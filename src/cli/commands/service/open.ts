// `pawl open`. Owns: showing the page in a browser that is signed in, at its home, a run or a gate.

import type { Command } from "commander";
import { pagePath } from "../../../application/looking/page-path.ts";
import { replaceOlder } from "../../../service/upgrade.ts";
import { summaryOf } from "../../catalogue.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { sayHow, serviceForPage, showPage } from "../../output/shown-page.ts";

interface OpenOptions extends StoreOption {
  readonly print?: boolean;
}

export function define(program: Command, console: Console): void {
  program
    .command("open")
    .description(summaryOf("open"))
    .argument("[run-or-gate]", "a run by number or id, or a gate by id; without it, the home of the page")
    .option("--print", "start no browser: print an address that signs in once, for another machine")
    .addHelpText("after", example("pawl open", "pawl open 3", "pawl open --print"))
    .action(async (reference: string | undefined, { print, ...options }: OpenOptions) => {
      await withApplication(options, async (app) => {
        const path = await pagePath(app, reference);
        const older = replaceOlder(app);
        if (older !== null) console.note(older);
        const service = await serviceForPage(console, app);
        const document = await showPage(console, app, { service, path, isPrinted: print ?? false });
        if (console.json) return console.document(document);
        if (!document.opened) console.print(document.url);
        sayHow(console, document);
      });
    });
}
