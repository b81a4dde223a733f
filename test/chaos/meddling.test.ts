// The short form of `npm run chaos -- --scene meddling`.

import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { seed } from "../support/seed.ts";
import { meddlingCampaign } from "./meddling/campaign.ts";

test("[WS18 WS19 WS20 WS21] agents that break their trees, and a person who commits, resets and rebases: nothing is lost, comes back or stays locked", async () => {
  const { violations, dir } = await meddlingCampaign({ runs: 1, seed, say: () => undefined });
  // On a violation the directory is kept; `npm run chaos -- --scene meddling --seed …` repeats the test approximately.
  expect({ violations, kept: dir, seed }).toMatchObject({ violations: [] });
  rmSync(dir, { recursive: true, force: true });
});
