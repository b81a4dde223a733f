// A phase as a story of the run: `MILESTONE-Pn`.

import type { StoryId } from "../../../domain/ids.ts";

export interface PhaseStory {
  readonly milestone: string;
  readonly phase: string;
}

/** Null: it is no phase. */
export function phaseOf(story: StoryId | null): PhaseStory | null {
  const [, milestone, phase] = /^(.+)-P([^P]+)$/.exec(story ?? "") ?? [];
  return milestone === undefined || phase === undefined ? null : { milestone, phase };
}

/** As the files of a session write it. */
export function phaseValue(phase: string | null): string | number | null {
  return phase !== null && /^\d{1,6}$/.test(phase) ? Number(phase) : phase;
}
