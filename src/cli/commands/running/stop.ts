// `pawl stop`. Owns: stopping one attempt of a run that continues.

import type { Command } from "commander";
import { stopRunningAttempt } from "../../../application/steering/stop-attempt.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

interface StopOptions {
  readonly story?: string;
  readonly reason?: string;
  readonly store?: string;
}

export function define(parent: Command, console: Console): void {
  parent
    .command("stop")
    .description(summaryOf("stop"))
    .argument("<run>", runArgument)
    .argument("[step]", "the step, where several attempts are at work")
    .option("--story <id>", "the story, where several attempts are at work")
    .option("--reason <text>", "why")
    .addHelpText("after", "\n`pawl cancel` ends the whole run.")
    .addHelpText("after", example("pawl stop 3", "pawl stop 3 implement --story US-002"))
    .action(async (reference: string, step: string | undefined, options: StopOptions) => {
      const { story, reason } = options;
      const stopped = await withApplication(
        options,
        async (app) => await stopRunningAttempt(app, reference, { story, step, reason }),
      );
      if (console.json) return console.document(stopped);
      const what = `${stopped.story === null ? "" : `${stopped.story} `}${stopped.step} (attempt ${stopped.attempt})`;
      console.say(
        `${what} ${stopped.ended ? "has ended" : "is being stopped"}. The step then waits: \`pawl approve ${stopped.number}\` starts it again.`,
      );
    });
}
