// The short form of `npm run chaos`.

import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { campaignMs } from "../support/patience.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";
import { campaign } from "./campaign.ts";

const kills = rounds({ usual: 30, all: 60 });

test(`[RC15 RC20 CM29] ${kills} kills at any moment: every run ends as done, no story is implemented twice, nothing is left behind`, {
  timeout: campaignMs,
}, async () => {
  const summary = await campaign({ kills, seed, lanes: 3, say: () => undefined });
  const { violations, dir, ...figures } = summary;
  // On a violation the directory is kept; `npm run chaos -- --seed …` repeats the test.
  expect({ violations, kept: dir, ...figures }).toMatchObject({ violations: [] });
  expect(figures.killed).toBeGreaterThanOrEqual(kills);
  // The attempt of a killed agent has died, that of a killed driver is lost.
  expect(figures.lost + figures.died).toBeGreaterThan(kills / 5);
  expect(figures.pairs).toBeGreaterThan(0);
  expect(figures.frozen + figures.kills.terminal).toBeGreaterThan(0);
  rmSync(dir, { recursive: true, force: true });
});
