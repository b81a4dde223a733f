// Salvage of attempts: the work of an attempt that is rolled back is kept as a diff, where its protocol says or in Pawl's home.

import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Attempt, baseOf, hasEnded, placeName } from "../../domain/attempt.ts";
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
  const { chosen, ours } = salvagePlaces(parts, run, left.attempt);
  const saved = async ({ file, root }: SalvagePlace) => ((await saveDiff(path, left.base, file, root)) ? file : null);
  if (chosen === null) return await saved(ours);
  try {
    return await saved(chosen);
  } catch (error) {
    // An agent can put a link in the place of the folder. Work must not be lost for that.
    parts.log("salvage.elsewhere", { run: run.header.id, attempt: left.attempt.id, why: errorText(error) });
    return await saved(ours);
  }
}

/** The diffs that were saved of attempts of a story, or of the run's own chain, the newest first. */
export function savedDiffsOf(
  parts: Pick<Parts, "home" | "protocols" | "log">,
  run: Run,
  attempts: readonly Attempt[],
): readonly string[] {
  return attempts
    .toSorted((one, other) => other.startedAt - one.startedAt)
    .flatMap((attempt) => {
      const { chosen, ours } = salvagePlaces(parts, run, attempt);
      const places = [...(chosen === null ? [] : [chosen]), ours];
      return places.map(({ file }) => file).filter((file) => lstatSync(file, { throwIfNoEntry: false })?.isFile());
    });
}

interface SalvagePlace {
  /** The folder that the file is in. */
  readonly root: string;
  readonly file: string;
}

interface Places {
  /** Where its protocol wants it. */
  readonly chosen: SalvagePlace | null;
  readonly ours: SalvagePlace;
}

function salvagePlaces(parts: Pick<Parts, "home" | "protocols" | "log">, run: Run, attempt: Attempt): Places {
  const { story, number } = attempt;
  const root = parts.home.salvage;
  const ours = { root, file: join(root, run.header.id, `${story ?? "run"}-${placeName(attempt)}-${number}.diff`) };
  try {
    const file = parts.protocols.of(run.header.definition).diffFile(run.header, attempt);
    return { ours, chosen: file === null ? null : { root: run.header.place.shared ?? dirname(file), file } };
  } catch (error) {
    // Work must not be lost because its protocol has no name for it.
    parts.log("protocol.failed", { run: run.header.id, attempt: attempt.id, why: errorText(error) });
    return { ours, chosen: null };
  }
}
