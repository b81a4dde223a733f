// One passage of a chain through a step, as a session names it.

import { placeName } from "../../../domain/attempt.ts";
import type { PartName, StepId, StepName, StoryId } from "../../../domain/ids.ts";

export interface Visit {
  readonly story: StoryId | null;
  readonly step: StepId;
  readonly name: StepName;
  readonly visit: number;
  /** The part of the step; absent: it has none. */
  readonly part?: PartName;
}

/** The stage that a session shows: the step, or one part of it. */
export function stageOf({ name, part }: Pick<Visit, "name" | "part">): string {
  return part ?? name;
}

/** `M1-P1/execute#2`: the second visit of a step of that phase. `M1-P1/lint-and-audit+lint`: one part of a step. */
export function visitKey({ story, step, visit, part }: Pick<Visit, "story" | "step" | "visit" | "part">): string {
  const place = placeName({ step, ...(part === undefined ? {} : { part }) });
  return `${story === null ? "" : `${story}/`}${place}${visit > 1 ? `#${visit}` : ""}`;
}
