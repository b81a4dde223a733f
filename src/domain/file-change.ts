// A change that a person or another program made in a file that Pawl writes, and what becomes of it.

import type { StoryId } from "./ids.ts";
import type { Json } from "./report.ts";
import type { StorySpec } from "./story.ts";

export interface FileChange {
  /** Its name in the folder of the protocol. */
  readonly file: string;
  /** Null: the file as a whole. */
  readonly field: string | null;
  /** What it says now; absent: it is gone, or too much to repeat. */
  readonly value?: Json;
  /** For people: what becomes of it, and which command does what was meant. */
  readonly why: string;
  readonly story: StoryId | null;
  /** Null: it is refused. */
  readonly adopts: Adoption | null;
}

type Adoption =
  /** Words for the next attempt of the story. */
  | { readonly kind: "note"; readonly text: string }
  /** The next story to begin. */
  | { readonly kind: "story"; readonly spec: StorySpec }
  /** It means nothing to the run and stays in the file. */
  | { readonly kind: "kept" };
