// Many tabs of one browser, and a service that dies and comes back.

import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { newSite, pawl, type Site, startPawl, writeAt } from "../support/pawl.ts";
import { makeRepository, tempDir } from "../support/repository.ts";
import { type RunningService, startService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { expectAccessible } from "./axe.ts";
import { faultsOf, settled } from "./every-page.ts";
import { watchStreams } from "./open-streams.ts";
import { picture } from "./picture.ts";
import { visit } from "./visit.ts";
import { emptyWorld } from "./worlds/empty.ts";

const gated = `pawl: 1
id: gated
agents: { worker: {} }
steps:
  - { id: look, gate: "Is it good?", options: { approve: next, reject: fail } }
`;

test("[PG30 PG90] ten tabs of one browser share one stream, and when the one that reads it closes, another one goes on", async () => {
  const streams = watchStreams();
  const { home, signIn } = await emptyWorld({ drives: false });
  const repo = makeRepository({ "gated.yml": gated }, { dir: join(tempDir("pawl-tabs-"), "repo") });
  const record = async (task: string) =>
    void (await pawl(["run", "gated.yml", task, "--executor", "command: true", "--detach"], { home, cwd: repo }));
  const { page: first, tab } = await visit(signIn);
  await isLive(first);
  const others = await Promise.all(Array.from({ length: 9 }, async () => await tab("/")));
  for (const other of others) await isLive(other);
  expect({ open: streams.count(), ever: streams.total() }).toEqual({ open: 1, ever: 1 });

  await record("A run that all tabs hear of");
  for (const page of [first, ...others]) await page.getByText("A run that all tabs hear of").first().waitFor();
  expect({ open: streams.count(), ever: streams.total() }).toEqual({ open: 1, ever: 1 });
  // It asks in front of the person, so it is nothing that happened while nobody was here.
  for (const page of [first, ...others]) await page.getByRole("link", { name: "Answer" }).first().waitFor();
  expect(await first.getByRole("heading", { name: "Since you were here" }).count()).toBe(0);

  await first.close();
  await expect.poll(() => [streams.count(), streams.total()]).toEqual([1, 2]);
  await record("A run after the first tab was closed");
  for (const page of others) await page.getByText("A run after the first tab was closed").first().waitFor();
  expect({ open: streams.count(), ever: streams.total() }).toEqual({ open: 1, ever: 2 });
});

async function isLive(page: Page): Promise<void> {
  await page.locator(".bar-top .line.live").waitFor();
}

test("[PG29] a killed service is said to be lost, with the time; what is shown stays; and it comes back without a reload or a gap", async () => {
  const site = newSite();
  await site.pawl("run", writeAt(site, "gated.yml", gated), "Look at it", "--executor", "command: true");
  const { token } = await site.json<{ token: string }>(["token", "create", "--role", "operate"]);
  const first = await startService(site);
  const { page, tab } = await visit(`${first.url}/runs/1/events#token=${token}`, {
    allows: [/^console: Failed to load resource: net::ERR_/, /^console: Failed to load resource: .*503/],
  });
  await settled(page);
  await isLive(page);
  await page.evaluate(() => Object.assign(globalThis, { isTheSamePage: true }));
  const before = (await site.events()).length;
  await expect.poll(() => counted(page)).toBe(before);
  const asking = await tab(`/gates/${(await site.status("1")).gates[0]?.id}`);
  await asking.locator(".answer-option", { hasText: "reject" }).click();
  const send = asking.getByRole("button", { name: "Send: reject" });
  await send.and(asking.locator(":enabled")).waitFor();

  process.kill(first.pid, "SIGKILL");
  await first.ended;
  const banner = page.locator(".banner");
  await banner.waitFor();
  expect(await banner.innerText()).toMatch(/does not answer\. What you see is from \d\d:\d\d:\d\d/);
  expect(await page.getByRole("heading", { name: "Look at it" }).isVisible()).toBe(true);
  expect(await counted(page)).toBe(before);
  expect(await page.locator(".bar-top .line").innerText()).toBe("Connection lost");
  await picture(page, "lost", { height: 560 });
  expect(await faultsOf(page)).toEqual([]);
  await send.click();
  const unsent = asking.locator(".answer-form").getByText("The service does not answer.");
  await unsent.waitFor();

  // What happens while nobody serves it.
  await site.pawl("note", "1", "Written in the dark");
  const problem = { detail: "the store is locked", code: "STORE_BUSY", hint: "", details: [] };
  await page.route("**/api/v1/events*", async (route) => await route.fulfill({ status: 503, json: problem }));
  const second = await startAt(site, first.url);
  expect(second).toBe(first.url);
  // It answers, and has no stream.
  await page.getByText("The service answers with an error: the store is locked.").waitFor();
  await page.unroute("**/api/v1/events*");
  await isLive(page);
  await page.getByText("Written in the dark").waitFor();
  await banner.waitFor({ state: "hidden" });
  await expect.poll(() => counted(page)).toBe((await site.events()).length);
  expect(await counted(page)).toBeGreaterThan(before);
  expect(await page.evaluate(() => "isTheSamePage" in globalThis)).toBe(true);
  await expect.poll(() => unsent.count()).toBe(0);
  await expect.poll(() => send.isEnabled()).toBe(true);
  await expectAccessible(page);
});

/** Events that the page has. */
async function counted(page: Page): Promise<number> {
  return Number(/^\d+/.exec(await page.locator(".events .section-line .number").innerText())?.[0]);
}

/** At the port of the one that was killed. Returns its address. */
async function startAt(site: Site, url: string): Promise<RunningService["url"]> {
  const running = startPawl(["up", "--port", new URL(url).port, "--json"], { home: site.home, cwd: site.repo });
  await until(() => running.stdout().includes("\n") || running.child.exitCode !== null);
  return (JSON.parse(running.stdout()) as { url: string }).url;
}
