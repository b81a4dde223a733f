// Pictures of pages. With `PAWL_PICTURES=1` those that the documents show go to `docs/pictures/`; all others to a temporary folder.

import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** What the documents show. */
const documented = ["home", "run-chain", "run-lanes", "gate", "attempt", "phone", "gate-phone", "lost"];

function folderFor(name: string): string {
  const isDocumented = documented.includes(name.replace(/-dark$/, ""));
  return isDocumented && process.env["PAWL_PICTURES"] === "1"
    ? join(import.meta.dirname, "../../docs/pictures")
    : join(tmpdir(), "pawl-pictures");
}

interface PictureOptions {
  /** The page to its end, not only what is in view. */
  readonly whole?: boolean;
  /** Of what is in view, in pixels; default: that of the window. */
  readonly height?: number;
}

/** Returns its file. */
export async function picture(
  page: Page,
  name: string,
  { whole = false, height }: PictureOptions = {},
): Promise<string> {
  if (!/^[a-z0-9-]+$/.test(name)) throw new Error(`${name} is not a name for a picture`);
  const folder = folderFor(name);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await hideFolders(page);
  const viewport = page.viewportSize();
  if (height !== undefined && viewport !== null) await page.setViewportSize({ ...viewport, height });
  await page.screenshot({ path, fullPage: whole, animations: "disabled", caret: "hide" });
  if (height !== undefined && viewport !== null) await page.setViewportSize(viewport);
  return path;
}

/** `NAME.png` in the light scheme and `NAME-dark.png` in the dark one. */
export async function pictureInBoth(page: Page, name: string, options: PictureOptions = {}): Promise<void> {
  await picture(page, name, options);
  await page.emulateMedia({ colorScheme: "dark" });
  await picture(page, `${name}-dark`, options);
  await page.emulateMedia({ colorScheme: "light" });
}

/** The temporary folders of a test are not for the documents. */
async function hideFolders(page: Page): Promise<void> {
  await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode: text } = texts;
      const { nodeValue } = text;
      const shown = nodeValue?.replaceAll(/(?:\/[\w.-]+)*\/pawl-e2e-\w+\//g, "") ?? null;
      if (shown !== nodeValue) text.nodeValue = shown;
    }
  });
}
