// `pawl stories` and `pawl step stories`. Owns: the stories of a run, one line each.

import type { Command } from "commander";
import { stories } from "../../../application/looking/status.ts";
import type { StoryDocument } from "../../../contracts/run-documents.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("stories")
    .description(summaryOf("stories"))
    .argument("<run>", runArgument)
    .addHelpText("after", example("pawl stories 3"))
    .action(async (reference: string, options: StoreOption) => {
      const found = await withApplication(options, async (app) => await stories(app, reference));
      if (console.json) return console.document({ stories: found });
      if (found.length === 0) return console.say("This run has no stories yet.");
      console.print(storyLines(found));
    });
}

/** `US-001 [done]    Add status field to database`; a story that was sent back says how often. */
function storyLines(found: readonly StoryDocument[]): string {
  const idWidth = Math.max(...found.map((story) => story.id.length));
  const width = Math.max(...found.map((story) => story.status.length)) + 2;
  return found
    .map((story) => {
      const retries =
        story.attempts > 1 ? ` (${story.attempts - 1} ${story.attempts === 2 ? "retry" : "retries"})` : "";
      const back = story.reverted === undefined ? "" : ` (taken back by ${story.reverted.slice(0, 12)})`;
      const out = story.leftOut ? " (left out by a person)" : "";
      return `${story.id.padEnd(idWidth)} ${`[${story.status}]`.padEnd(width)} ${story.title}${retries}${back}${out}`;
    })
    .join("\n");
}
