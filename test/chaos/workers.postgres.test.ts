// The short form of `npm run chaos -- --scene workers`.

import { rmSync } from "node:fs";
import { expect, inject, test } from "vitest";
import { campaignMs } from "../support/patience.ts";
import { onPostgres } from "../support/postgres.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";
import { workerCampaign } from "./workers/campaign.ts";
import { kindsOfFaults } from "./workers/faults.ts";

onPostgres();

test("[FT1 FT2 FT3 FT4 FT5 FT6 FT7 FT8] workers, the service, the server, the network and the clocks fail: every run ends, nothing is done twice, nothing is left", {
  timeout: campaignMs,
}, async (context) => {
  if (inject("postgres").lasts) context.skip("a campaign kills its server, so it needs one of its own");
  const faults = rounds({ usual: 25, all: 100 });
  const crew = { lanes: 4, workers: 3, guests: 2 };
  const summary = await workerCampaign({ faults, seed, ...crew, isPatient: false, say: () => undefined });
  const { violations, dir, ...figures } = summary;
  // On a violation the directory is kept; `npm run chaos -- --scene workers --seed …` repeats the test approximately.
  expect({ violations, kept: dir, ...figures }).toMatchObject({ violations: [] });
  // Every kind of fault.
  expect([figures.done, Object.keys(figures.faults).toSorted()]).toStrictEqual([
    faults,
    kindsOfFaults(figures.guests).toSorted(),
  ]);
  expect(figures.away > 0).toBe(figures.guests > 0);
  expect(figures.lost).toBeGreaterThan(faults / 10);
  expect(figures.displaced).toBeGreaterThan(0);
  rmSync(dir, { recursive: true, force: true });
});
