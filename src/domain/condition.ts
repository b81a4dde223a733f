// Conditions: whether a step runs at all, asked each time that its chain reaches it.

import type { Vote } from "./vote.ts";

/** `values` are folded, at least one. */
export type Condition = (KeyCondition | Vote) & { readonly values: readonly string[] };

/** One key has one of the values. A key without a value is equal to nothing. */
interface KeyCondition {
  readonly key: string;
}
