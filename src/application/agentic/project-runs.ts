// The runs of a project: those whose shared folder is its `.ai/`.

import type { LocatedRun, Store } from "../../store/store.ts";
import type { ProjectPlace } from "./place.ts";

/** The newest first. */
export async function runsOf(
  store: Pick<Store, "runsAt">,
  { ai }: Pick<ProjectPlace, "ai">,
): Promise<readonly LocatedRun[]> {
  return await store.runsAt({ shared: ai, source: null });
}

/** The run that works on the project; null: none does. A failed run may be retried, so it still does. */
export async function openRun(
  store: Pick<Store, "runsAt">,
  place: Pick<ProjectPlace, "ai">,
): Promise<LocatedRun | null> {
  const runs = await runsOf(store, place);
  return runs.find(({ status }) => status !== "done" && status !== "cancelled") ?? null;
}
