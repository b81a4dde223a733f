// The first page and the page of a run, on a busy afternoon: what they show first, their addresses, the past, keys, a phone.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createToken } from "../../src/application/access/tokens.ts";
import { faultsOf, open, placesIn, placesOfHome, placesOfRun, runTabs, settled } from "./every-page.ts";
import { picture, pictureInBoth } from "./picture.ts";
import { sharedWorld } from "./shared-world.ts";
import { visit } from "./visit.ts";
import { busyWorld } from "./worlds/busy.ts";

const world = sharedWorld(busyWorld);

async function signedIn(path = "/", options: Parameters<typeof visit>[1] = {}) {
  const { url, token } = world();
  const visited = await visit(`${url}${path}#token=${token}`, options);
  await settled(visited.page);
  return visited;
}

function place(page: Page): string {
  const { pathname, search } = new URL(page.url());
  return pathname + search;
}

async function gatesOf(): Promise<readonly { readonly question: string; readonly openedAt: string }[]> {
  const { url, token } = world();
  const answer = await fetch(`${url}/api/v1/gates`, { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { gates: { question: string; openedAt: string }[] }).gates;
}

test("[PG31] what needs a person comes first, the oldest first, and is counted in the title", async () => {
  const { page } = await signedIn();
  await expect.poll(() => page.title()).toBe("(3) Pawl");
  const headings = await page.locator("main h2").allInnerTexts();
  const names = headings.map((text) => text.replace(/\s*\d+$/, ""));
  expect(names.filter((name) => ["Needs you", "Stuck or failed", "Running", "Recent"].includes(name))).toEqual([
    "Needs you",
    "Stuck or failed",
    "Running",
    "Recent",
  ]);
  const gates = (await gatesOf()).toSorted((a, b) => a.openedAt.localeCompare(b.openedAt));
  expect(gates).toHaveLength(3);
  expect(await page.locator(".question .asked").allInnerTexts()).toEqual(gates.map(({ question }) => question));
  await expect.poll(() => page.getByRole("navigation", { name: "Pages" }).innerText()).toMatch(/Home\s*3/);
  const stuck = page.getByRole("region", { name: "Stuck or failed" });
  expect(await stuck.getByRole("listitem").filter({ hasText: "Index the search" }).innerText()).toContain("pawl up");
  await pictureInBoth(page, "home", { height: 760 });
});

test("[PG90] what happened while no page was open is listed once one is; the next stay does not repeat it", async () => {
  const stay = { from: 0, to: 0, seen: 1, at: 0 };
  const { page, tab } = await signedIn("/health");
  await page.evaluate((kept) => localStorage.setItem("pawl.stay", JSON.stringify(kept)), stay);
  await page.goto("about:blank");
  const other = await tab("/");
  const list = other.getByRole("region", { name: "Since you were here" });
  await list.getByRole("listitem").filter({ hasText: "Move to the new payment API" }).waitFor();
  const kept = () =>
    other.evaluate(
      () => JSON.parse(localStorage.getItem("pawl.stay") ?? "null") as { from: number; to: number; seen: number },
    );
  await expect.poll(async () => (await kept()).seen).toBeGreaterThan(1);
  const { to, seen } = await kept();
  expect(seen).toBeGreaterThanOrEqual(to);
  await list.getByRole("button", { name: "Mark as seen" }).click();
  await expect.poll(() => list.count()).toBe(0);
  await other.reload();
  await settled(other);
  expect((await kept()).from).toBe(to);
  expect(await list.count()).toBe(0);
});

test("[PG20 PG31] words of the search and the filter are in the address, and a reload keeps them", async () => {
  const { page } = await signedIn();
  const rows = page.locator("table.runs tbody tr");
  await expect.poll(() => rows.count()).toBe(8);
  await page.getByRole("searchbox").fill("checkout");
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining("Drop the old checkout")]);
  await expect.poll(() => place(page)).toBe("/?q=checkout");
  await page.getByLabel("Status").selectOption("failed");
  await page.getByText("No run fits this filter.").waitFor();
  await expect.poll(() => place(page)).toBe("/?q=checkout&status=failed");
  await page.reload();
  await page.getByText("No run fits this filter.").waitFor();
  await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("checkout");
  await page.getByRole("searchbox").fill("");
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining("Move to the new payment API")]);
});

test("[PG20 PG28] the time bar and keys move through a run; in the past every action is off; a reload keeps the moment", async () => {
  const { stories } = world().runs;
  const { page } = await signedIn(`/runs/${stories}`);
  const [pause, slider] = [page.getByRole("button", { name: "Pause" }), page.getByRole("slider")];
  await expect.poll(() => pause.isEnabled()).toBe(true);
  const last = Number(await slider.getAttribute("max"));
  await slider.fill("12");
  await expect.poll(() => place(page)).toBe(`/runs/${stories}?at=12`);
  await page.getByText("In the past").waitFor();
  expect(await pause.isDisabled()).toBe(true);
  expect(await page.getByRole("button", { name: "Cancel" }).first().isDisabled()).toBe(true);

  await page.keyboard.press("[");
  await expect.poll(() => place(page)).toBe(`/runs/${stories}?at=11`);
  await page.keyboard.press("]");
  await page.keyboard.press("]");
  await expect.poll(() => place(page)).toBe(`/runs/${stories}?at=13`);
  await page.keyboard.press("4");
  await page.getByLabel("Filter").fill("US-00");
  const kept = `/runs/${stories}/events?at=13&q=US-00`;
  await expect.poll(() => place(page)).toBe(kept);
  const shown = await page.locator(".events .section-line .number").innerText();

  await page.reload();
  await settled(page);
  await expect.poll(() => place(page)).toBe(kept);
  await expect.poll(() => slider.inputValue()).toBe("13");
  await expect.poll(() => page.getByLabel("Filter").inputValue()).toBe("US-00");
  await expect.poll(() => page.locator(".events .section-line .number").innerText()).toBe(shown);
  expect(await pause.isDisabled()).toBe(true);

  await page.locator("main").focus();
  await page.keyboard.press(".");
  await expect.poll(() => place(page)).toBe(`/runs/${stories}/events?q=US-00`);
  await expect.poll(() => slider.inputValue()).toBe(String(last));
  await expect.poll(() => pause.isEnabled()).toBe(true);
});

test("[PG24] lanes show each story over time, what works now, and what waits", async () => {
  const { page } = await signedIn(`/runs/${world().runs.stories}/lanes`);
  const lanes = page.locator(".lane[data-row]");
  await expect.poll(() => lanes.count()).toBe(13);
  await expect.poll(() => page.locator(".lane .bar.running").count()).toBe(4);
  await expect.poll(() => page.locator(".lane[data-row] .bar.failed").count()).toBe(1);
  await pictureInBoth(page, "run-lanes", { height: 760 });
});

test("[PG61] the log of an attempt is there after its driver was killed", async () => {
  const [path = ""] = (await placesIn(world(), world().runs.left)).slice(-1);
  const { page } = await signedIn(path);
  await page.getByText("Reading the orders.").first().waitFor();
});

test("[PG32] by keys alone: what needs you, a search, a run, its views, its past, and the list of keys", async () => {
  const { stories } = world().runs;
  const { page } = await signedIn();
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
  await page.keyboard.press("Tab");
  await expect.poll(focused).toBe("Skip to the content");
  for (const key of ["4", "g", "n"]) await page.keyboard.press(key);
  await expect.poll(() => new URL(page.url()).pathname).toBe("/");
  const questions = page.locator(".question");
  await expect.poll(() => questions.count()).toBe(3);
  const [first, second] = await questions.allInnerTexts();
  await page.keyboard.press("j");
  await expect.poll(async () => first?.includes(await focused())).toBe(true);
  await page.keyboard.press("j");
  await expect.poll(async () => second?.includes(await focused())).toBe(true);
  await page.keyboard.press("k");
  await expect.poll(async () => first?.includes(await focused())).toBe(true);

  await page.keyboard.press("/");
  await page.keyboard.type(`#${stories}`);
  await expect.poll(() => page.locator("table.runs tbody tr").count()).toBe(1);
  await page.keyboard.press("Escape");
  while ((await page.evaluate(() => document.activeElement?.closest("tr"))) === null) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => place(page)).toBe(`/runs/${stories}`);
  await settled(page);
  for (const [index, tab] of runTabs.entries()) {
    await page.keyboard.press(String(index + 1));
    await expect.poll(() => place(page)).toBe(`/runs/${stories}/${tab}`);
  }
  await page.keyboard.press("[");
  await expect.poll(() => place(page)).toMatch(/\?at=\d+$/);
  await page.keyboard.press(".");
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keys" });
  expect(await keys.innerText()).toContain("One event back in time");
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "hidden" });
  for (const key of ["g", "h"]) await page.keyboard.press(key);
  await expect.poll(() => place(page)).toBe("/");
});

test("[PG33] on a phone, what needs you is on the first screen, and everything can be touched", async () => {
  const { runs } = world();
  const { page } = await signedIn("/", { size: "phone" });
  const answer = page.locator(".question .button").first();
  expect((await answer.boundingBox())?.y).toBeLessThan(400);
  await picture(page, "phone", { height: 720 });
  for (const path of ["/", "/health", ...placesOfRun(runs.stories), ...(await placesIn(world(), runs.renamed))]) {
    await open(page, path);
    expect({ path, small: await smallTargets(page) }).toEqual({ path, small: [] });
    expect({ path, beside: await currentBeside(page) }).toEqual({ path, beside: [] });
  }
});

/** Current links of lists that scroll sideways which cannot be seen. */
async function currentBeside(page: Page): Promise<readonly string[]> {
  return await page.locator("nav [aria-current]").evaluateAll((found) =>
    found.flatMap((link) => {
      const { left, right } = link.getBoundingClientRect();
      return left < 0 || right > innerWidth ? [link.textContent ?? ""] : [];
    }),
  );
}

/** Links within a sentence may be as high as its lines. */
async function smallTargets(page: Page): Promise<readonly string[]> {
  return await page.locator("button, .button, input, select, summary, nav a").evaluateAll((found) =>
    found.flatMap((element) => {
      const { width, height } = element.getBoundingClientRect();
      const isShown = width > 0 && height > 0 && !element.matches("[type=checkbox], [type=radio]");
      return isShown && Math.min(width, height) < 24 ? [`${element.outerHTML.slice(0, 80)} ${width} x ${height}`] : [];
    }),
  );
}

test("[PG17] a token that may only read or only answer is offered nothing else, and told why", async () => {
  const { url, app, runs } = world();
  const [gate = ""] = await placesIn(world(), runs.renamed);
  for (const role of ["read", "answer"] as const) {
    const { token, name } = await createToken(app, { role, name: `only-${role}` });
    const { page } = await visit(`${url}/#token=${token}`);
    await page.getByRole("status").getByText(`Signed in as ${name}. Its role is ${role}`).waitFor();
    await settled(page);
    const offers = page
      .getByRole("link", { name: /^New run$|^Start a run$/ })
      .or(page.getByRole("button", { name: /^Retry/ }));
    expect(await offers.count()).toBe(0);
    await expect
      .poll(() => page.locator(".question .button").allInnerTexts())
      .toEqual(Array(3).fill(role === "read" ? "Look" : "Answer"));
    await open(page, `/runs/${runs.renamed}`);
    await expect
      .poll(() => page.locator(".run-actions").innerText())
      .toContain("may not steer runs. That needs the role operate.");
    expect(await page.getByRole("button", { name: /^(?:Pause|Cancel|Resume|Retry)/ }).count()).toBe(0);
    await open(page, gate);
    await page.locator(".file").first().waitFor();
    await expect.poll(() => page.locator(".answer-name").allInnerTexts()).toEqual(["approve", "reject"]);
    await expect.poll(() => page.locator(".gate-answer").innerText()).toContain("work starts again");
    expect(await page.getByText("That needs the role answer.").count()).toBe(role === "read" ? 1 : 0);
    const mayAnswer = role === "answer" ? 1 : 0;
    await expect.poll(() => page.getByRole("form", { name: "Your answer" }).count()).toBe(mayAnswer);
    await expect.poll(() => page.locator("button.diff-numbers").count().then(Math.sign)).toBe(mayAnswer);
    expect(role === "read" ? await faultsOf(page) : []).toEqual([]);
    await open(page, "/new");
    await page.getByText("Your token may not start runs.").waitFor();
    expect(await page.getByRole("button", { name: "Start the run" }).count()).toBe(0);
    await open(page, "/workflows/feature-dev");
    expect(await offers.count()).toBe(0);
  }
});

test("[PG34] every page of it is accessible and fits, at each size and in both schemes", async () => {
  const { runs } = world();
  const places = [
    ...placesOfHome,
    ...placesOfRun(runs.stories),
    `/runs/${runs.stories}/chain?at=30`,
    `/runs/${runs.failed}`,
    `/runs/${runs.left}/recovery`,
    `/compare?a=${runs.done}&b=${runs.failed}`,
    ...(await placesIn(world(), runs.renamed)).slice(0, 2),
    ...(await placesIn(world(), runs.failed)).slice(-1),
  ];
  const { page } = await signedIn();
  const found: string[] = [];
  for (const path of places) {
    await open(page, path);
    found.push(...(await faultsOf(page)));
  }
  expect(found).toEqual([]);
});

test("[PG92] the last: a failed run is retried from the list, after the page has said what that does", async () => {
  const { runs } = world();
  const { page } = await signedIn();
  const failed = page.getByRole("region", { name: "Stuck or failed" }).getByRole("listitem");
  const row = failed.filter({ hasText: "Move to the new payment API" });
  await row.getByRole("button", { name: `Retry run #${runs.failed}` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The step work is tried again, then the steps after it.").waitFor();
  await dialog.getByRole("button", { name: "Retry", exact: true }).click();
  await row.getByRole("button", { name: `Retry run #${runs.failed}` }).waitFor({ state: "detached" });
  await open(page, `/runs/${runs.failed}/events`);
  await page.getByText("continues", { exact: true }).waitFor();
});
