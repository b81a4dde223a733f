// What a transition has recorded to be done outside of the store, and has not been done.

import type { Effect } from "../domain/effect.ts";
import type { RunId } from "../domain/ids.ts";

export interface StoredEffect {
  readonly id: number;
  /** How often it has been taken. */
  readonly tries: number;
  readonly effect: Effect | UnreadableEffect;
}

/** One whose row is damaged: it holds its own run, and no other. */
export interface UnreadableEffect {
  readonly type: "unreadable";
  readonly run: RunId;
  readonly why: string;
}

export interface StoredDelivery extends StoredEffect {
  readonly effect: Extract<Effect, { readonly type: "deliver" }>;
}

export interface FailedClosing {
  readonly run: RunId;
  readonly why: string;
  readonly tries: number;
}
