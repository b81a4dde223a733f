// The browser tests themselves: what they are to notice, they notice. A page that does one thing wrong shows each kind.

import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "../support/http-service.ts";
import { accessibilityFaults, expectAccessible } from "./axe.ts";
import { isNetworkChange } from "./network-change.ts";
import { picture } from "./picture.ts";
import { documentOf, icon, stubPage } from "./stub-page.ts";
import { sizes, visit } from "./visit.ts";

const greeting = `document.querySelector("p").textContent = "hello from main.js";`;
const good = {
  "index.html": documentOf("<main><h1>Pawl</h1><p></p></main>"),
  "main.js": greeting,
  "icon.svg": icon,
};

test("a page and its script are served, shown at each size, and without a fault", async () => {
  const { url } = await serve({ page: stubPage(good) });
  for (const size of ["wide", "narrow", "phone"] as const) {
    const { page } = await visit(url, { size, scheme: "dark" });
    await page.getByText("hello from main.js").waitFor();
    const { width, height } = sizes[size].viewport;
    const seen = await page.evaluate(() => ({
      size: [innerWidth, innerHeight],
      isDark: matchMedia("(prefers-color-scheme: dark)").matches,
      language: navigator.language,
    }));
    expect(seen).toEqual({ size: [width, height], isDark: true, language: "en-US" });
    await expectAccessible(page);
    expect(existsSync(await picture(page, `stub-${size}`))).toBe(true);
  }
});

test("a script in the page, a style in the page and text that becomes a script violate the policy, and are noticed", async () => {
  const page = stubPage({
    ...good,
    "index.html": documentOf(
      "<main><h1>Pawl</h1><p style='color:red'></p></main><script>document.title = 'run'</script>",
    ),
    "main.js": `${greeting} document.querySelector("h1").innerHTML = "<b>x</b>";`,
  });
  const { url } = await serve({ page });
  const allows = [
    /^policy: script-src-elem inline/,
    /^policy: style-src-attr inline/,
    /^policy: require-trusted-types-for/,
  ];
  const visited = await visit(url, {
    allows: [...allows, /^console: .*(?:Content Security Policy|TrustedHTML)/s, /^error: .*TrustedHTML/],
  });
  await visited.page.getByText("hello from main.js").waitFor();
  await expect.poll(() => allows.filter((pattern) => !visited.faults.some((fault) => pattern.test(fault)))).toEqual([]);
  expect(await visited.page.title()).toBe("Pawl");
});

test("a cookie, a thrown error, a word in the console and a request to another origin are noticed", async () => {
  const elsewhere = createServer((_, answer) => answer.end("x"));
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void elsewhere.close());
  const other = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
  const lines = [
    greeting,
    `document.cookie = "name=value";`,
    `console.error("a word");`,
    `fetch("${other}", { mode: "no-cors" });`,
    `setTimeout(() => { throw new Error("thrown"); });`,
  ];
  // The policy of the service would not let it ask.
  const { url } = await serve({ page: stubPage({ ...good, "main.js": lines.join("\n") }) }, { headers: {} });
  const allows = [/^console: a word/, /^error: thrown/, new RegExp(`^request: GET ${other}`)];
  const { faults } = await visit(url, { allows: [...allows, /^cookie: name of 127\.0\.0\.1$/] });
  await expect.poll(() => allows.filter((pattern) => !faults.some((fault) => pattern.test(fault)))).toEqual([]);
});

test("a page that not everybody can use is noticed", async () => {
  const body = `<main><h1>Pawl</h1><p></p><img src="/icon.svg"><button></button><input></main>`;
  const { url } = await serve({ page: stubPage({ ...good, "index.html": documentOf(body) }) });
  const { page } = await visit(url);
  const rules = (await accessibilityFaults(page)).map((fault) => fault.slice(0, fault.indexOf(":")));
  expect(rules.toSorted()).toEqual(["button-name", "image-alt", "label", "target-size"]);
});

let tries = 0;

test("a test that fails while the network of this machine changes is done again", () => {
  tries += 1;
  if (tries === 1) isNetworkChange("Failed to load resource: net::ERR_NETWORK_CHANGED");
  expect(tries).toBe(2);
});
