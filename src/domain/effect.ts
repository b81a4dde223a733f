// Effects. Owns: what must be done outside after a commit. Each can be found half done after a crash and done again.

import type { AttemptId, RunId, StoryId } from "./ids.ts";

export type Effect =
  /** End the process of an attempt that was told to stop. */
  | { readonly type: "stop_attempt"; readonly run: RunId; readonly story: StoryId | null; readonly attempt: AttemptId }
  /** A run is over: archive its log, release its workspace. */
  | { readonly type: "close_run"; readonly run: RunId };

/** Effects of one lane are performed in order; lanes do not wait for each other. */
export function laneOf(effect: Effect): string {
  return effect.type === "stop_attempt" ? `attempt:${effect.attempt}` : `run:${effect.run}`;
}
