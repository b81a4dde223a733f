// `pawl story`: what a person does with one story of a run: add, change, move, skip or drop it.

import { type Command, Option } from "commander";
import { readText } from "../../../application/files.ts";
import { dropOneStory } from "../../../application/steering/drop.ts";
import { addStoriesTo, editStory, type MoveTo, moveStory } from "../../../application/steering/story-plan.ts";
import type { StoryPlan } from "../../../contracts/run-documents.ts";
import { AppError } from "../../../domain/error.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { collect } from "../../input/run-options.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { type DropOptions, printDropped } from "../../output/dropped.ts";
import { example } from "../../output/example.ts";

export function define(program: Command, console: Console): void {
  const story = program.command("story").description(summaryOf("story"));

  story
    .command("drop")
    .description("end one story as failed, or as done without its work; the others continue")
    .argument("<run>", runArgument)
    .argument("<story>", "its id")
    .addOption(new Option("--as <end>", "how it counts").choices(["failed", "done"]).default("failed"))
    .option("--reason <text>", "why")
    .addHelpText("after", "\nIts agent is stopped. Its work stays on its branch, and is not integrated.")
    .addHelpText("after", example("pawl story drop 3 US-002", "pawl story drop 3 US-002 --as done --reason obsolete"))
    .action(async (reference: string, id: string, options: DropOptions) => {
      const { as, reason } = options;
      await withApplication(options, async (app) => {
        await printDropped(console, app, await dropOneStory(app, reference, id, { as, reason }));
      });
    });

  defineAdd(story, console);
  defineEdit(story, console);
  defineMove(story, console);

  story
    .command("skip")
    .description("leave out a story that has not started; what depends on it starts without it")
    .argument("<run>", runArgument)
    .argument("<story>", "its id")
    .option("--reason <text>", "why")
    .addHelpText("after", example("pawl story skip 3 US-004", "pawl story skip 3 US-004 --reason 'not this month'"))
    .action(async (reference: string, id: string, options: DropOptions) => {
      const request = { as: "done", reason: options.reason, onlyUnbegun: true } as const;
      const skipped = await withApplication(options, (app) => dropOneStory(app, reference, id, request));
      if (console.json) return console.document(skipped);
      console.say(`${id} is left out; what depends on it starts without it`);
    });
}

interface Words extends StoreOption {
  readonly title?: string;
  readonly description?: string;
  readonly file?: string;
  readonly criteria?: readonly string[];
}

function defineAdd(story: Command, console: Console): void {
  story
    .command("add")
    .description("add a story to a run that lasts")
    .argument("<run>", runArgument)
    .requiredOption("--id <story>", "its id")
    .requiredOption("--title <text>", "its title")
    .option("--description <text>", "what it is about")
    .option("--file <file>", "a file with its description")
    .option("--criteria <text>", "an acceptance criterion; can be given several times", collect)
    .option("--after <story>", "it starts when this story is done; can be given several times", collect)
    .option("--priority <number>", "the lowest starts first", priorityOf)
    .addHelpText("after", example("pawl story add 3 --id US-009 --title 'Add a search field' --after US-002"))
    .action(
      async (
        reference: string,
        options: Words & { id: string; title: string; after?: readonly string[]; priority?: number },
      ) => {
        const plan = await withApplication(options, (app) => {
          const { id, title, criteria, after, priority } = options;
          const description = descriptionOf(options, (file) => app.path(file));
          return addStoriesTo(app, reference, [{ id, title, description, criteria, after, priority }]);
        });
        printPlan(console, plan, `${options.id} is added`);
      },
    );
}

function defineEdit(story: Command, console: Console): void {
  story
    .command("edit")
    .description("change the words of a story that has not started")
    .argument("<run>", runArgument)
    .argument("<story>", "its id")
    .option("--title <text>", "another title")
    .option("--description <text>", "another description")
    .option("--file <file>", "a file with another description")
    .option(
      "--criteria <text>",
      "an acceptance criterion, instead of all that it has; can be given several times",
      collect,
    )
    .addHelpText("after", example("pawl story edit 3 US-004 --title 'Sort by date' --criteria 'newest first'"))
    .action(async (reference: string, id: string, options: Words) => {
      const plan = await withApplication(options, (app) => {
        const { title, criteria } = options;
        const description = descriptionOf(options, (file) => app.path(file));
        const words = { ...(title === undefined ? {} : { title }), description, criteria };
        return editStory(app, reference, id, words);
      });
      printPlan(console, plan, `${id} has other words`);
    });
}

function defineMove(story: Command, console: Console): void {
  story
    .command("move")
    .description("let a story that has not started start earlier or later")
    .argument("<run>", runArgument)
    .argument("<story>", "its id")
    .option("--first", "before all others that have not started")
    .option("--before <other>", "before this story")
    .option("--after <other>", "after this story")
    .addHelpText("after", example("pawl story move 3 US-004 --first", "pawl story move 3 US-004 --after US-006"))
    .action(
      async (
        reference: string,
        id: string,
        options: StoreOption & { first?: true; before?: string; after?: string },
      ) => {
        const plan = await withApplication(options, (app) => moveStory(app, reference, id, targetOf(options)));
        printPlan(console, plan, plan.changed.length === 0 ? `${id} is there already` : `${id} is moved`);
      },
    );
}

function targetOf({ first, before, after }: { first?: true; before?: string; after?: string }): MoveTo {
  const targets = [
    ...(first ? [{ first }] : []),
    ...(before === undefined ? [] : [{ before }]),
    ...(after === undefined ? [] : [{ after }]),
  ];
  const [target] = targets;
  if (target !== undefined && targets.length === 1) return target;
  throw new AppError("USAGE", "say where to: one of --first, --before and --after", {
    hint: "`pawl story move --help` shows how it is called",
  });
}

/** An empty text is no 0. */
function priorityOf(text: string): number {
  return text.trim() === "" ? Number.NaN : Number(text);
}

function descriptionOf({ description, file }: Words, path: (file: string) => string): string | undefined {
  if (description !== undefined && file !== undefined) {
    throw new AppError("USAGE", "both --description and --file were given; nothing was changed", {
      hint: "use one of them",
    });
  }
  return file === undefined ? description : readText(file, path(file));
}

function printPlan(console: Console, plan: StoryPlan, said: string): void {
  if (console.json) return console.document(plan);
  console.say(`${said}. Not started, in this order: ${plan.order.join(", ") || "none"}`);
}
