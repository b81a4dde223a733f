// `pawl diff`. Owns: what a run or a story changed, as a diff on stdout; with `--stat` as one line for each file.

import type { Command } from "commander";
import { diffOf } from "../../../application/diffs/diff.ts";
import type { DiffDocument } from "../../../contracts/diff-document.ts";
import { counted } from "../../../domain/counted.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { type StoreOption, withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";

export function define(parent: Command, console: Console): void {
  parent
    .command("diff")
    .description(summaryOf("diff"))
    .argument("<run>", runArgument)
    .argument("[story]", "its id; without it, what the whole run changed")
    .option("--stat", "one line for each file instead of the text")
    .addHelpText(
      "after",
      "\nA story at work is shown as its tree is now, uncommitted files included. Nothing is changed.",
    )
    .addHelpText("after", example("pawl diff 3", "pawl diff 3 US-002 --stat"))
    .action(async (reference: string, story: string | undefined, options: StoreOption & { stat?: true }) => {
      const document = await withApplication(options, (app) => diffOf(app, reference, { story }));
      if (console.json) return console.document(document);
      if (options.stat) console.print(statOf(document));
      else console.write(document.text);
      for (const note of document.notes) console.note(note);
      if (document.from !== "nothing" && document.files.length === 0) console.note("nothing has changed");
    });
}

const signs = { added: "A", changed: "M", removed: "D", renamed: "R" } as const;

/** `M  +12  -3  src/app.ts`. A name with a line end must not look like two files. */
function statOf({ files, total }: DiffDocument): string {
  const lines = files.map(({ path, from, status, added, removed, binary }) => {
    const counts = binary ? "binary".padEnd(13) : `${`+${added}`.padEnd(6)} ${`-${removed}`.padEnd(6)}`;
    return `${signs[status]}  ${counts} ${from === undefined ? "" : `${oneLine(from)} → `}${oneLine(path)}`;
  });
  return [...lines, `${counted(total.files, "file")}, +${total.added} -${total.removed}`].join("\n");
}

function oneLine(path: string): string {
  return /[\p{Cc}"\\]/u.test(path) ? JSON.stringify(path) : path;
}
