// Which run owns a place. A shared folder belongs to at most one run that is not over, and so does a file of stories in one
// repository: a second start continues that run instead of doing its work twice.

import { AppError } from "../../domain/error.ts";
import type { RunPlace } from "../../domain/run.ts";
import type { LocatedRun, Store } from "../../store/store.ts";

type Place = Pick<RunPlace, "repo" | "shared" | "source">;

/** Runs with this shared folder or this file, the newest first. A file counts together with the repository of the work. */
export async function runsAtPlace(runs: Pick<Store, "runsAt">, place: Place): Promise<readonly LocatedRun[]> {
  const [shared, source] = [place.shared ?? null, place.source ?? null];
  if (shared === null && source === null) return [];
  const found = await runs.runsAt({ shared, source });
  return found.filter((run) => (shared !== null && run.shared === shared) || run.repo === place.repo);
}

/** A failed run may be retried, so it keeps its place. */
export function keepsPlace({ status }: Pick<LocatedRun, "status">): boolean {
  return status !== "done" && status !== "cancelled";
}

/** Throws `PlaceTaken` if a run that is not over has this place. */
export async function assertFreePlace(runs: Pick<Store, "runsAt">, place: Place): Promise<void> {
  const taken = (await runsAtPlace(runs, place)).find(keepsPlace);
  if (taken) throw new PlaceTaken(taken, place);
}

/** Another process was faster: its run has the folder or the file. */
export class PlaceTaken extends AppError {
  constructor({ number, shared, source }: LocatedRun, place: Place) {
    const what = source !== null && source === place.source ? source : shared;
    super("REFUSED", `run #${number} already uses ${what}`, {
      hint: `end it first (\`pawl resume ${number}\` or \`pawl cancel ${number}\`), or choose another folder with --shared`,
    });
  }
}
