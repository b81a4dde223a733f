// Scopes. Owns: what a run's header and a story have in common: a chain with its context, attempts and gates.

import type { Attempt } from "./attempt.ts";
import type { Gate } from "./gate.ts";
import type { Chain } from "./step.ts";

export interface Scope {
  readonly chain: Chain;
  readonly context: Readonly<Record<string, string>>;
  /** In the order in which they were dispatched. */
  readonly attempts: readonly Attempt[];
  readonly gates: readonly Gate[];
  /** Limits count attempts from this index on, per step name or `*` for all of them; `retry` moves it to the end. */
  readonly countsFrom: Readonly<Record<string, number>>;
}

export const emptyScope: Scope = { chain: [], context: {}, attempts: [], gates: [], countsFrom: {} };
