// The whole story of a feature: a run of feature-dev whose work was rejected and corrected, whose tests then kept failing, and which a
// person helps on by an answer with two line comments. Told twice: by keys alone, and by touch on a phone.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { placesOfRun, settled } from "./every-page.ts";
import { picture, pictureInBoth } from "./picture.ts";
import { type Size, visit } from "./visit.ts";
import { type RejectedWorld, rejectedWorld } from "./worlds/rejected.ts";

const comments = ["Check the numbers first", "Say what the command takes"] as const;

async function begun(size: Size): Promise<{ readonly world: RejectedWorld; readonly page: Page }> {
  const world = await rejectedWorld({ drives: true });
  const { page } = await visit(world.signIn, { size });
  await settled(page);
  return { world, page };
}

/** With Tab, as people without a mouse do. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const focused = () =>
    page.evaluate(() => (document.activeElement?.matches("a, button") ? document.activeElement.textContent : ""));
  for (let steps = 0; !name.test(await focused()); steps++) {
    if (steps > 200) throw new Error(`Tab does not lead to ${String(name)}`);
    await page.keyboard.press("Tab");
  }
}

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** The focus follows the key when the file is drawn. A key before that would step over a file, and the last one is never left. */
async function stepToFile(page: Page, name: string): Promise<void> {
  const focused = () =>
    page.evaluate(() => (document.activeElement?.matches(".file-name") ? document.activeElement.textContent : null));
  for (let at = await focused(); at !== name; at = await focused()) {
    await page.keyboard.press("n");
    await expect.poll(focused).not.toBe(at);
  }
}

/** The run as the answer left it: at its end, with both comments in the prompt of the next attempt. */
async function expectResumed({ nextPrompt, run }: RejectedWorld, page: Page): Promise<void> {
  await expect.poll(() => page.locator(".run-header .status").innerText()).toBe("done");
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/runs/${run}`);
  const arrived = comments.filter((words) => new RegExp(`cli\\.js:\\d+: ${words}`).test(nextPrompt()));
  expect(arrived).toEqual(comments);
}

test("[PG20 PG22 PG28 PG32 PG48 PG49] by keys alone: a run that was rejected is looked at, its past, its gate; two comments go with the answer, and it resumes", async () => {
  const { world, page } = await begun("wide");
  await press(page, "j", "Enter");
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/runs/${world.run}`);
  await settled(page);
  const chain = page.locator(".chain");
  await expect.poll(() => chain.getByRole("row", { name: /^verify/ }).innerText()).toContain("×1 of 1");
  await expect.poll(() => chain.getByRole("row", { name: /^test/ }).innerText()).toContain("×2 of 2");
  await pictureInBoth(page, "run-chain", { height: 600 });

  await tabTo(page, /^implement$/);
  await press(page, "Enter");
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/attempts\//);
  await settled(page);
  await page.getByText("I read the failures and changed cli.js.").first().waitFor();
  await pictureInBoth(page, "attempt", { height: 760 });
  await page.goBack();
  // The page of the attempt is settled, too, and takes the same keys.
  await chain.waitFor();
  await settled(page);

  // The moment of the first rejection, after a reload, too.
  await press(page, "4", "/");
  await page.keyboard.type("verify rejected");
  await expect.poll(() => page.locator(".event").count()).toBe(1);
  await tabTo(page, /verify rejected/);
  await press(page, "Enter");
  await expect.poll(() => new URL(page.url()).search).toMatch(/^\?q=verify\+rejected&at=\d+$/);
  const moment = new URL(page.url());
  await press(page, "1");
  await expect.poll(() => chain.getByRole("row", { name: /^test/ }).innerText()).toContain("×0 of 2");
  await page.reload();
  await settled(page);
  await expect.poll(() => new URL(page.url()).search).toBe(moment.search);
  await expect.poll(() => chain.getByRole("row", { name: /^test/ }).innerText()).toContain("×0 of 2");
  expect(await page.getByRole("button", { name: "Pause" }).isDisabled()).toBe(true);
  await press(page, "]", "[", ".");
  await expect.poll(() => chain.getByRole("row", { name: /^test/ }).innerText()).toContain("×2 of 2");

  await tabTo(page, /^Answer/);
  await press(page, "Enter");
  await page.getByRole("heading", { level: 1, name: "The integration tests keep failing. What now?" }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent);
  // Until the page knows that its token may answer, no line takes a comment.
  await page.locator("button.diff-numbers").first().waitFor();
  await stepToFile(page, "cli.js");
  for (const words of comments) {
    await press(page, "j", "j", "c");
    await page.getByRole("textbox", { name: /^Comment on cli\.js, line/ }).waitFor();
    await page.keyboard.type(words);
    await press(page, "Control+Enter");
    await expect.poll(focused).toMatch(/^Comment on cli\.js, line/);
  }
  await page.reload();
  await expect.poll(() => page.locator(".comment-list li").count()).toBe(2);
  await press(page, "1");
  await page.getByRole("button", { name: "Send: continue" }).and(page.locator(":enabled")).waitFor();
  await pictureInBoth(page, "gate");
  await press(page, "Control+Enter");
  await page.getByRole("heading", { name: "You answered: continue" }).waitFor();
  await tabTo(page, /^To run #/);
  await press(page, "Enter");
  await expectResumed(world, page);
});

test("[PG33 PG49] by touch on a phone: the question is answered with two comments, and the run resumes", async () => {
  const { world, page } = await begun("phone");
  await page.getByRole("link", { name: "Answer", exact: true }).tap();
  await page.getByRole("heading", { level: 1, name: "The integration tests keep failing. What now?" }).waitFor();
  const file = page.getByRole("region", { name: "cli.js", exact: true });
  await file.scrollIntoViewIfNeeded();
  for (const [index, words] of comments.entries()) {
    await file.getByRole("button", { name: `Comment on cli.js, line ${index + 2}`, exact: true }).tap();
    await page.getByRole("textbox", { name: /^Comment on cli\.js/ }).fill(words);
    await page.getByRole("button", { name: "Keep comment" }).tap();
  }
  await page.reload();
  await expect.poll(() => page.locator(".comment-list li").count()).toBe(2);
  await page.locator(".answer-option", { hasText: "continue" }).tap();
  await picture(page, "gate-phone", { height: 720 });
  await page.getByRole("button", { name: "Send: continue" }).tap();
  await page.getByRole("heading", { name: "You answered: continue" }).waitFor();
  await page.getByRole("link", { name: /^To run #/ }).tap();
  await expectResumed(world, page);
  for (const path of placesOfRun(world.run)) {
    await page
      .getByRole("link", { name: new RegExp(`^${path.split("/").at(-1)}`, "i") })
      .first()
      .tap();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  }
});
