// Effects: work outside the store that follows a commit. A crash may leave one half-done, so each can be performed again.

import type { Gate } from "./gate.ts";
import type { AttemptId, NoteId, RunId, StoryId } from "./ids.ts";

export type Effect =
  /** Stop the process of an attempt. */
  | { readonly type: "stop_attempt"; readonly run: RunId; readonly story: StoryId | null; readonly attempt: AttemptId }
  /** Tell the agent of a running attempt what a person says. */
  | {
      readonly type: "tell_attempt";
      readonly run: RunId;
      readonly story: StoryId | null;
      readonly attempt: AttemptId;
      readonly note: NoteId;
      readonly text: string;
    }
  /** Send a message to the configured targets. */
  | { readonly type: "notify"; readonly run: RunId; readonly message: Message }
  /** Deliver one message to one target, with retries. */
  | {
      readonly type: "deliver";
      readonly run: RunId;
      readonly target: string;
      readonly message: Message;
      readonly id: string;
      /** Of a target with several receivers: which of them. */
      readonly receiver?: string;
      /** The message has arrived and its question is over: mark it. It is what the target knows the message by. */
      readonly mark?: string;
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
  /** The question that a person is asked; absent: none. */
  readonly gate?: AskedGate;
  readonly at: number;
}

/** What a person needs to answer without opening a terminal first. */
export interface AskedGate extends Pick<Gate, "id" | "cause" | "feedback" | "tree" | "deadline"> {
  readonly options: readonly string[];
}

/** Effects of one lane are performed in order; lanes do not wait for each other. */
export function laneOf(effect: Effect): string {
  switch (effect.type) {
    case "stop_attempt":
      return `attempt:${effect.attempt}`;
    case "tell_attempt":
      return `tell:${effect.attempt}`;
    case "notify":
      return `notify:${effect.run}`;
    case "deliver":
      return `deliver:${effect.target}:${effect.run}${effect.receiver === undefined ? "" : `:${effect.receiver}`}`;
    case "close_run":
      return `run:${effect.run}`;
  }
}
