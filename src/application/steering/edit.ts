// Editing a chain. Owns: a person changes the steps that have not started, by the same rules as an agent, and sees the chain before
// and after.

import type { EditDocument } from "../../contracts/workflow-documents.ts";
import type { EditChain } from "../../domain/command.ts";
import type { ChainLine, EditOperation } from "../../domain/edit.ts";
import { AppError } from "../../domain/error.ts";
import type { Event } from "../../domain/event.ts";
import { type StoryId, storyId } from "../../domain/ids.ts";
import { type Run, scopeOf } from "../../domain/run.ts";
import { decide, storiesFor } from "../../engine/decide.ts";
import { definitionOf } from "../../engine/definitions.ts";
import { noReason } from "../../protocols/files/edit-operation.ts";
import { readEdits } from "../../protocols/files/edit-request.ts";
import { transition } from "../../runtime/transition/transition.ts";
import type { Application } from "../application.ts";
import { readText } from "../files.ts";
import { findRun, wholeRun } from "../references.ts";

export interface EditInput {
  /** Without it, the run's own chain. */
  readonly story?: string | undefined;
  /** Without any, the chain is read as it is. */
  readonly operations: readonly EditOperation[];
  /** Show the result and change nothing. */
  readonly preview?: boolean | undefined;
  readonly author?: string | undefined;
}

export async function edit(app: Application, reference: string, request: EditInput): Promise<EditDocument> {
  const { operations, preview = false } = request;
  const story = request.story === undefined ? null : storyId(request.story);
  if (operations.length === 0) return await chainOf(app, reference, story);
  const { store, clock } = (await app.read()).parts;
  const run = await findRun(store, reference);
  const author = request.author ?? app.author;
  const command: EditChain = { type: "edit_chain", story, operations, at: clock.now(), author };
  const decision = preview
    ? await store.transaction(async (tx) => {
        const loaded = await tx.load(run.id, (header) => storiesFor(header, command));
        return loaded ? decide(loaded.run, command) : null;
      })
    : await app.change(null, async ({ parts }) => await transition(parts, run.id, command));
  if (decision?.accepted) return documentOf(decision.events, !preview);
  const where = story === null ? "" : ` --story ${story}`;
  throw new AppError("REFUSED", `nothing was changed: ${decision?.why ?? "the run is gone"}`, {
    hint: `\`pawl edit ${run.number}${where}\` shows the steps; with --preview it shows the result of a change`,
  });
}

function documentOf(events: readonly Event[], applied: boolean): EditDocument {
  const edits = events.filter((event) => event.type === "chain_edited");
  return {
    applied,
    before: edits[0]?.before ?? [],
    after: edits.at(-1)?.after ?? [],
    notes: edits.flatMap((event) => event.notes),
  };
}

/** The names of the steps, for a caller that wants to change some. */
async function chainOf(app: Application, reference: string, story: StoryId | null): Promise<EditDocument> {
  const { store } = (await app.read()).parts;
  const lines = linesOf(await wholeRun(store, await findRun(store, reference)), story);
  return { applied: false, before: lines, after: lines, notes: [] };
}

function linesOf(run: Run, story: StoryId | null): readonly ChainLine[] {
  const chain = scopeOf(run, story)?.chain;
  if (chain === undefined) {
    throw new AppError("NOT_FOUND", `no story ${story} has started`, {
      hint: "a story has steps from the moment it starts; `pawl stories RUN` lists the stories",
    });
  }
  return chain.map(({ id, name, state, description }) => {
    const { title } = definitionOf(run, story, name);
    return { id, name, status: state.status, description: description ?? title };
  });
}

export interface ReadEdits {
  readonly operations: readonly EditOperation[];
  /** How a careless file was understood. */
  readonly notes: readonly string[];
}

/** Operations as agents write them. `reason`: for each operation without one. */
export function editsFromFile(app: Application, file: string, reason: string | undefined): ReadEdits {
  return editsFromText(readText(file, app.path(file)), file, reason);
}

/** `what`: what errors call the text. */
export function editsFromText(text: string, what: string, reason: string | undefined): ReadEdits {
  const request = readEdits(text);
  if (!("operations" in request)) {
    throw new AppError("INPUT_INVALID", `${what}: ${request.unreadable}`, {
      hint: "`pawl edit --help` shows how operations are written",
    });
  }
  const operations = request.operations.map((operation) =>
    reason !== undefined && operation.reason === noReason ? { ...operation, reason } : operation,
  );
  return { operations, notes: request.notes };
}
