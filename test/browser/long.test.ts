// A run of 20,000 events, 1,100 stories: it loads, moves in time, filters and scrolls, and the page stays small.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { open, placesOfRun, settled } from "./every-page.ts";
import { sharedWorld } from "./shared-world.ts";
import { visit } from "./visit.ts";
import { longWorld } from "./worlds/long.ts";

const world = sharedWorld(longWorld);
/** More than any view of it needs, and fewer than one for each event or story. */
const mostNodes = 2_500;

async function longRun(tab: string): Promise<Page> {
  const { url, token, run } = world();
  const { page } = await visit(`${url}/runs/${run}/${tab}#token=${token}`);
  await settled(page);
  await expect.poll(async () => Number(await page.getByRole("slider").getAttribute("max"))).toBeGreaterThan(19_999);
  return page;
}

async function nodesOf(page: Page): Promise<number> {
  return await page.evaluate(() => document.querySelectorAll("*").length);
}

test("[PG21 PG27 PG36] 20,000 events load, and are searched, scrolled and moved through", async () => {
  const page = await longRun("events");
  const count = page.locator(".events .section-line .number");
  await expect.poll(() => count.innerText()).toMatch(/^2\d{4} events$/);
  const list = page.getByRole("region", { name: "Events" }).last();
  expect(await nodesOf(page)).toBeLessThan(mostNodes);

  for (const part of [0, 0.5, 1]) {
    const first = page.locator(".event").first();
    const before = await first.innerText();
    await list.evaluate((element, at) => (element.scrollTop = at * element.scrollHeight), part);
    await expect.poll(() => first.innerText()).not.toBe(before);
    // Rows fill what is in sight.
    const box = await list.boundingBox();
    const shown = await page.locator(".event").evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().y));
    expect(Math.min(...shown)).toBeLessThanOrEqual((box?.y ?? 0) + 26);
    expect(Math.max(...shown)).toBeGreaterThanOrEqual((box?.y ?? 0) + (box?.height ?? 0) - 2 * 26);
    expect(await nodesOf(page)).toBeLessThan(mostNodes);
  }

  await page.getByLabel("Filter").fill("US-0500 ");
  await expect.poll(() => count.innerText()).toMatch(/^\d{1,3} of 2\d{4} events$/);
  await page.getByLabel("Filter").fill("");
  await page.getByLabel("Failed only").check();
  await expect.poll(() => count.innerText()).toMatch(/^\d{3,4} of 2\d{4} events$/);
  await page.getByLabel("Failed only").uncheck();

  for (const at of ["1", "10123", "19999", "175"]) {
    await page.getByRole("slider").fill(at);
    await expect.poll(() => new URL(page.url()).search).toBe(`?at=${at}`);
    await page.locator(".event.current").waitFor();
    await expect.poll(() => page.locator(".time-bar .place").innerText()).toContain(`event ${at} of`);
  }
});

test("[PG28] a moment that is not read yet is waited for, and nothing else is shown as it", async () => {
  const { url, run } = world();
  const page = await longRun("events");
  const rest = /\/events\?after=[1-9]/;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(rest, async (route) => {
    await released;
    await route.continue();
  });
  const isAsked = page.waitForRequest(rest);
  await page.goto(`${url}/runs/${run}?at=19000`);
  // The first events are there, and the moment is not among them.
  await isAsked;
  await page.locator("main").getByText("Loading…").waitFor();
  expect(await page.getByRole("slider").count()).toBe(0);
  release();
  await expect.poll(() => page.locator(".time-bar .place").innerText()).toContain("event 19000 of");
  expect(await page.getByRole("button", { name: "Pause" }).isDisabled()).toBe(true);
});

test("[PG36] no view of it has more than its window needs", async () => {
  const page = await longRun("chain");
  const found: Record<string, boolean> = {};
  for (const path of placesOfRun(world().run)) {
    await open(page, path);
    found[path] = (await nodesOf(page)) < mostNodes;
  }
  expect(found).toEqual(Object.fromEntries(placesOfRun(world().run).map((path) => [path, true])));
});
