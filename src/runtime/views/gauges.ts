// The state of a whole store in a few numbers, for telemetry.

import type { Gauges } from "../../telemetry/telemetry.ts";
import type { Parts } from "../parts.ts";

/** Ready steps are counted up to here: beyond it, the exact number says nothing more. */
const mostOffers = 10_000;

export async function readGauges({
  store,
  dispatch,
  clock,
}: Pick<Parts, "store" | "dispatch" | "clock">): Promise<Gauges> {
  const now = clock.now();
  const offers = await dispatch.offers(store, { run: null, agent: null, now, limit: mostOffers });
  return {
    runs: await store.runCounts(),
    readySteps: offers.length,
    runningAttempts: (await dispatch.leases({ endedBefore: null })).length,
    openGates: (await store.openGates(null)).length,
    heldAccounts: (await store.holds()).filter(({ until }) => until > now).length,
  };
}
