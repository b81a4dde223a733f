// `pawl stories` and `pawl step stories`. Owns: the stories of a run, one line each.

import type { Command } from "commander";
import type { StatusDocument } from "../../contracts/run-documents.ts";
import { statusDocument } from "../../runtime/views/status.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { findRun } from "../reference.ts";
import { withSession } from "../session.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("stories")
    .description("the stories of a run, in order")
    .argument("<run>", "its id, a prefix of it, or its number")
    .addHelpText("after", example("pawl stories 3"))
    .action(async (reference: string, options: { store?: string }) => {
      await withSession({ store: options.store }, async ({ parts }) => {
        const summary = await findRun(parts.store, reference);
        const run = await parts.store.wholeRun(summary.id);
        if (!run) return;
        const { stories } = statusDocument(run, summary, parts.clock.now());
        if (console.json) return console.document({ stories });
        if (stories.length === 0) return console.say("This run has no stories yet.");
        console.print(storyLines(stories));
      });
    });
}

/** `US-001 [done]    Add status field to database`; a story that was sent back says how often. */
function storyLines(stories: StatusDocument["stories"]): string {
  const idWidth = Math.max(...stories.map((story) => story.id.length));
  const width = Math.max(...stories.map((story) => story.status.length)) + 2;
  return stories
    .map((story) => {
      const retries =
        story.attempts > 1 ? ` (${story.attempts - 1} ${story.attempts === 2 ? "retry" : "retries"})` : "";
      return `${story.id.padEnd(idWidth)} ${`[${story.status}]`.padEnd(width)} ${story.title}${retries}`;
    })
    .join("\n");
}
