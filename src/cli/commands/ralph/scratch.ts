// `pawl scratch`. Owns: adding to the scratch files that agents share.

import type { Command } from "commander";
import { append } from "../../../application/ralph/scratch.ts";
import { summaryOf } from "../../catalogue.ts";
import { readInput } from "../../input/input.ts";
import { applicationHere } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(program: Command, console: Console): void {
  program
    .command("scratch")
    .description(summaryOf("scratch"))
    .command("append")
    .description("add a paragraph to scratch.md, or to a story's own file")
    .argument("<text...>", "what to add; `-` reads it from stdin")
    .option("--story <id>", "the file of this story instead of the global one")
    .option("--shared <dir>", "the shared folder (default: $PAWL_SHARED, $RALPH_SHARED_DIR, else .pawl/ralph)")
    .addHelpText(
      "after",
      example('pawl scratch append "All times are UTC"', "pawl scratch append --story US-001 - < findings.md"),
    )
    .action(async (words: string[], { story, shared }: { readonly story?: string; readonly shared?: string }) => {
      const { file } = await append(applicationHere(), { text: await readInput(words), story, shared });
      if (console.json) console.document({ file });
      else console.say(`Added to ${file}.`);
    });
}
