// The phases of a milestone as stories of the run, and the phase that a story is.

import { isSafeId, type StoryId, storyId } from "../../../domain/ids.ts";
import type { StorySpec } from "../../../domain/story.ts";
import { sha256Of } from "../../../system/sha256.ts";
import type { LifecycleState, Milestone } from "./project-state.ts";

export interface Phase {
  readonly milestone: Milestone;
  readonly phase: string;
}

export function phaseStory({ milestone, phase }: Phase): StorySpec {
  const where = milestone.name === milestone.id ? milestone.id : `${milestone.id}, ${milestone.name}`;
  return {
    id: idOf({ milestone, phase }),
    title: `Phase ${phase} of ${where}`,
    description: `Take phase ${phase} of milestone ${where} through its lifecycle.`,
    acceptanceCriteria: [],
    dependsOn: [],
  };
}

/** Null: the state file has no such phase any more. */
export function phaseIn(state: LifecycleState, story: StoryId | null): Phase | null {
  for (const milestone of state.milestones)
    for (const phase of milestone.phases) if (idOf({ milestone, phase }) === story) return { milestone, phase };
  return null;
}

/** `M1-P2`. A name that is unsafe in a path is made safe, and stays different from every other. */
function idOf({ milestone: { id }, phase }: Phase): StoryId {
  const first = isSafeId(id) && id.length <= 36 ? id : slugOf(`M-${id}`);
  // What stands behind the last `-P` is the phase.
  const second = isSafeId(phase) && phase.length <= 24 && !phase.includes("P") ? phase : slugOf(phase);
  return storyId(`${first}-P${second}`);
}

function slugOf(text: string): string {
  const words = text
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, 16);
  return `${words.replaceAll("P", "p")}${words.endsWith("-") || words === "" ? "" : "-"}${sha256Of(text).slice(0, 6)}`;
}
