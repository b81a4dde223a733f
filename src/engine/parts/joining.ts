// Joins what parts changed in trees of their own: opens the part that joins once all others have ended, and sends a part back whose
// files an earlier one has changed, too.

import { type Attempt, hasEnded } from "../../domain/attempt.ts";
import type { StoryId } from "../../domain/ids.ts";
import { givenParts, joinPart, type Part } from "../../domain/part.ts";
import type { JoinConflict } from "../../domain/report.ts";
import type { Step } from "../../domain/step.ts";
import { isWriter } from "../definitions.ts";
import type { Draft } from "../draft.ts";

/** There is work of parts that passed, and nothing has joined it yet. */
export function needsJoin({ run }: Draft, story: StoryId | null, { name, parts = [] }: Step): boolean {
  const hasJoin = parts.some(({ joins }) => joins === true);
  const passed = parts.filter(({ state }) => state.status === "passed");
  return !hasJoin && passed.some((part) => isWriter(run, story, { name, part: part.name }));
}

export function openJoin(draft: Draft, story: StoryId | null, { id }: Step): void {
  draft.emit(story, { type: "join_opened", step: id });
}

/** A part runs again on the work of those before it, so it conflicts once at most. More often, something else is wrong. */
export function maySendBack(draft: Draft, story: StoryId | null, step: Step, { part }: JoinConflict): boolean {
  const parts = givenParts(step.parts ?? []);
  const isThere = parts.some(({ name, state }) => name === part && state.status === "passed");
  const refused = draft.scope(story).attempts.filter((attempt) => wasRefused(attempt, step)).length;
  return isThere && refused < parts.length;
}

function wasRefused(attempt: Attempt, { id, visit }: Step): boolean {
  const isOfJoin = attempt.step === id && attempt.visit === visit && attempt.part === joinPart;
  return isOfJoin && hasEnded(attempt) && attempt.state.verdict?.kind === "rejected";
}

export function sendBack(
  draft: Draft,
  story: StoryId | null,
  { id }: Step,
  { part, files }: JoinConflict,
  feedback: string,
): void {
  draft.emit(story, { type: "join_refused", step: id, part, files, feedback });
}

/** What parts changed is in the tree of their step, or there was nothing to join. */
export function isJoined(parts: readonly Part[]): boolean {
  return parts.every(({ joins, state }) => joins !== true || state.status === "passed");
}
