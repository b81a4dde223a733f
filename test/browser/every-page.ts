// Every page of a world, looked at in each size and both colour schemes: it must be accessible, no wider than its window, and without a
// fault, which the visit reports.

import type { Page } from "playwright-core";
import { expect } from "vitest";
import { accessibilityFaults } from "./axe.ts";
import { type Scheme, type Size, sizes } from "./visit.ts";
import type { ServedWorld } from "./worlds/served.ts";

export const runTabs = ["chain", "lanes", "stories", "events", "cost", "recovery", "changes"] as const;

/** Addresses that need nothing to be there. */
export const placesOfHome = ["/", "/workflows", "/workflows/feature-dev", "/new", "/projects", "/sessions", "/health"];

export function placesOfRun(run: number): readonly string[] {
  return runTabs.map((tab) => `/runs/${run}/${tab}`);
}

/** The newest gate and the newest attempt of each step of a run. */
export async function placesIn({ app }: Pick<ServedWorld, "app">, run: number): Promise<readonly string[]> {
  const { parts } = await app.read();
  const id = (await parts.store.listRuns({ statuses: null, limit: 100 })).find(({ number }) => number === run)?.id;
  if (id === undefined) throw new Error(`there is no run ${run}`);
  const events = (await parts.store.events(id, 0, 100_000)).map(({ event }) => event);
  const gates = events.flatMap((event) => (event.type === "gate_opened" ? [`/gates/${event.gate.id}`] : []));
  const attempts = new Map(
    events.flatMap((event) =>
      event.type === "attempt_dispatched" ? [[event.step, `/attempts/${event.attempt}`] as const] : [],
    ),
  );
  return [...gates.slice(-1), ...attempts.values()];
}

/** Follows an address within the page, and waits until it shows what it has read. */
export async function open(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);
  await settled(page);
}

export async function settled(page: Page): Promise<void> {
  await page.locator("main :is(h1, h2)").first().waitFor();
  await expect.poll(() => page.locator("main").getByText("Loading…").count()).toBe(0);
}

interface Look {
  readonly size: Size;
  readonly scheme: Scheme;
}

const everyLook: readonly Look[] = (["wide", "narrow", "phone"] as const).flatMap((size) =>
  (["light", "dark"] as const).map((scheme) => ({ size, scheme })),
);

/** One after the other: page by page all of them come. `PAWL_LOOKS=all`: all of them for each page. */
let turn = 0;

function looks(): readonly Look[] {
  if (process.env["PAWL_LOOKS"] === "all") return everyLook;
  turn += 1;
  return everyLook.slice(turn % everyLook.length).slice(0, 1);
}

/** No other rule looks at colours, so the others are asked in one scheme. */
const rulesOfColour = ["color-contrast", "link-in-text-block"];

/** What is wrong with the page as it stands, by look; empty: nothing. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { size, scheme } of looks()) {
    await page.setViewportSize(sizes[size].viewport);
    await page.emulateMedia({ colorScheme: scheme });
    const at = `${new URL(page.url()).pathname} ${size} ${scheme}`;
    found.push(
      ...(await accessibilityFaults(page, scheme === "light" ? null : rulesOfColour)).map((fault) => `${at}: ${fault}`),
    );
    const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (tooWide > 0) found.push(`${at}: ${tooWide} px wider than its window`);
  }
  return found;
}
