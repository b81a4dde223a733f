// Signing in: by a code, by a token in the address or in a field; where the token is then, and where it is not.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createSignInCode } from "../../src/application/access/sign-in.ts";
import { createToken, revokeToken } from "../../src/application/access/tokens.ts";
import { sha256Of } from "../../src/system/sha256.ts";
import { faultsOf, settled } from "./every-page.ts";
import { sharedWorld } from "./shared-world.ts";
import { visit } from "./visit.ts";
import { emptyWorld } from "./worlds/empty.ts";

const world = sharedWorld(async () => await emptyWorld({ drives: false }));
const minuteMs = 60_000;

/** Where this text is, of all that a browser keeps for the page. */
async function placesWith(page: Page, text: string): Promise<readonly string[]> {
  return await page.evaluate((secret) => {
    const kept = {
      address: location.href,
      history: JSON.stringify(history.state ?? ""),
      document: document.documentElement.outerHTML,
      session: JSON.stringify(sessionStorage),
      cookie: document.cookie,
      name: window.name,
      local: JSON.stringify(localStorage),
    };
    return Object.entries(kept).flatMap(([place, value]) => (value.includes(secret) ? [place] : []));
  }, text);
}

test("[PG7 PG16] a code signs in once; then code and token are in no address, and the token in localStorage alone", async () => {
  const { url, app } = world();
  const { code } = await createSignInCode(app, minuteMs);
  const { page, context } = await visit(`${url}/health`);
  const asked: string[] = [];
  const answers: string[] = [];
  context.on("request", (request) => asked.push(`${request.url()} ${request.headers()["referer"] ?? ""}`));
  context.on("response", async (response) => {
    const type = response.headers()["content-type"] ?? "";
    if (!type.includes("json") || response.url().endsWith("/sign-in")) return;
    // The page may leave before an answer has come.
    const text = await response.text().catch(() => null);
    if (text !== null) answers.push(text);
  });
  await page.goto(`${url}/?status=done#code=${code}`);
  await settled(page);
  await expect.poll(() => page.url()).toBe(`${url}/?status=done`);
  const token = await page.evaluate(() => localStorage.getItem("pawl.token"));
  expect(token).toMatch(/^pawl_/);
  expect(await placesWith(page, token ?? "")).toEqual(["local"]);
  expect(await placesWith(page, code)).toEqual([]);
  await expect.poll(() => answers.length).toBeGreaterThan(1);
  expect([...asked, ...answers].filter((text) => text.includes(token ?? "") || text.includes(code))).toEqual([]);
  // The way back does not lead to it either.
  await page.goBack();
  await expect.poll(() => page.url()).toBe(`${url}/health`);
  await page.goForward();
  await expect.poll(() => page.url()).toBe(`${url}/?status=done`);

  const again = await visit(`${url}/#code=${code}`, { allows: [/status of 401/] });
  await again.page.getByText("Not signed in").waitFor();
  await expect.poll(() => again.page.url()).toBe(`${url}/`);
});

test("[PG16] a token in the address is taken out of it, and one in the field works, too; a wrong one is said", async () => {
  const { url, token } = world();
  const { page } = await visit(`${url}/health#token=${token}`);
  await settled(page);
  await expect.poll(() => page.url()).toBe(`${url}/health`);
  expect(await placesWith(page, token)).toEqual(["local"]);

  const other = await visit(`${url}/`, { allows: [/status of 401/] });
  await other.page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await other.page.locator("pre").innerText()).toBe("pawl open");
  expect(await faultsOf(other.page)).toEqual([]);
  await other.page.getByLabel("Token").fill("pawl_wrong");
  await other.page.keyboard.press("Enter");
  await other.page.getByText("Not signed in").waitFor();
  await other.page.getByLabel("Token").fill(token);
  await other.page.keyboard.press("Enter");
  await settled(other.page);
  expect(await placesWith(other.page, token)).toEqual(["local"]);
});

test("[PG16 PG18] another role is told at once, and a token that is revoked leads every tab to the page that says so and how to sign in", async () => {
  const { url, app } = world();
  const { token, name } = await createToken(app, { role: "operate", name: "to-be-revoked" });
  const { page, tab } = await visit(`${url}/#token=${token}`, { allows: [/status of 401|ERR_/] });
  await settled(page);
  const other = await tab("/new");
  for (const each of [page, other]) await each.locator(".bar-top .line.live").waitFor();
  await expect.poll(() => other.getByRole("link", { name: "New run" }).count()).toBe(1);
  const { store } = (await app.read()).parts;
  await store.removeToken(name);
  await store.addToken({ name, role: "read", hash: sha256Of(token), createdAt: 1, expiresAt: null });
  for (const each of [page, other]) {
    await each.getByText("What you may do here has changed.").waitFor();
    expect(await each.getByRole("link", { name: "New run" }).count()).toBe(0);
  }
  await other.getByText("Your token may not start runs.").waitFor();
  await other.getByRole("button", { name: "Close" }).click();
  await expect.poll(() => other.locator(".role-line").innerText()).toMatch(/^Signed in as to-be-revoked/);

  await revokeToken(app, name);
  for (const each of [page, other]) {
    await each.getByRole("heading", { name: "Sign in" }).waitFor();
    await each.getByText("Not signed in: the token to-be-revoked was revoked.").waitFor();
    expect(await placesWith(each, token)).toEqual([]);
  }
});

test("[PG31 PG34] where there is no run yet, the page says what to type; it is accessible at each size and in both schemes", async () => {
  const { page } = await visit(world().signIn);
  await settled(page);
  expect(await page.locator("main").innerText()).toContain("pawl demo");
  expect(await page.title()).toBe("Pawl");
  expect(await faultsOf(page)).toEqual([]);
});
