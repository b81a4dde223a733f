// `pawl note`: leaves words for the next attempt of a run or a story, or tells the agent that is at work.

import type { Command } from "commander";
import { noteNow } from "../../../application/steering/note-now.ts";
import { noteTo } from "../../../application/steering/notes.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

interface NoteOptions {
  readonly story?: string;
  readonly now?: boolean;
  readonly store?: string;
}

export function define(parent: Command, console: Console): void {
  parent
    .command("note")
    .description(summaryOf("note"))
    .argument("<run>", runArgument)
    .argument("<text...>", "what the agent should know")
    .option("--story <id>", "only for the next attempt of this story; without it, of the whole run")
    .option("--now", "tell the agent that is at work, if its protocol allows that; otherwise the note is refused")
    .addHelpText("after", "\nThe note stays until an attempt that had it completes: a lost attempt does not lose it.")
    .addHelpText(
      "after",
      example('pawl note 3 "use the new API"', 'pawl note 3 --story US-002 "the table has an index already"'),
    )
    .action(async (reference: string, words: readonly string[], options: NoteOptions) => {
      const { story, now } = options;
      const text = words.join(" ");
      if (now === true) {
        const { isTold, ...told } = await withApplication(
          options,
          async (app) => await noteNow(app, reference, { text, story }),
        );
        if (console.json) return console.document(told);
        return console.say(
          isTold
            ? `The agent at work in run #${told.number} has the note.`
            : "The attempt ended before its agent could be told. The next attempt gets the note.",
        );
      }
      const added = await withApplication(options, async (app) => await noteTo(app, reference, { text, story }));
      if (console.json) return console.document(added);
      const where = story === undefined ? `run #${added.number}` : story;
      console.say(`The next attempt of ${where} gets the note.`);
    });
}
