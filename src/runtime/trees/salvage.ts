// Salvage of attempts: the work of an attempt that is rolled back is kept as a diff, where its protocol says or in Pawl's home.

import { join } from "node:path";
import { type Attempt, baseOf, hasEnded } from "../../domain/attempt.ts";
import { errorText } from "../../domain/error.ts";
import type { Run } from "../../domain/run.ts";
import { saveDiff } from "../../workspaces/trees/salvage.ts";
import type { Parts } from "../parts.ts";

export interface LeftBehind {
  readonly attempt: Attempt;
  readonly base: string;
}

/**
 * What the last of these attempts left, if the engine has decided to discard it. An attempt that died before it began has left nothing;
 * then the one before it counts. A run that was retried continues in its failed step.
 */
export function lastDiscarded(attempts: readonly Attempt[]): LeftBehind | null {
  for (const candidate of attempts.toReversed()) {
    if (!hasEnded(candidate) || !candidate.state.discards) return null;
    const base = baseOf(candidate);
    if (base !== null) return { attempt: candidate, base };
  }
  return null;
}

/** The file that has the diff; null when the attempt changed nothing. */
export async function salvage(
  parts: Pick<Parts, "home" | "protocols" | "log">,
  run: Run,
  path: string,
  left: LeftBehind,
): Promise<string | null> {
  const file = salvageFile(parts, run, left.attempt);
  return (await saveDiff(path, left.base, file)) ? file : null;
}

function salvageFile(parts: Pick<Parts, "home" | "protocols" | "log">, run: Run, attempt: Attempt): string {
  const { story, step, number } = attempt;
  const ours = join(parts.home.salvage, run.header.id, `${story ?? "run"}-${step}-${number}.diff`);
  try {
    return parts.protocols.of(run.header.definition).diffFile(run.header, attempt) ?? ours;
  } catch (error) {
    // Work must not be lost because its protocol has no name for it.
    parts.log("protocol.failed", { run: run.header.id, attempt: attempt.id, why: errorText(error) });
    return ours;
  }
}
