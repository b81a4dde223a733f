// Salvage of attempts. Owns: where the work of an attempt that goes away is kept: for a protocol with files of its own, there.

import { join } from "node:path";
import { type Attempt, baseOf, hasEnded } from "../../domain/attempt.ts";
import type { Run } from "../../domain/run.ts";
import { failureDiff, restartDiff, sharedIn } from "../../protocols/ralph/shared.ts";
import { saveDiff } from "../../workspaces/trees/salvage.ts";
import type { Parts } from "../parts.ts";

export interface LeftBehind {
  readonly attempt: Attempt;
  readonly base: string;
}

/** What the last of these attempts left, if it is to go. */
export function lastDiscarded(attempts: readonly Attempt[]): LeftBehind | null {
  for (const candidate of attempts.toReversed()) {
    if (!hasEnded(candidate) || !candidate.state.discards) return null;
    const base = baseOf(candidate);
    if (base !== null) return { attempt: candidate, base };
  }
  return null;
}

/** The file that has it now; null when the attempt changed nothing. */
export async function salvage(
  parts: Pick<Parts, "home">,
  run: Run,
  path: string,
  left: LeftBehind,
): Promise<string | null> {
  const file = salvageFile(parts, run, left.attempt);
  return (await saveDiff(path, left.base, file)) ? file : null;
}

function salvageFile(parts: Pick<Parts, "home">, run: Run, attempt: Attempt): string {
  const { id, place } = run.header;
  const { story, step, number, state } = attempt;
  if (place.shared !== undefined && story !== null) {
    const shared = sharedIn(place.shared);
    // Who asked for one restart too many has failed.
    const restarted = state.phase === "ended" && state.taken?.key === "edit" && state.taken.to !== "fail";
    return restarted ? restartDiff(shared, story, step, number) : failureDiff(shared, story, step, number);
  }
  return join(parts.home.salvage, id, `${story ?? "run"}-${step}-${number}.diff`);
}
