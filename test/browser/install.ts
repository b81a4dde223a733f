// Installs the browser of the tests, once for all test files: its package with npm, then the browser that the package has packed, and
// starts it once. A vitest global setup. Where that fails, one line says why, and the tests are skipped; `PAWL_BROWSER=required` makes it
// an error instead.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
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
const packages = join(here, "node_modules");
/** On the same file system as what it makes, and out of sight of every tool. */
const workshop = join(here, "../../node_modules/.cache");
const installMs = 180_000;
const startMs = 60_000;

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
  const browser = await chromium.launch({ executablePath: program, args: [...browserFlags], timeout: startMs });
  await browser.close();
  return { program, why: null };
}

function hasBrowserFor({ platform, arch }: Pick<NodeJS.Process, "platform" | "arch">): boolean {
  return platform === "linux" && arch === "x64";
}

/** Each part is made aside and then moved to its place, whole: two that install at once do not meet. */
async function unpackedBrowser(): Promise<string> {
  const lock = readFileSync(join(here, "package-lock.json"), "utf8");
  const stamp = createHash("sha256").update(lock).digest("hex");
  const stampFile = join(packages, ".pawl-stamp");
  const isInstalled = existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp;
  if (!isInstalled) await aside(async (dir) => await installInto(dir, stamp), packages, "node_modules");
  const unpacked = join(packages, ".chromium");
  if (!existsSync(unpacked)) await aside(unpackInto, unpacked, "unpacked");
  return join(unpacked, "chromium");
}

async function aside(make: (dir: string) => Promise<void>, place: string, part: string): Promise<void> {
  mkdirSync(workshop, { recursive: true });
  const dir = mkdtempSync(join(workshop, "pawl-browser-"));
  try {
    await make(dir);
    rmSync(place, { recursive: true, force: true });
    renameSync(join(dir, part), place);
  } catch (error) {
    // Another one was faster.
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function installInto(dir: string, stamp: string): Promise<void> {
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(here, name), join(dir, name));
  const words = ["ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  try {
    await promisify(execFile)("npm", words, { cwd: dir, timeout: installMs });
  } catch (error) {
    const { killed, stderr = "" } = error as { readonly killed?: boolean; readonly stderr?: string };
    const code = /npm error code (\S+)/.exec(stderr)?.[1] ?? firstLine(error);
    throw new Error(`npm did not install it (${killed ? `no end after ${installMs / 1_000} s` : code})`, {
      cause: error,
    });
  }
  writeFileSync(join(dir, "node_modules/.pawl-stamp"), stamp);
}

/** The package unpacks into TMPDIR, and takes whatever it finds there for its own. */
async function unpackInto(dir: string): Promise<void> {
  const target = join(dir, "unpacked");
  mkdirSync(target);
  const unpack = `import chromium from "@sparticuz/chromium"; await chromium.executablePath();`;
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", unpack], {
    cwd: here,
    env: { ...process.env, TMPDIR: target },
    timeout: installMs,
  });
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1)[0] ?? text;
}
