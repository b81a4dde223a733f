// Installs the browser of the tests, once for all test files: its package with npm, then the browser that the package has packed, and
// starts it once. A vitest global setup. Where that fails, one line says why, and the tests are skipped; `PAWL_BROWSER=required` makes it
// an error instead.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { firstLine, installPackages, makeAside } from "../support/installed-packages.ts";
import { patienceMs } from "../support/patience.ts";
import { browserFlags } from "./flags.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The browser's program, or why there is none. */
    browser: FoundBrowser;
  }
}

export type FoundBrowser =
  | { readonly program: string; readonly why: null }
  | { readonly program: null; readonly why: string };

const here = import.meta.dirname;
const unpackMs = 180_000;

export default async function installBrowser(project: TestProject): Promise<void> {
  const found = await findBrowser().catch((error: unknown): FoundBrowser => ({ program: null, why: firstLine(error) }));
  if (found.why !== null) {
    const isExpected = hasBrowserFor(process) || process.env["PAWL_TEST_CHROMIUM"] !== undefined;
    if (isExpected && process.env["PAWL_BROWSER"] === "required")
      throw new Error(`the browser tests cannot run: ${found.why}`);
    console.warn(`browser tests: skipped, ${found.why}`);
  }
  project.provide("browser", found);
}

/** Installs and unpacks it where that was not done before. */
export async function findBrowser(): Promise<FoundBrowser> {
  const own = process.env["PAWL_TEST_CHROMIUM"];
  if (own === undefined && !hasBrowserFor(process))
    return {
      program: null,
      why: `the package has no browser for ${process.platform}-${process.arch}; name one in PAWL_TEST_CHROMIUM`,
    };
  const program = own ?? (await unpackedBrowser());
  const browser = await chromium.launch({ executablePath: program, args: [...browserFlags], timeout: patienceMs });
  await browser.close();
  return { program, why: null };
}

function hasBrowserFor({ platform, arch }: Pick<NodeJS.Process, "platform" | "arch">): boolean {
  return platform === "linux" && arch === "x64";
}

async function unpackedBrowser(): Promise<string> {
  const unpacked = join(await installPackages(here), ".chromium");
  if (!existsSync(unpacked)) await makeAside(unpackInto, unpacked, "unpacked");
  return join(unpacked, "chromium");
}

/** The package unpacks into TMPDIR, and takes whatever it finds there for its own. */
async function unpackInto(dir: string): Promise<void> {
  const target = join(dir, "unpacked");
  mkdirSync(target);
  const unpack = `import chromium from "@sparticuz/chromium"; await chromium.executablePath();`;
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", unpack], {
    cwd: here,
    env: { ...process.env, TMPDIR: target },
    timeout: unpackMs,
  });
}
