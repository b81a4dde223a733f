// Frames of a page in the browser of the benchmark: the time from one to the next, and the page's own work for each.

import type { CDPSession, Page } from "playwright-core";
import { median } from "./measure.ts";
import type { ScrolledFrames } from "./page.ts";

/** While what `selector` names is scrolled from top to bottom, several times. */
export async function scrolledFrames(page: Page, selector: string): Promise<ScrolledFrames> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const passes: ScrolledFrames[] = [];
  for (let pass = 0; pass < 5; pass += 1) {
    const before = await workedMs(session);
    const frames = await scroll(page, selector);
    passes.push({ frameMs: slowOf(frames), workMs: ((await workedMs(session)) - before) / frames.length });
  }
  return { frameMs: median(passes.map(({ frameMs }) => frameMs)), workMs: median(passes.map(({ workMs }) => workMs)) };
}

async function scroll(page: Page, selector: string): Promise<readonly number[]> {
  return await page.evaluate(async (selected) => {
    const box = document.querySelector(selected) as HTMLElement;
    const times: number[] = [];
    const steps = 120;
    let last = performance.now();
    for (let i = 0; i <= steps; i += 1) {
      box.scrollTop = ((box.scrollHeight - box.clientHeight) * i) / steps;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return times;
  }, selector);
}

/** The 95th percentile, for some time. */
export async function slowFrame(page: Page, ms: number): Promise<number> {
  const frames = await page.evaluate(async (duration) => {
    const times: number[] = [];
    const from = performance.now();
    for (let last = from; last - from < duration; ) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      times.push(now - last);
      last = now;
    }
    return times;
  }, ms);
  return slowOf(frames);
}

function slowOf(frames: readonly number[]): number {
  return frames.toSorted((a, b) => a - b)[Math.floor(frames.length * 0.95)] ?? 0;
}

async function workedMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
}
