// One passage of a chain through a step, as a session names it.

import type { StepId, StepName, StoryId } from "../../../domain/ids.ts";

export interface Visit {
  readonly story: StoryId | null;
  readonly step: StepId;
  readonly name: StepName;
  readonly visit: number;
}

/** `M1-P1/execute#2`: the second visit of a step of that phase. */
export function visitKey({ story, step, visit }: Pick<Visit, "story" | "step" | "visit">): string {
  return `${story === null ? "" : `${story}/`}${step}${visit > 1 ? `#${visit}` : ""}`;
}
