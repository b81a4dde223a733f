// The browser of the tests. Owns: how it is started. `install.ts` finds it before the first test file; where there is none, the tests are
// skipped.

import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from "playwright-core";
import { inject, onTestFinished } from "vitest";
import { patienceMs } from "../support/patience.ts";
import { browserFlags } from "./flags.ts";

let shared: Promise<Browser> | null = null;

/** One for all tests of this process: contexts share nothing with each other. It ends with the process. */
export async function theBrowser(): Promise<Browser> {
  shared ??= launch([]);
  return await shared;
}

/** One with flags of its own, until the test ends. */
export async function browserWith(...flags: readonly string[]): Promise<Browser> {
  const browser = await launch(flags);
  onTestFinished(async () => await browser.close());
  return browser;
}

/** It waits as long as everything else of a test does. */
export async function contextOf(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(patienceMs);
  return context;
}

async function launch(flags: readonly string[]): Promise<Browser> {
  const { program, why } = inject("browser");
  if (program === null) throw new Error(`there is no browser: ${why}`);
  return await chromium.launch({ executablePath: program, args: [...browserFlags, ...flags], timeout: patienceMs });
}
