// A scope: a chain with its context, attempts and gates. The header of a run is one, and so is each story.

import type { Attempt } from "./attempt.ts";
import type { Gate } from "./gate.ts";
import type { Chain } from "./step.ts";

export interface Scope {
  readonly chain: Chain;
  readonly context: Readonly<Record<string, string>>;
  /** In the order in which they were dispatched. */
  readonly attempts: readonly Attempt[];
  readonly gates: readonly Gate[];
  /** Limits count attempts from this index on, by step name or `*` for all steps; `retry` moves it to the end. */
  readonly countsFrom: Readonly<Record<string, number>>;
}

export const emptyScope: Scope = { chain: [], context: {}, attempts: [], gates: [], countsFrom: {} };
