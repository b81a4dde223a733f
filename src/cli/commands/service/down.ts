// `pawl down`. Owns: stopping the service of this home, and waiting until it has ended.

import type { Command } from "commander";
import { stopService } from "../../../service/stop.ts";
import { summaryOf } from "../../catalogue.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(program: Command, console: Console): void {
  program
    .command("down")
    .description(summaryOf("down"))
    .addHelpText("after", example("pawl down"))
    .action(async (options: StoreOption) => {
      const document = await withApplication(options, stopService);
      if (console.json) return console.document(document);
      console.say(
        document.stopped
          ? "The service has ended. `pawl up` starts it again, `pawl resume RUN` drives one run."
          : "No service of this home runs.",
      );
    });
}
