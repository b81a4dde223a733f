// What went wrong around the work, and what Pawl did about it: attempts that were lost, stopped, timed out or crashed, and whether their
// changes were rolled back; and those whose driver died, but whose result was taken over.

import { type EndedAttempt, hasEnded, type Outcome } from "../../../domain/attempt.ts";
import type { Event } from "../../../domain/event.ts";
import type { Run } from "../../../domain/run.ts";
import { allAttempts } from "../cost/spent.ts";

export interface Recovery {
  readonly attempt: EndedAttempt;
  /** `adopted`: completed, and its result was taken over from a driver that had died. */
  readonly outcome: Exclude<Outcome, "completed"> | "adopted";
  /** The number of the attempt that did the step again; null: none has yet. */
  readonly again: { readonly id: string; readonly number: number } | null;
  readonly isRolledBack: boolean;
}

/** The newest first. `events`: the log of the run; what only it tells is which results were taken over. */
export function recoveriesOf(run: Run, events: readonly Event[]): readonly Recovery[] {
  const all = allAttempts(run);
  const adopted = new Set(events.flatMap(adoptedIn));
  return all
    .filter(hasEnded)
    .flatMap((attempt): Recovery[] => {
      const { outcome: end, discards } = attempt.state;
      const outcome = end !== "completed" ? end : adopted.has(attempt.id) ? "adopted" : null;
      if (outcome === null) return [];
      if (outcome === "adopted") return [{ attempt, outcome, again: null, isRolledBack: false }];
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

function adoptedIn(event: Event): readonly string[] {
  return event.type === "attempt_ended" && event.facts?.["adopted"] === true ? [event.attempt] : [];
}
