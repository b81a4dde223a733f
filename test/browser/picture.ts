// Pictures of pages. With `PAWL_PICTURES=1` they go to `docs/pictures/`, which the documents show; otherwise to a temporary folder.

import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";

const folder =
  process.env["PAWL_PICTURES"] === "1"
    ? join(import.meta.dirname, "../../docs/pictures")
    : join(tmpdir(), "pawl-pictures");

/** Returns its file. `whole`: the page to its end, not only what is in view. */
export async function picture(page: Page, name: string, { whole = false } = {}): Promise<string> {
  if (!/^[a-z0-9-]+$/.test(name)) throw new Error(`${name} is not a name for a picture`);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path, fullPage: whole, animations: "disabled", caret: "hide" });
  return path;
}
