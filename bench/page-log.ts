// Measures the page of an attempt while its log grows by a megabyte a second: what that costs the browser, and how its frames come.

import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Browser, Page } from "playwright-core";
import type { LogFigures } from "./page.ts";
import { slowFrame } from "./page-frames.ts";

const bytesPerSecond = 1_000_000;

/** `address` is the page of an attempt that prints into `file`. */
export async function growingLog(browser: Browser, address: string, file: string, ms: number): Promise<LogFigures> {
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  appendFileSync(file, linesOf(10_000));
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(address);
  await page.locator(".log-row").nth(5).waitFor();
  await grow(page, file, ms / 5);
  // Asking for frames makes the browser draw some that it would not: the two are measured one after the other.
  const before = await rendererSeconds(browser);
  await grow(page, file, ms);
  const cpuShare = ((await rendererSeconds(browser)) - before) / (ms / 1_000);
  const [frameMs] = await Promise.all([slowFrame(page, ms), grow(page, file, ms)]);
  await page.close();
  return { cpuShare, frameMs };
}

let grown = 0;

/** Prints what is due by the clock, so that a busy machine prints as much, and returns when the page shows its end. */
async function grow(page: Page, file: string, ms: number): Promise<void> {
  const from = performance.now();
  for (let done = 0; done < (ms / 1_000) * bytesPerSecond; ) {
    const due = (Math.min(ms, performance.now() - from) / 1_000) * bytesPerSecond;
    const text = linesOf(due - done);
    done += Buffer.byteLength(text);
    appendFileSync(file, text);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  grown += 1;
  appendFileSync(file, `part ${grown} is printed\n`);
  await page.getByText(`part ${grown} is printed`).waitFor();
}

/** As a test program prints, with colours: at least so many bytes, in whole lines. */
function linesOf(bytes: number): string {
  const [green, plain, faint, normal] = [32, 39, 2, 22].map((code) => `\u001b[${code}m`);
  const words = "src/shop/cart.test.ts > an order with a voucher > takes it once, whatever its case";
  const line = `${green}✓${plain} ${words} ${faint}12 ms${normal}\n`;
  return line.repeat(Math.max(0, Math.ceil(bytes / Buffer.byteLength(line))));
}

async function rendererSeconds(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.filter(({ type }) => type === "renderer").reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}
