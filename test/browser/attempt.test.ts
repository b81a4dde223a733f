// An attempt in a real browser: its log grows while it is read, its changes are shown, and a log that is gone is said. And the button
// for messages on this device.

import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectCode, newSite, writeAt } from "../support/pawl.ts";
import { until } from "../support/until.ts";
import { expectAccessible } from "./axe.ts";
import { visit } from "./visit.ts";
import { emptyWorld } from "./worlds/empty.ts";
import { serveHome } from "./worlds/served.ts";

/** It prints 300 lines, 300 more when the test says so, and one at its end. */
const workflow = `pawl: 1
id: talking
steps:
  - id: talk
    command: |
      seq -f 'first %g' 1 300; echo fresh words > new.txt
      while [ ! -e "$DIR/more" ]; do sleep 0.05; done
      seq -f 'second %g' 1 300
      while [ ! -e "$DIR/end" ]; do sleep 0.05; done
      echo the last line
    env: { DIR: "{{dir}}" }
  - { id: look, gate: "Good?", options: { approve: next } }
`;

async function talking() {
  const site = newSite();
  const file = writeAt(site, "talking.yml", workflow);
  expectCode(await site.pawl("run", file, "Talk", "--detach", "--context", `dir=${site.path()}`), 0);
  const world = await serveHome(site.home, { drives: true });
  const id = await until(async () => (await site.events()).find(({ type }) => type === "attempt_began")?.["attempt"]);
  return { site, path: `${world.url}/attempts/${String(id)}`, token: world.token };
}

test("[PG37 PG60 PG61 PG62 PG65 PG67] a log is followed while it grows, stays where it is while one reads, and its changes are shown", async () => {
  const { site, path, token } = await talking();
  const { page } = await visit(`${path}#token=${token}`);
  const log = page.locator(".log .window");
  await log.getByText("first 300").waitFor();
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("talk, attempt 1");

  const box = await log.evaluateHandle((element) => element);
  await box.evaluate((element) => element.scrollTo(0, 1_000));
  await page.getByRole("button", { name: /end/i }).waitFor();
  const seen = await log.innerText();
  writeFileSync(site.path("more"), "");
  await until(async () => (await box.evaluate((element) => element.scrollHeight)) > 600 * 20 - 50);
  expect(await log.innerText()).toBe(seen);
  await page.getByRole("button", { name: /end/i }).click();
  await log.getByText("second 300").waitFor();

  writeFileSync(site.path("end"), "");
  await log.getByText("the last line").waitFor();
  await page.getByText("passed").first().waitFor();
  await page.getByRole("link", { name: /Changes/ }).click();
  await page.getByText("new.txt").waitFor();
  await page.getByText("fresh words").waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Run #1" }).click();
  await page.getByRole("link", { name: /Changes/ }).click();
  await page.getByText("fresh words").waitFor();
  await page.goBack();
  await page.goBack();

  const logs = join(site.home, "logs");
  for (const name of readdirSync(logs, { recursive: true, encoding: "utf8" }))
    if (name.includes("talk") && name.endsWith(".log")) rmSync(join(logs, name));
  await page.getByRole("link", { name: /Log/ }).click();
  await page.reload();
  await page.getByText("There is no log.").waitFor();
});

test("[PU28] a browser is subscribed by a button; the policy of the page lets the service worker in", async () => {
  const { url, token } = await emptyWorld();
  // A window of a test is a private one, which has no push service: the browser says so in its console.
  const { page } = await visit(`${url}/#token=${token}`, { allows: [/^console: .*Push API/] });
  await page.context().grantPermissions(["notifications"]);
  await page.getByRole("button", { name: "Tell me on this device" }).click();
  await page.getByText("This browser could not be reached by messages").waitFor();
  const worker = await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL);
  expect(worker).toBe(`${url}/push-worker.js`);
});
