// `pawl project approve`, `reject`, `note`, `retry`, `skip` and `abort`. Owns: printing what was decided and where the project stands.

import type { Command } from "commander";
import {
  abortAttempt,
  approveStory,
  type Decided,
  noteStory,
  rejectStory,
  retryStory,
} from "../../../application/agentic/answers.ts";
import { skipStep } from "../../../application/agentic/skip.ts";
import { noteOption } from "../../input/arguments.ts";
import { readInput } from "../../input/input.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { dirOption, type ProjectOptions } from "./options.ts";

interface Options extends ProjectOptions {
  readonly note?: string;
}

export function defineDeciding(project: Command, console: Console): void {
  project
    .command("approve")
    .description("approve what waits for your review, or answer what a session asked")
    .option(...dirOption)
    .option(...noteOption)
    .addHelpText("after", example('pawl project approve --note "30 seconds, others OK"'))
    .action(async (options: Options) => {
      print(console, await withApplication(options, async (app) => await approveStory(app, options)));
    });

  project
    .command("reject")
    .description("reject what waits for your review; its reason says which step comes next")
    .option(...dirOption)
    .requiredOption(
      "--reason <code>",
      "one that the report offers, such as constitution_violation; default: no special one",
    )
    .option(...noteOption)
    .addHelpText("after", example('pawl project reject --reason scope_warning --note "no coupons yet"'))
    .action(async (options: Options & { readonly reason: string }) => {
      print(console, await withApplication(options, async (app) => await rejectStory(app, options)));
    });

  project
    .command("note")
    .description("leave a note for the next prompt of the story at work, once")
    .argument("<text...>", "the note; `-` reads it from stdin")
    .option(...dirOption)
    .addHelpText("after", example('pawl project note "use the new API"'))
    .action(async (words: string[], options: Options) => {
      const text = await readInput(words);
      print(console, await withApplication(options, async (app) => await noteStory(app, { dir: options.dir, text })));
    });

  project
    .command("retry")
    .description("let a step that is stuck, late or stopped run again; the attempts of a stuck step are counted anew")
    .option(...dirOption)
    .addHelpText("after", example("pawl project retry"))
    .action(async (options: Options) => {
      print(console, await withApplication(options, async (app) => await retryStory(app, options)));
    });

  project
    .command("skip")
    .description("take the current step as passed, with a note in the log")
    .option(...dirOption)
    .option("--yes", "also a review that nobody has given")
    .addHelpText("after", example("pawl project skip"))
    .action(async (options: Options & { readonly yes?: boolean }) => {
      print(console, await withApplication(options, async (app) => await skipStep(app, options)));
    });

  project
    .command("abort")
    .description(
      "stop the running session, and the project waits for you; at a step that waits already: end the story as failed",
    )
    .option(...dirOption)
    .addHelpText("after", example("pawl project abort"))
    .action(async (options: Options) => {
      print(console, await withApplication(options, async (app) => await abortAttempt(app, options)));
    });
}

function print(console: Console, { done, view }: Decided): void {
  if (console.json) return console.document({ done, report: view.report });
  console.print(done);
  console.say(view.report);
}
