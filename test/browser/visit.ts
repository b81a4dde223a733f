// A visit to the page: a browser context of a size and a colour scheme, in which nothing may go wrong unnoticed. When the test ends, it
// fails for a violation of the page's policy, an error in its console, a request to another origin, or a cookie.

import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { contextOf, theBrowser } from "./browser.ts";
import { isNetworkChange } from "./network-change.ts";
import { slowAnswers, slowPage } from "./slowed.ts";

export const sizes = {
  wide: { viewport: { width: 1440, height: 900 } },
  narrow: { viewport: { width: 1024, height: 768 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>;

export type Size = keyof typeof sizes;
export type Scheme = "light" | "dark";

export interface VisitOptions {
  readonly size?: Size;
  readonly scheme?: Scheme;
  readonly browser?: Browser;
  /** Faults that belong to the test. Each must occur. */
  readonly allows?: readonly RegExp[];
  /** For `BrowserContext`: permissions, reduced motion, and so on. */
  readonly context?: BrowserContextOptions;
}

export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** `policy: …`, `console: …`, `error: …`, `request: …`, in the order in which they were noticed. */
  readonly faults: readonly string[];
  /** Another tab of the same browser, watched in the same way. */
  tab(path?: string): Promise<Page>;
}

const reporter = "pawlTestsPolicy";

/** Opens `url`; its origin is the only one that pages may ask. */
export async function visit(url: string, options: VisitOptions = {}): Promise<Visit> {
  const { size = "wide", scheme = "light", allows = [] } = options;
  const { origin } = new URL(url);
  const browser = options.browser ?? (await theBrowser());
  const context = await contextOf(browser, {
    locale: "en-US",
    timezoneId: "UTC",
    colorScheme: scheme,
    ...sizes[size],
    ...options.context,
  });
  const faults: string[] = [];
  await watch(context, origin, faults);
  await slowAnswers(context);
  onTestFinished(async () => {
    const cookies = (await context.cookies()).map(({ name, domain }) => `cookie: ${name} of ${domain}`);
    await context.close();
    const found = [...faults, ...cookies];
    expect(found.filter((fault) => !allows.some((pattern) => pattern.test(fault)))).toEqual([]);
    expect(allows.filter((pattern) => !found.some((fault) => pattern.test(fault)))).toEqual([]);
  });
  const tab = async (path = url): Promise<Page> => {
    const page = await context.newPage();
    await slowPage(context, page);
    await page.goto(new URL(path, url).href);
    return page;
  };
  return { context, page: await tab(), faults, tab };
}

async function watch(context: BrowserContext, origin: string, faults: string[]): Promise<void> {
  await context.exposeBinding(reporter, (_, said: unknown) => void faults.push(`policy: ${String(said)}`));
  await context.addInitScript((name) => {
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sample }) => {
      const report = (globalThis as unknown as Record<string, (said: string) => void>)[name];
      report?.(`${effectiveDirective} ${blockedURI} ${sample}`.trim());
    });
  }, reporter);
  context.on("console", (message) => {
    const isFault = message.type() === "error" || message.type() === "warning";
    if (isFault && !isNetworkChange(message.text())) faults.push(`console: ${message.text()}`);
  });
  context.on("weberror", (thrown) => void faults.push(`error: ${thrown.error().message}`));
  context.on("request", (request) => {
    const asked = new URL(request.url());
    const isOwn = asked.origin === origin || asked.protocol === "data:" || asked.protocol === "blob:";
    if (!isOwn) faults.push(`request: ${request.method()} ${asked.href}`);
  });
}
