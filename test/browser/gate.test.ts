// A gate in a real browser: looked at, commented, answered by keyboard alone, by two people at once, and after the work moved.

import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createToken } from "../../src/application/access/tokens.ts";
import { expectCode, newSite, writeAt } from "../support/pawl.ts";
import { type Acts, writeScript } from "../support/scripts.ts";
import { expectAccessible } from "./axe.ts";
import { type VisitOptions, visit } from "./visit.ts";
import { serveHome } from "./worlds/served.ts";

const workflow = `pawl: 1
id: careful
agents: { worker: {} }
steps:
  - { id: work, agent: worker, input: "Work on {{task}}", checks: ["test -e divide.js"] }
  - id: look
    gate: "Is **divide** good?\\n\\n- <img src=x onerror='globalThis.attacked = 1'> see [it](https://example.invalid/x)"
    options: { approve: next, reject: { back_to: work } }
    deadline: { after: 2h, then: approve }
`;

const acts: Acts = {
  work: [
    {
      attempt: 1,
      write: { "divide.js": "export function divide(a, b) {\n  return a / b;\n}\n", "notes.txt": "one\n" },
      say: "STATUS: done\nCHANGES: It divides",
    },
    { append: { "divide.js": "// checked\n" }, say: "STATUS: done\nCHANGES: It checks" },
  ],
};

async function asked(more: Acts = acts) {
  const site = newSite();
  const words = ["run", writeAt(site, "careful.yml", workflow), "Add division", "--script", writeScript(site, more)];
  expectCode(await site.pawl(...words), 3);
  const { run, gates } = await site.status("1");
  const world = await serveHome(site.home, { drives: true });
  const path = `/gates/${gates[0]?.id ?? ""}`;
  const look = async (query = "", options: VisitOptions = {}, token = world.token): Promise<Page> => {
    const { page } = await visit(`${world.url}${path}${query}#token=${token}`, options);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.locator(".file").first().waitFor();
    return page;
  };
  return { site, run, look, app: world.app, tree: join(site.home, "worktrees", run.id) };
}

/** A refusal is an answer of the service, which the browser writes into its console. */
const refused = /^console: Failed to load resource: .*409/;
const option = (page: Page, name: string) => page.locator(".answer-option", { hasText: name });

test("[PG40 PG42 PG43 PG44 PG48 PG49 PG53 PG54] a gate is read, commented on two lines, and answered by keyboard alone", async () => {
  const { site, run, look } = await asked();
  const page = await look();
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Is divide good?");
  const head = () => page.locator(".gate-head").innerText();
  for (const words of ["Add division", "The workflow asks here.", "It divides", "test -e divide.js"])
    await expect.poll(head).toContain(words);
  // However long the test has taken so far.
  await expect.poll(head).toMatch(/approve in 1 h [45]\d min/);
  expect(await page.evaluate("globalThis.attacked")).toBeUndefined();
  expect(await page.getByRole("link", { name: "it" }).getAttribute("rel")).toBe("noreferrer");
  await expect.poll(() => option(page, "approve").innerText()).toContain("the run is done");
  await expect.poll(() => option(page, "reject").innerText()).toContain("work starts again, 2 steps are reset");
  await expectAccessible(page);

  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const focused = () => page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent);
  await press("n");
  await expect.poll(focused).toBe("divide.js");
  await press("j", "j", "c");
  await page.getByRole("textbox", { name: "Comment on divide.js, line 2" }).waitFor();
  await page.keyboard.type("By zero?");
  await press("Control+Enter");
  await expect.poll(focused).toBe("Comment on divide.js, line 2");
  await press("n");
  await expect.poll(focused).toBe("notes.txt");
  await press("p");
  await expect.poll(focused).toBe("divide.js");
  await press("n");
  await expect.poll(focused).toBe("notes.txt");
  await press("j", "c");
  await page.getByRole("textbox", { name: "Comment on notes.txt, line 1" }).waitFor();
  await page.keyboard.type("Not needed");
  await press("Control+Enter", "2");
  await expect.poll(() => option(page, "reject").getAttribute("aria-pressed")).toBe("true");

  await page.reload();
  await page.locator(".comment-list li").nth(1).waitFor();
  await expect.poll(() => option(page, "reject").getAttribute("aria-pressed")).toBe("true");
  await page.getByRole("button", { name: "Send: reject" }).and(page.locator(":enabled")).waitFor();
  await press("Control+Enter");
  await page.getByRole("heading", { name: "You answered: reject" }).waitFor();
  await expectAccessible(page);
  const prompt = () =>
    readdirSync(join(site.home, "logs", run.id))
      .filter((file) => file.endsWith(".prompt.md"))
      .map((file) => readFileSync(join(site.home, "logs", run.id, file), "utf8"))
      .find((text) => text.includes("By zero?"));
  await expect.poll(prompt).toContain("divide.js:2: By zero?\nnotes.txt:1: Not needed");

  await page.locator(".next-gate").click();
  await page.getByText(/^You answered reject at this step/).waitFor();
  await page.getByRole("button", { name: "Since last shown" }).click();
  await expect.poll(() => page.locator(".file-path").allInnerTexts()).toEqual(["divide.js"]);
  await expect.poll(() => new URL(page.url()).search).toBe("?since=shown");
  await page.getByRole("button", { name: "Since the base" }).click();
  await expect.poll(() => page.locator(".file-path").allInnerTexts()).toEqual(["divide.js", "notes.txt"]);
});

test("[PG47 PG48 PG50 PG51] work that moved is said and the comments are kept; the second person sees the answer of the first", async () => {
  const { look, tree, app } = await asked();
  const first = await look("", { allows: [refused] });
  const { token } = await createToken(app, { role: "answer", name: "ann" });
  const second = await look("", { size: "phone", scheme: "dark" }, token);
  await first.getByRole("button", { name: "Comment on divide.js, line 2" }).click();
  const field = first.getByRole("textbox", { name: "Comment on divide.js, line 2" });
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  await first.keyboard.type("By zero?");
  await option(first, "approve").click();
  // A comment that is not kept yet is not lost with the answer.
  await first.getByRole("button", { name: "Send: approve" }).click();
  await first.getByRole("alert").getByText("A comment is not kept yet.").waitFor();
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await field.inputValue()).toBe("By zero?");
  await first.getByRole("button", { name: "Keep comment" }).click();
  await first.locator(".file").nth(1).getByLabel("Viewed").check();
  appendFileSync(join(tree, "divide.js"), "// by\u202Ehand\n");
  await first.getByRole("button", { name: "Send: approve" }).click();
  await first.getByText("Your answer was not taken: the work changed while you looked.").waitFor();
  await first.getByText("U+202E", { exact: true }).waitFor();
  await expect.poll(() => first.locator(".line-comment").innerText()).toContain("By zero?");
  // The second look is at what changed.
  await expect.poll(() => first.locator(".gate-moved").innerText()).toContain("1 of 2 files changed since you looked");
  const changed = first.locator(".file", { hasText: "changed since you looked" }).locator(".file-path");
  await expect.poll(() => changed.allInnerTexts()).toEqual(["divide.js"]);
  const names = first.locator(".file-name");
  await expect.poll(() => names.evaluateAll((all) => all.map((each) => each.ariaExpanded))).toEqual(["true", "false"]);
  await expect.poll(() => first.locator(".file").nth(1).getByLabel("Viewed").isChecked()).toBe(true);
  await expectAccessible(first);

  await second.getByRole("textbox", { name: "Note" }).fill("I would not ship it");
  await expectAccessible(second);
  await first.getByRole("button", { name: "Send: approve" }).click();
  await first.getByRole("heading", { name: "You answered: approve" }).waitFor();
  await first.reload();
  await first.getByRole("heading", { name: "You answered: approve" }).waitFor();
  await second.getByRole("heading", { name: /browser-of-a-test answered: approve/ }).waitFor();
  expect(await second.locator(".unsent").innerText()).toContain("I would not ship it");
  expect(await second.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

test("[PG52] in the past a gate is shown and cannot be answered", async () => {
  const { look } = await asked();
  const page = await look("?at=2");
  await page.getByText("At this moment the question was not asked yet.").waitFor();
  expect(await page.locator(".answer-option, button.diff-numbers").count()).toBe(0);
  await page.getByRole("button", { name: "Back to now" }).click();
  await option(page, "approve").waitFor();
});

test("[PG37 PG46] of 2,000 files only those near to what can be seen are there, and what is left out is said", async () => {
  const many =
    "mkdir many; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo $i >many/$i.txt; done; yes 1 | head -n 200000 >divide.js";
  const { look } = await asked({ work: [{ run: [many], say: "STATUS: done" }] });
  const page = await look();
  const files = () => page.locator(".file").count();
  await expect.poll(() => page.getByText("2000 files").or(page.getByText("2001 files")).count()).toBe(1);
  expect(await files()).toBeLessThan(400);
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page.getByRole("button", { name: "many/999.txt" }).waitFor();
  await expect.poll(files).toBeLessThan(400);
  await page.goto(new URL("/runs/1/changes", page.url()).href);
  await page.getByText("that of a file after 256 KiB").waitFor();
});
