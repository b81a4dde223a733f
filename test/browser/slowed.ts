// A page as it is on a busy machine: it computes slowly, and answers come late and out of order. What a test does not wait for is found
// by it on a quiet machine.

import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserContext, Page } from "playwright-core";

/** `PAWL_SLOW_PAGE=6`: the page has a sixth of its speed. */
const rate = Number(process.env["PAWL_SLOW_PAGE"] ?? 1);
const lateMs = 1_500;
/** Most answers come soon, so that one that comes late is overtaken. */
const lateShare = 0.3;
const soonMs = 100;

export async function slowAnswers(context: BrowserContext): Promise<void> {
  if (rate === 1) return;
  await context.route(/\/api\/v1\//, async (route) => {
    await sleep(Math.random() * (Math.random() < lateShare ? lateMs : soonMs));
    // The page may have left meanwhile.
    await route.fallback().catch(() => undefined);
  });
}

export async function slowPage(context: BrowserContext, page: Page): Promise<void> {
  if (rate === 1) return;
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
}
