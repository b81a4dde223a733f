// The runs of a project: those whose shared folder is its `.ai/`.

import type { LocatedRun, Store } from "../../store/store.ts";
import type { ProjectPlace } from "./place.ts";

/** The newest first. */
export async function runsOf(store: Pick<Store, "runsAt">, { ai }: ProjectPlace): Promise<readonly LocatedRun[]> {
  return await store.runsAt({ shared: ai, source: null });
}
