// `pawl signal`: wakes a step that waits for a signal.

import type { Command } from "commander";
import { continuationOf } from "../../../application/driving/continuation.ts";
import { sendSignal } from "../../../application/steering/signal.ts";
import { runId } from "../../../domain/ids.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { readInput } from "../../input/input.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("signal")
    .description(summaryOf("signal"))
    .argument("<run>", runArgument)
    .argument("<name>", "the name of the signal, from the workflow")
    .argument("[json]", "a JSON object with the keys that the step declares; - reads it from stdin")
    .option("--story <id>", "for a step of this story; without it, for the run's own chain")
    .addHelpText("after", "\nA signal that comes before its step is reached is kept, and used once.")
    .addHelpText("after", example(`pawl signal 3 deploy-done '{"url": "https://example.org"}'`))
    .action(
      async (
        reference: string,
        signal: string,
        json: string | undefined,
        options: { story?: string; store?: string },
      ) => {
        const given = { signal, json: json === undefined ? undefined : await readInput([json]), story: options.story };
        await withApplication(options, async (app) => {
          const sent = await sendSignal(app, reference, given);
          if (console.json) return console.document(sent);
          const { taken, number, status } = sent;
          const next = await continuationOf(app, { id: runId(sent.run), number, status });
          console.say(
            taken === null
              ? `No step waits for ${signal} yet. It is kept for the next one that does.`
              : `${taken} has the signal ${signal}. ${next}`.trimEnd(),
          );
        });
      },
    );
}
