// `pawl edit`. Owns: a person changes what is still to come, by the same rules as an agent, and sees the chain before and after.

import type { Command } from "commander";
import type { EditChain } from "../../domain/command.ts";
import type { ChainLine, EditOperation } from "../../domain/edit.ts";
import { AppError } from "../../domain/error.ts";
import type { Event } from "../../domain/event.ts";
import { stepId, stepName, storyId } from "../../domain/ids.ts";
import { type Run, scopeOf } from "../../domain/run.ts";
import { decide, storiesFor } from "../../engine/decide.ts";
import { definitionOf } from "../../engine/definitions.ts";
import { noReason } from "../../protocols/files/edit-operation.ts";
import { readEdits } from "../../protocols/files/edit-request.ts";
import { transition } from "../../runtime/runs/transition.ts";
import type { Console } from "../console.ts";
import { example } from "../example.ts";
import { readText } from "../input.ts";
import { findRun } from "../reference.ts";
import { author, withSession } from "../session.ts";
import { table } from "../table.ts";

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
    .description("change the steps of a story that are still to come; the chain is shown before and after")
    .argument("<run>", "its id, a prefix of it, or its number")
    .option("--story <id>", "the story; without it, the run's own chain")
    .option("--add-after <step type text...>", "a new step after that one")
    .option("--add-before <step type text...>", "a new step before that one")
    .option("--split <step type:text...>", "that step becomes several, each TYPE:TEXT")
    .option("--skip <step>", "leave that step out")
    .option("--describe <step text...>", "say anew what that step should do")
    .option("--reorder <steps>", "all steps still to come, in their new order, separated by commas")
    .option("--file <file>", "operations as agents write them, from a JSON file")
    .option("--reason <text>", "why; it is kept with the change")
    .option("--preview", "only show what would come of it; with nothing to change, the steps are shown as they are")
    .addHelpText(
      "after",
      example(
        "pawl edit 3 --story US-002",
        'pawl edit 3 --story US-002 --add-after step-007 coding "Fix the failing test" --reason "2 tests failed"',
        'pawl edit 3 --story US-002 --skip step-009 --reason "no tests were added" --preview',
      ),
    )
    .action(async (reference: string, options: EditOptions) => await edit(console, reference, options));
}

async function edit(console: Console, reference: string, options: EditOptions): Promise<void> {
  const { operations, notes } = requestOf(options);
  await withSession({ store: options.store }, async ({ parts }) => {
    const run = await findRun(parts.store, reference);
    if (operations.length === 0) return look(console, await parts.store.wholeRun(run.id), options.story ?? null);
    const command: EditChain = {
      type: "edit_chain",
      story: options.story === undefined ? null : storyId(options.story),
      operations,
      at: parts.clock.now(),
      author: author(),
    };
    const decision = options.preview
      ? await parts.store.transaction(async (tx) => {
          const loaded = await tx.load(run.id, (header) => storiesFor(header, command));
          return loaded ? decide(loaded.run, command) : null;
        })
      : await transition(parts, run.id, command);
    if (!decision?.accepted) {
      const where = options.story === undefined ? "" : ` --story ${options.story}`;
      throw new AppError("REFUSED", `nothing was changed: ${decision?.why ?? "the run is gone"}`, {
        hint: `\`pawl edit ${run.number}${where}\` shows the steps; with --preview it shows what would come of a change`,
      });
    }
    show(console, decision.events, notes, options.preview ?? false);
  });
}

interface Request {
  readonly operations: readonly EditOperation[];
  /** What was read into a file. */
  readonly notes: readonly string[];
}

function requestOf(options: EditOptions): Request {
  const reason = options.reason ?? "asked for by a person";
  const read = options.file === undefined ? { operations: [], notes: [] } : fromFile(options.file, options.reason);
  const operations: EditOperation[] = [...read.operations];
  if (options.addAfter)
    operations.push({ op: "insert", after: firstOf(options.addAfter), steps: newSteps(options.addAfter), reason });
  if (options.addBefore)
    operations.push({ op: "insert", before: firstOf(options.addBefore), steps: newSteps(options.addBefore), reason });
  if (options.split)
    operations.push({ op: "replace", step: firstOf(options.split), steps: parts(options.split), reason });
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

/** Whoever wants to change steps must know how they are called. */
function look(console: Console, run: Run | null, story: string | null): void {
  const chain = run === null ? undefined : scopeOf(run, story === null ? null : storyId(story))?.chain;
  if (run === null || chain === undefined) {
    throw new AppError("NOT_FOUND", `no story ${story} is at work or has been`, {
      hint: "a story has steps from the moment it begins; `pawl stories RUN` lists the stories",
    });
  }
  const lines = chain.map(({ id, name, state, description }): ChainLine => {
    const { title } = definitionOf(run, story === null ? null : storyId(story), name);
    return { id, name, status: state.status, description: description ?? title };
  });
  if (console.json) return console.document({ applied: false, before: lines, after: lines, notes: [] });
  console.print(table(lines.map((line) => [line.id, line.name, line.status, line.description])));
  console.say(
    "\nTo change it: --add-after, --add-before, --split, --skip, --describe, --reorder or --file; --preview only shows.",
  );
}

function fromFile(file: string, reason: string | undefined): Request {
  const request = readEdits(readText(file));
  if (!("operations" in request)) {
    throw new AppError("INPUT_INVALID", `${file}: ${request.unreadable}`, {
      hint: "docs/guides/dynamic-ralph.md shows every operation",
    });
  }
  const operations = request.operations.map((operation) =>
    reason !== undefined && operation.reason === noReason ? { ...operation, reason } : operation,
  );
  return { operations, notes: request.notes };
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

function parts([, ...written]: readonly string[]) {
  return written.map((text) => {
    const [type = "", ...rest] = text.split(":");
    return { name: stepName(type.trim()), description: rest.join(":").trim() };
  });
}

function show(console: Console, events: readonly Event[], read: readonly string[], preview: boolean): void {
  const edits = events.filter((event) => event.type === "chain_edited");
  const before = edits[0]?.before ?? [];
  const after = edits.at(-1)?.after ?? [];
  const notes = [...read, ...edits.flatMap((event) => event.notes)];
  if (console.json) return console.document({ applied: !preview, before, after, notes });
  for (const note of notes) console.note(note);
  console.print(`Before\n${lines(before, after)}\n\nAfter\n${lines(after, before)}`);
  console.say(preview ? "\nNothing was changed: this is what would come of it." : "\nThe chain is changed.");
}

/** What the other does not have, or has otherwise, is marked. */
function lines(chain: readonly ChainLine[], other: readonly ChainLine[]): string {
  return table(
    chain.map((line, index) => {
      const same = other.find(({ id }) => id === line.id);
      const changed = !same || same.status !== line.status || same.description !== line.description;
      const moved = other[index]?.id !== line.id;
      return [changed ? "*" : moved ? "~" : " ", line.id, line.name, line.status, line.description];
    }),
  );
}
