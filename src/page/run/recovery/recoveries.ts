// What went wrong around the work, and what Pawl did about it: attempts that were lost, stopped, timed out or crashed, and whether their
// changes were rolled back.

import { type EndedAttempt, hasEnded, type Outcome } from "../../../domain/attempt.ts";
import type { Run } from "../../../domain/run.ts";
import { allAttempts } from "../cost/spent.ts";

export interface Recovery {
  readonly attempt: EndedAttempt;
  readonly outcome: Exclude<Outcome, "completed">;
  /** The number of the attempt that did the step again; null: none has yet. */
  readonly again: { readonly id: string; readonly number: number } | null;
  readonly isRolledBack: boolean;
}

/** The newest first. */
export function recoveriesOf(run: Run): readonly Recovery[] {
  const all = allAttempts(run);
  return all
    .filter(hasEnded)
    .flatMap((attempt): Recovery[] => {
      const { outcome, discards } = attempt.state;
      if (outcome === "completed") return [];
      const next = all.find(
        (other) =>
          other.story === attempt.story &&
          other.step === attempt.step &&
          other.part === attempt.part &&
          other.number > attempt.number,
      );
      const again = next === undefined ? null : { id: next.id, number: next.number };
      return [{ attempt, outcome, again, isRolledBack: discards }];
    })
    .toSorted((a, b) => b.attempt.state.endedAt - a.attempt.state.endedAt);
}
