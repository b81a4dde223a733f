// Effects. Owns: what must be done outside after a commit. Each can be found half done after a crash and done again.

import type { AttemptId, RunId, StoryId } from "./ids.ts";

export type Effect =
  /** End the process of an attempt that was told to stop. */
  | { readonly type: "stop_attempt"; readonly run: RunId; readonly story: StoryId | null; readonly attempt: AttemptId }
  /** Send a message to the configured targets. */
  | { readonly type: "notify"; readonly run: RunId; readonly message: Message }
  /** One message to one receiver, until it has arrived. */
  | {
      readonly type: "deliver";
      readonly run: RunId;
      readonly target: string;
      readonly message: Message;
      readonly id: string;
    }
  /** A run is over: archive its log, release its workspace. */
  | { readonly type: "close_run"; readonly run: RunId };

export const messageKinds = ["needs_you", "stuck", "budget", "story_done", "run_done", "run_failed"] as const;
export type MessageKind = (typeof messageKinds)[number];

export interface Message {
  readonly kind: MessageKind;
  readonly story: StoryId | null;
  readonly step: string | null;
  /** One sentence. */
  readonly text: string;
  readonly at: number;
}

/** Effects of one lane are performed in order; lanes do not wait for each other. */
export function laneOf(effect: Effect): string {
  switch (effect.type) {
    case "stop_attempt":
      return `attempt:${effect.attempt}`;
    case "notify":
      return `notify:${effect.run}`;
    case "deliver":
      return `deliver:${effect.target}:${effect.run}`;
    case "close_run":
      return `run:${effect.run}`;
  }
}
