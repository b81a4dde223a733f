// The command `trust`: shows what a repository wants to run, and agrees to it.

import type { Command } from "commander";
import { trust } from "../../../application/setup/trust.ts";
import { summaryOf } from "../../catalogue.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

interface TrustOptions extends StoreOption {
  readonly print?: boolean;
  readonly revoke?: boolean;
}

export function define(parent: Command, console: Console): void {
  parent
    .command("trust")
    .description(summaryOf("trust"))
    .argument("[dir]", "the git repository", ".")
    .option("--print", "only show the commands")
    .option("--revoke", "take the agreement back")
    .addHelpText("after", example("pawl trust", "pawl trust --print ~/src/theirs", "pawl trust --revoke"))
    .action(async (repo: string, options: TrustOptions) => {
      const act = options.revoke ? "revoke" : options.print ? "look" : "agree";
      const document = await withApplication(options, async (app) => await trust(app, { repo, act }));
      if (console.json) return console.document(document);
      const { commands, trusted } = document;
      for (const { key, command } of commands) console.print(`${key}: ${command}`);
      if (commands.length === 0) console.say(`${document.repo} has no commands of its own.`);
      else
        console.say(
          trusted
            ? `You agree to these commands of ${document.repo}.`
            : `These commands of ${document.repo} are not run.`,
        );
    });
}
