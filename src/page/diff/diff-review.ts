// What a person adds to a diff while looking at it: comments on lines, and marks on files that were viewed.

import type { FileChange } from "./file-change.ts";
import type { LineComment, LinePlace, PlacedComment } from "./line-comment.ts";

export interface DiffReview {
  readonly commentsOn: (path: string) => readonly PlacedComment[];
  readonly comment: (comment: LineComment) => void;
  readonly remove: (place: LinePlace) => void;
  readonly isViewed: (file: FileChange) => boolean;
  readonly setViewed: (file: FileChange, isViewed: boolean) => void;
}
