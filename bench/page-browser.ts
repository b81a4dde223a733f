// Measures the page in a real browser, from the sources: what is timed is the browser. Prints one JSON document.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium, type Page } from "playwright-core";
import { build } from "rolldown";
import { bundlePage } from "../scripts/page.ts";
import { createToken } from "../src/application/access/tokens.ts";
import { Application } from "../src/application/application.ts";
import { eventDocument } from "../src/application/looking/events.ts";
import { definitionDocument } from "../src/application/workflows/definition.ts";
import { type Attempt, hasEnded } from "../src/domain/attempt.ts";
import type { Event } from "../src/domain/event.ts";
import type { Run } from "../src/domain/run.ts";
import { evolve } from "../src/engine/evolve.ts";
import { startServer } from "../src/http/server.ts";
import { logFile } from "../src/runtime/attempt/logs.ts";
import { openWorkflow } from "../src/runtime/runs/workflow-library.ts";
import { browserFlags } from "../test/browser/flags.ts";
import { findBrowser } from "../test/browser/install.ts";
import { reporting, wide } from "../test/browser/worlds/long-log.ts";
import { makeLog, storeLog } from "../test/browser/worlds/made-log.ts";
import { startOf } from "../test/support/sample-runs.ts";
import { median } from "./measure.ts";
import type { PageFigures } from "./page.ts";
import { scrolledFrames } from "./page-frames.ts";
import { growingLog } from "./page-log.ts";

const quick = process.argv.includes("quick");
const rounds = quick ? 3 : 7;
const logMs = quick ? 3_000 : 10_000;
const root = join(import.meta.dirname, "..");
const events = 20_000;
const scratch = mkdtempSync(join(tmpdir(), "pawl-bench-page-"));

try {
  process.stdout.write(`${JSON.stringify(await figures())}\n`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function figures(): Promise<PageFigures> {
  const { program, why } = await findBrowser();
  if (program === null) throw new Error(`there is no browser: ${why}`);
  const browser = await chromium.launch({ executablePath: program, args: [...browserFlags] });
  const home = join(scratch, "home");
  mkdirSync(home, { mode: 0o700 });
  const app = new Application({ cwd: scratch, env: { ...process.env, PAWL_HOME: home } });
  try {
    const { definition } = openWorkflow(app.home, "feature-dev", app.protocols);
    const start = startOf(wide(definition), { at: Date.now() - 86_400_000, task: "A long run" });
    const made = makeLog({ start, report: reporting(events), events });
    const folded = await foldTimes(await browser.newPage(), made.run, made.events);
    const number = await storeLog(app, made);
    const folder = join(scratch, "page");
    await bundlePage(root, folder);
    const { url, close } = await startServer({ app, host: "127.0.0.1", port: 0, page: folder });
    const { token } = await createToken(app, { role: "read" });
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${url}/runs/${number}/lanes#token=${token}`);
    await page.locator(".lane").nth(5).waitFor();
    const scrolled = await scrolledFrames(page, ".lanes .window");
    await page.close();
    const attempt = runningAttempt(made.run);
    const file = logFile(app, made.run.header, attempt);
    const logOf = async (query: string) =>
      await growingLog(browser, `${url}/attempts/${attempt.id}${query}#token=${token}`, file, logMs);
    const renderedLog = await logOf("");
    const printedLog = await logOf("?raw=1");
    await close();
    return {
      ...folded,
      events: made.events.length,
      pageKb: gzippedKb(folder),
      lanes: made.run.header.stories.length,
      scrolled,
      renderedLog,
      printedLog,
    };
  } finally {
    await browser.close();
    await app.close();
  }
}

/** The two sides take turns. */
async function foldTimes(page: Page, run: Run, made: readonly Event[]) {
  const { output } = await build({
    cwd: root,
    input: "bench/page-fold.ts",
    platform: "browser",
    write: false,
    logLevel: "silent",
    output: { format: "iife", minify: true },
  });
  await page.addScriptTag({ content: output[0].code });
  const documents = made.map((event, i) => eventDocument({ seq: i + 1, event }));
  const given = { definition: definitionDocument(run.header.definition), documents };
  await page.evaluate((value) => Object.assign(globalThis, { given: value }), JSON.parse(JSON.stringify(given)));
  const bare: number[] = [];
  const folds: number[] = [];
  const seeks: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const from = performance.now();
    let state: Run | null = null;
    for (const event of made) state = evolve(state, event);
    bare.push(performance.now() - from);
    const { foldMs, seekMs } = await page.evaluate(() => {
      const here = globalThis as unknown as {
        readonly given: { readonly definition: unknown; readonly documents: unknown };
        fold(definition: unknown, documents: unknown): { readonly foldMs: number; readonly seekMs: number };
      };
      return here.fold(here.given.definition, here.given.documents);
    });
    folds.push(foldMs);
    seeks.push(seekMs);
  }
  await page.close();
  const counted = (values: readonly number[]) => median(values.slice(1));
  return { foldMs: counted(folds), seekMs: counted(seeks), bareMs: counted(bare) };
}

function runningAttempt({ stories }: Run): Attempt {
  const found = Object.values(stories)
    .flatMap(({ attempts }) => attempts)
    .find((attempt) => !hasEnded(attempt));
  if (found === undefined) throw new Error("no attempt of the long run is running");
  return found;
}

/** Everything that a browser loads, compressed. */
function gzippedKb(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files
    .filter(({ name }) => name !== "files.json")
    .reduce((sum, { parentPath, name }) => sum + gzipSync(readFileSync(join(parentPath, name))).length, 0);
  return bytes / 1_000;
}
