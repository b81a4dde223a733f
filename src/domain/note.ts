// A note: a person's words for the next attempt, or for one that runs. It waits until an attempt that had it completes; then it is
// gone.

import type { AttemptId, NoteId, PartName, StepId, StoryId } from "./ids.ts";

export interface Note {
  readonly id: NoteId;
  /** The story whose next attempt gets it; null: the next attempt anywhere in the run. */
  readonly story: StoryId | null;
  readonly text: string;
  readonly by: string;
  readonly at: number;
  /** The running attempt that has it; null: it waits for one. */
  readonly attempt: AttemptId | null;
  /** The running attempt whose agent is being told, and nobody else; absent: the next attempt gets it. */
  readonly now?: AttemptId;
  /** The part of a step that gets it, and no other attempt; absent: any attempt of its run or story. */
  readonly part?: NotePart;
}

/** A note that one part of a step takes is for all of its parts: each has a copy of its own. */
interface NotePart {
  readonly story: StoryId | null;
  readonly step: StepId;
  readonly name: PartName;
  /** The note that it is a copy of. */
  readonly of: NoteId;
  /** Another part has completed with these words. */
  readonly isUsed?: true;
}

/** The notes that were delivered to an attempt. */
export function notesWith(notes: readonly Note[], attempt: AttemptId): readonly Note[] {
  return notes.filter((note) => note.attempt === attempt);
}
