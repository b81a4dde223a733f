// The short form of `npm run chaos -- --scene ends`.

import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { seed } from "../support/seed.ts";
import { endsCampaign } from "./ends/campaign.ts";

test("[RC15 RC40] drivers that are killed between the end of their run and its closing: the next command finishes it, even `runs`", async () => {
  const { violations, dir, kills } = await endsCampaign({ kills: 3, seed, say: () => undefined });
  // On a violation the directory is kept; `npm run chaos -- --scene ends --seed …` repeats the test approximately.
  expect({ violations, kept: dir, seed }).toMatchObject({ violations: [] });
  expect(kills).toEqual({ runs: 1, status: 1, "prd run": 1 });
  rmSync(dir, { recursive: true, force: true });
});
