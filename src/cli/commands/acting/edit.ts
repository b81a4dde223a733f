// `pawl edit`. Owns: the options that describe a change of a chain, and printing the chain before and after.

import type { Command } from "commander";
import type { Application } from "../../../application/application.ts";
import { edit, editsFromFile } from "../../../application/steering/edit.ts";
import type { EditDocument } from "../../../contracts/workflow-documents.ts";
import type { EditOperation } from "../../../domain/edit.ts";
import { AppError } from "../../../domain/error.ts";
import { stepId, stepName } from "../../../domain/ids.ts";
import { summaryOf } from "../../catalogue.ts";
import { runArgument } from "../../input/arguments.ts";
import { withApplication } from "../../opened.ts";
import type { Console } from "../../output/console.ts";
import { example } from "../../output/example.ts";
import { table } from "../../output/table.ts";

interface EditOptions {
  readonly story?: string;
  readonly skip?: string;
  readonly describe?: readonly string[];
  readonly addAfter?: readonly string[];
  readonly addBefore?: readonly string[];
  readonly split?: readonly string[];
  readonly reorder?: string;
  readonly file?: string;
  readonly reason?: string;
  readonly preview?: boolean;
  readonly store?: string;
}

export function define(program: Command, console: Console): void {
  program
    .command("edit")
    .description(`${summaryOf("edit")}; the chain is shown before and after`)
    .argument("<run>", runArgument)
    .option("--story <id>", "the story; without it, the run's own chain")
    .option("--add-after <step type text...>", "add a step after that one")
    .option("--add-before <step type text...>", "add a step before that one")
    .option("--split <step type:text...>", "replace that step by several, each TYPE:TEXT")
    .option("--skip <step>", "skip that step")
    .option("--describe <step text...>", "change what that step should do")
    .option("--reorder <steps>", "all steps that have not started, in their new order, separated by commas")
    .option("--file <file>", "operations as agents write them, from a JSON file")
    .option("--reason <text>", "why; it is kept with the change")
    .option("--preview", "show the result and change nothing")
    .addHelpText("after", "\nWithout a change it shows the steps as they are.")
    .addHelpText(
      "after",
      example(
        "pawl edit 3 --story US-002",
        'pawl edit 3 --story US-002 --add-after step-007 coding "Fix the failing test" --reason "2 tests failed"',
        'pawl edit 3 --story US-002 --skip step-009 --reason "no tests were added" --preview',
      ),
    )
    .action(async (reference: string, options: EditOptions) => {
      await withApplication(options, async (app) => {
        const { operations, notes } = requestOf(app, options);
        const { story, preview } = options;
        const document = await edit(app, reference, { story, preview, operations });
        if (console.json) return console.document({ ...document, notes: [...notes, ...document.notes] });
        if (operations.length === 0) printChain(console, document.before);
        else printChange(console, { ...document, notes: [...notes, ...document.notes] });
      });
    });
}

interface Request {
  readonly operations: readonly EditOperation[];
  readonly notes: readonly string[];
}

function requestOf(app: Application, options: EditOptions): Request {
  const reason = options.reason ?? "requested by a person";
  const read =
    options.file === undefined ? { operations: [], notes: [] } : editsFromFile(app, options.file, options.reason);
  const operations: EditOperation[] = [...read.operations];
  if (options.addAfter)
    operations.push({ op: "insert", after: firstOf(options.addAfter), steps: newSteps(options.addAfter), reason });
  if (options.addBefore)
    operations.push({ op: "insert", before: firstOf(options.addBefore), steps: newSteps(options.addBefore), reason });
  if (options.split)
    operations.push({ op: "replace", step: firstOf(options.split), steps: replacements(options.split), reason });
  if (options.skip !== undefined) operations.push({ op: "skip", step: stepId(options.skip), reason });
  if (options.describe) {
    const [step = "", ...words] = options.describe;
    operations.push({ op: "amend", step: stepId(step), description: words.join(" "), reason });
  }
  if (options.reorder !== undefined) {
    const order = options.reorder.split(",").map((step) => stepId(step.trim()));
    operations.push({ op: "reorder", order, reason });
  }
  return { operations, notes: read.notes };
}

function printChain(console: Console, chain: EditDocument["before"]): void {
  console.print(table(chain.map((line) => [line.id, line.name, line.status, line.description])));
  console.say(
    "\nTo change it: --add-after, --add-before, --split, --skip, --describe, --reorder or --file; --preview only shows.",
  );
}

function firstOf(words: readonly string[]) {
  return stepId(words[0] ?? "");
}

function newSteps([, type, ...words]: readonly string[]) {
  if (type === undefined)
    throw new AppError("USAGE", "a new step needs a type", {
      hint: 'for example --add-after step-007 coding "Fix it"',
    });
  return [{ name: stepName(type), description: words.join(" ") }];
}

function replacements([, ...written]: readonly string[]) {
  return written.map((text) => {
    const [type = "", ...rest] = text.split(":");
    return { name: stepName(type.trim()), description: rest.join(":").trim() };
  });
}

function printChange(console: Console, { applied, before, after, notes }: EditDocument): void {
  for (const note of notes) console.note(note);
  console.print(`Before\n${lines(before, after)}\n\nAfter\n${lines(after, before)}`);
  console.say(applied ? "\nThe chain is changed." : "\nPreview only; nothing was changed.");
}

/** Marks the steps that differ from the other chain. */
function lines(chain: EditDocument["before"], other: EditDocument["before"]): string {
  return table(
    chain.map((line, index) => {
      const same = other.find(({ id }) => id === line.id);
      const changed = !same || same.status !== line.status || same.description !== line.description;
      const moved = other[index]?.id !== line.id;
      return [changed ? "*" : moved ? "~" : " ", line.id, line.name, line.status, line.description];
    }),
  );
}
