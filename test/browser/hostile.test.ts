// A run whose every text is an attack: nothing of it runs on any page, and it is shown as the text that it is.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { serve } from "../support/http-service.ts";
import { faultsOf, open, placesIn, placesOfHome, placesOfRun, settled } from "./every-page.ts";
import { sharedWorld } from "./shared-world.ts";
import { documentOf, icon, stubPage } from "./stub-page.ts";
import { visit } from "./visit.ts";
import { attacks, hostileWorld } from "./worlds/hostile.ts";

const world = sharedWorld(hostileWorld);

async function everyPlace(): Promise<readonly string[]> {
  const { run } = world();
  const stories = ["US-001", "US-002", "US-003"].map((story) => `/runs/${run}/stories?story=${story}`);
  const moments = [1, 20, 40].map((at) => `/runs/${run}/events?at=${at}`);
  return [
    ...placesOfHome,
    "/?q=%3Cimg",
    `/compare?a=${run}&b=${run}`,
    ...placesOfRun(run),
    ...stories,
    ...moments,
    ...(await placesIn(world(), run)).flatMap((path) =>
      path.startsWith("/attempts/")
        ? ["", "?raw=1", "?show=prompt", "?show=result", "?show=changes"].map((view) => path + view)
        : [path],
    ),
  ];
}

/** What an attack would have left behind. */
async function traces(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    // Also links within drawings.
    const links = [...document.querySelectorAll("#app [href]")].map(
      (link) => new URL(link.getAttribute("href") ?? "", location.href),
    );
    const made = document.querySelectorAll(
      "#app :is(script, iframe, object, embed, img[src='x'], [onerror], [onload])",
    );
    const hiddenIn = (root: Node) => {
      const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const found: string[] = [];
      while (texts.nextNode()) {
        const { nodeValue, parentElement } = texts.currentNode;
        if (/[\u202a-\u202e\u2066-\u2069]/u.test(nodeValue ?? ""))
          found.push(`${parentElement?.closest("[class]")?.outerHTML.slice(0, 60)}`);
      }
      return found;
    };
    return [
      ...("attacked" in globalThis ? [`ran: ${String((globalThis as { attacked?: unknown }).attacked)}`] : []),
      ...[...made].map((element) => `made: ${element.outerHTML.slice(0, 80)}`),
      ...links.filter(({ protocol }) => !protocol.startsWith("http")).map(({ href }) => `leads to: ${href}`),
      ...hiddenIn(document.body).map((text) => `turns its direction: ${text}`),
      ...(document.title.includes("attacked") ? [`titled: ${document.title}`] : []),
    ];
  });
}

test("[PG35] no script of a task, title, name, question, note, log line, file or diff runs on any page", async () => {
  const { page } = await visit(world().signIn);
  await settled(page);
  const found: Record<string, readonly string[]> = {};
  for (const path of await everyPlace()) {
    await open(page, path);
    // From the last: one that is open counts no more, and the others would have other places.
    const closed = await page.locator("main details:not([open]) > summary").all();
    for (const summary of closed.toReversed()) await summary.click();
    for (const box of await page.getByLabel("JSON of the event").all()) await box.check();
    const left = await traces(page);
    if (left.length > 0) found[path] = left;
  }
  expect(found).toEqual({});
});

test("[PG35] an attack is shown as the text that it is", async () => {
  const { page } = await visit(world().signIn);
  await settled(page);
  expect(await page.locator(".question .asked").innerText()).toContain(attacks.script);
  await open(page, `/runs/${world().run}`);
  await expect.poll(() => page.locator("h1").innerText()).toContain(attacks.script);
  await expect.poll(() => page.locator(".chain").innerText()).toContain(attacks.svg);
  await open(page, `/runs/${world().run}/stories?story=US-002`);
  await expect.poll(() => page.locator("main").innerText()).toContain(attacks.image);
});

test("[PG35 HT9] put into a page as HTML, these texts run; under the policy of the service they do not", async () => {
  const html = `document.querySelector("p").innerHTML = ${JSON.stringify(attacks.image + attacks.svg + attacks.frame)};`;
  const careless = stubPage({ "index.html": documentOf("<main><p></p></main>"), "main.js": html, "icon.svg": icon });
  const attacked = (page: Page) => page.evaluate(() => "attacked" in globalThis);
  const open = await serve({ page: careless }, { headers: {} });
  const { page: victim } = await visit(open.url, { allows: [/^console: Failed to load resource.*404/] });
  await expect.poll(() => attacked(victim)).toBe(true);
  const guarded = await serve({ page: careless });
  const allows = [/^policy: require-trusted-types-for/, /^error: .*TrustedHTML/, /^console: .*TrustedHTML/];
  const { page, faults } = await visit(guarded.url, { allows });
  await expect.poll(() => faults.some((fault) => fault.startsWith("error:"))).toBe(true);
  expect(await attacked(page)).toBe(false);
});

test("[PG34] with all that, each page is accessible and fits, at each size and in both schemes", async () => {
  const { page } = await visit(world().signIn);
  await settled(page);
  const found: string[] = [];
  for (const path of ["/", ...placesOfRun(world().run), ...(await placesIn(world(), world().run))]) {
    await open(page, path);
    found.push(...(await faultsOf(page)));
  }
  expect(found).toEqual([]);
});
