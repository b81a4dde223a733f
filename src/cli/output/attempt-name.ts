// Names of attempts in logs. Owns: whose line it is, in few cells.

import type { LoggedAttempt } from "../../application/transcripts/transcripts.ts";

/** `US-001/verify`, `review.security`, and `#2` for a second attempt. */
export function attemptName({ story, step, part, attempt }: LoggedAttempt): string {
  const place = [story, step].filter((each) => each !== null).join("/");
  return `${place}${part === undefined ? "" : `.${part}`}${attempt > 1 ? `#${attempt}` : ""}`;
}

/** Enough for `US-001/implement#2`, and at most a third of a narrow terminal. */
export function nameColumns(columns: number): number {
  return Math.min(20, Math.floor(columns / 3));
}
