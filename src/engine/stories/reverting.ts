// Records that the commit of an integrated story was taken back. The story stays done, because its chain is over; what depends on it
// goes on as it is.

import type { RevertStory } from "../../domain/command.ts";
import type { Rejection } from "../../domain/decision.ts";
import type { StoryEntry } from "../../domain/story.ts";
import type { Draft } from "../draft.ts";
import { rejectCommand } from "../rejection.ts";

/** Also in a run that is over: its commits are there. */
export function revertStory(draft: Draft, { of, commit, by, on }: RevertStory): Rejection | null {
  const entry = draft.run.header.stories.find(({ id }) => id === of);
  if (!entry) return rejectCommand("unknown", `there is no story ${of}`);
  const why = whyNotRevertible(entry);
  if (why !== null) return rejectCommand(entry.reverted === undefined ? "illegal" : "stale", why);
  draft.emit(null, { type: "story_reverted", of, commit, by, on });
  return null;
}

/** Null: its commit may be taken back. */
export function whyNotRevertible({ id, status, leftOut, reverted }: StoryEntry): string | null {
  if (reverted !== undefined) return `story ${id} was taken back already, by ${reverted.slice(0, 12)}`;
  if (status !== "done") return `story ${id} is ${status}: only a story that is done has a commit`;
  return leftOut ? `story ${id} was dropped: nothing of it is on the base` : null;
}
