// The note of an answer: a person's words, and their comments on lines of what was shown. It goes into prompts; a whole document belongs
// into the repository.

export interface AnswerComment {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export const longestNoteBytes = 64 * 1024;

/** The comments follow the note, each as `path:line: text`. */
export function answerNote(note: string, comments: readonly AnswerComment[]): string {
  const lines = comments.map(({ path, line, text }) => `${path}:${line}: ${text.trim()}`);
  return [note, ...lines].filter((text) => text.trim() !== "").join("\n");
}
