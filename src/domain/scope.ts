// A scope: a chain with its context, attempts and gates. The header of a run is one, and so is each story.

import type { Attempt, Taken } from "./attempt.ts";
import type { Gate } from "./gate.ts";
import { type PartName, type StepId, type StepName, stepName } from "./ids.ts";
import type { Chain } from "./step.ts";

export interface Scope {
  readonly chain: Chain;
  readonly context: Readonly<Record<string, string>>;
  /** In the order in which they were dispatched. */
  readonly attempts: readonly Attempt[];
  readonly gates: readonly Gate[];
  /** Limits count attempts from this index on, by step name, `STEP/PART`, or `*` for all steps; `retry` moves it to the end. */
  readonly countsFrom: Readonly<Record<string, number>>;
  /** The ends of steps with parts that their limits count; absent: none has ended. */
  readonly rounds?: readonly Round[];
}

/** The end of a step with parts: where its verdict led. Its attempts have verdicts of parts. */
interface Round {
  readonly step: StepId;
  readonly name: StepName;
  readonly taken: Taken;
}

/** The key of one part in `countsFrom`. No name of a step has a slash. */
export function partKey(name: StepName, part: PartName): string {
  return `${name}/${part}`;
}

/** The step that a key of `countsFrom` names; null: all steps. */
export function stepOfKey(key: string): StepName | null {
  return key === "*" ? null : stepName(key.split("/", 1)[0] ?? key);
}

export const emptyScope: Scope = { chain: [], context: {}, attempts: [], gates: [], countsFrom: {} };
