// `pawl scratch`. Owns: adding to the scratch files that agents share, so that two who write at once lose nothing.

import { resolve } from "node:path";
import type { Command } from "commander";
import { AppError } from "../../domain/error.ts";
import { storyId } from "../../domain/ids.ts";
import { ralph } from "../../protocols/ralph/ralph.ts";
import { appendScratch } from "../../protocols/ralph/scratch.ts";
import { sharedIn, storyScratch } from "../../protocols/ralph/shared.ts";
import { chooseFolder, usable } from "../../runtime/trees/protocol-folder.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { readInput } from "../input.ts";

interface ScratchOptions {
  readonly story?: string;
  readonly shared?: string;
}

export function define(program: Command, console: Console): void {
  program
    .command("scratch")
    .description("the files in which agents leave what others should know")
    .command("append")
    .description("add a paragraph to scratch.md, or to a story's own file")
    .argument("<text...>", "what to add; `-` reads it from stdin")
    .option("--story <id>", "the file of this story instead of the global one")
    .option("--shared <dir>", "the shared folder (default: $PAWL_SHARED, $RALPH_SHARED_DIR, else .pawl/ralph)")
    .addHelpText(
      "after",
      example('pawl scratch append "All times are UTC"', "pawl scratch append --story US-001 - < findings.md"),
    )
    .action(async (words: string[], options: ScratchOptions) => {
      const text = (await readInput(words)).trim();
      if (text === "")
        throw new AppError("USAGE", "there is nothing to add", { hint: "give a text, or `-` to read stdin" });
      const shared = sharedIn(await folder(options.shared));
      const file = options.story === undefined ? shared.scratchFile : storyScratch(shared, storyId(options.story));
      await appendScratch(file, text);
      if (console.json) console.document({ file });
      else console.say(`Added to ${file}.`);
    });
}

async function folder(given: string | undefined): Promise<string> {
  const named = given ?? process.env["PAWL_SHARED"] ?? process.env["RALPH_SHARED_DIR"];
  return named === undefined || named === "" ? await chooseFolder(ralph.name, ".", null) : usable(resolve(named));
}
