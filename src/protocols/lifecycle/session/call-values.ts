// The values that the call of a skill may name: the phase, the user's words and what was found wrong.

import type { PhaseStory } from "../standing/phase-story.ts";

export function callValues(of: {
  readonly task: string;
  readonly at: PhaseStory | null;
  readonly feedback: string;
}): Readonly<Record<string, string>> {
  const { at } = of;
  return {
    intent: inQuotes(of.task),
    ...(at === null ? {} : { phase: at.phase, milestone: at.milestone }),
    ...(of.feedback.trim() === "" ? {} : { gap_summary: inQuotes(of.feedback) }),
  };
}

/** A text that stands between quotes in a call. */
function inQuotes(text: string): string {
  return text.replace(/\s+/g, " ").trim().replace(/["\\]/g, "\\$&");
}
