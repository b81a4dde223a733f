// How a session reports, in words: for its prompt, and for one whose report does not count.

import { reasons } from "./aliases.ts";

/** Which session a report is about. */
export interface SessionName {
  readonly story: string | null;
  readonly name: string;
  readonly number: number;
}

/** One sentence. No line of it could be taken for a report if it were repeated. */
export function howToReport({ story, name, number }: SessionName): string {
  return `Write .ai/HANDOFF.md with YAML front matter between two lines of three dashes: story ${story}, step ${name}, attempt ${number}, status (pass, failing or needs_human) and reason (null or one of ${reasons.join(", ")}).`;
}
