// The stories of a PRD, for other ways of working that take them.

import type { StorySpec } from "../../domain/story.ts";
import { readPrd } from "../../protocols/ralph/prd.ts";

export interface PrdStories {
  readonly stories: readonly (StorySpec & { readonly passes: boolean })[];
  readonly notes: readonly string[];
}

/** Throws an AppError with all problems of the file and their places. */
export function prdStories(text: string, file: string): PrdStories {
  const { stories, notes } = readPrd(text, file);
  return { stories, notes };
}
