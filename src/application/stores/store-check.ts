// Checking a store. Owns: what is wrong with it, found without changing it, also while runs are driven.

import { openStore } from "../../app.ts";
import type { StoreCheckDocument } from "../../contracts/machine-documents.ts";
import type { StoreProgress } from "../../store/store.ts";
import { systemClock } from "../../system/clock.ts";
import { makePrivateHome } from "../../system/private-home.ts";
import type { Application } from "../application.ts";
import { storePlace, usedPlace } from "./store-places.ts";

/** `given` null: the store that commands use here. */
export async function checkStore(
  app: Application,
  given: string | null,
  onProgress: (progress: StoreProgress) => void,
): Promise<StoreCheckDocument> {
  const place = given === null ? usedPlace(app) : storePlace(app, given);
  const narrowed = makePrivateHome(app.home.dir);
  if (narrowed !== null) app.warn(narrowed);
  const store = await openStore(place.address, app.home, systemClock, true);
  try {
    const { runs, events, problems } = await store.check(onProgress);
    return { store: place.label, ok: problems.length === 0, runs, events, problems };
  } finally {
    await store.close();
  }
}
