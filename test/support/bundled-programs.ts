// Bundles the programs of the tests that import the application, once for all test files: from the sources, each start of one compiles
// some hundred files, five times the work. A vitest global setup; `programWords` finds the bundles by the variable that it sets. For the
// same reason it makes the bundle of `pawl` itself anew, if a source has changed since.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";
import { bundlesVariable } from "./program-words.ts";

const programs = ["drive-program", "store-worker", "warm-program"];
const root = join(import.meta.dirname, "../..");
// In the package, because its code looks for the files of the package around itself.
const all = join(root, "node_modules/.cache/pawl-test-programs");

export default async function bundlePrograms(): Promise<(() => void) | undefined> {
  // Each project of the configuration asks for them.
  if (process.env[bundlesVariable] !== undefined) return undefined;
  const dir = join(all, String(process.pid));
  process.env[bundlesVariable] = dir;
  removeLeftOver();
  if (!isBundled()) execFileSync(process.execPath, ["scripts/prepare.js"], { cwd: root, stdio: "inherit" });
  mkdirSync(dir, { recursive: true });
  try {
    await build({
      cwd: root,
      input: Object.fromEntries(programs.map((name) => [name, `test/support/${name}.ts`])),
      platform: "node",
      external: ["pg", "pg-boss", /^@opentelemetry\//],
      logLevel: "silent",
      output: { dir, format: "esm", comments: false },
    });
  } catch {
    // A source does not compile. The tests of that source say it better.
    rmSync(dir, { recursive: true, force: true });
  }
  return () => rmSync(dir, { recursive: true, force: true });
}

/** Whether `bin/pawl` would use its bundle: it was made from the files as they are. */
function isBundled(): boolean {
  try {
    const madeFrom = JSON.parse(readFileSync(join(root, "dist/made-from.json"), "utf8")) as [string, number, number][];
    return madeFrom.every(([file, mtimeMs, size]) => {
      const now = statSync(join(root, file));
      return now.mtimeMs === mtimeMs && now.size === size;
    });
  } catch {
    return false;
  }
}

/** Bundles of tests that were killed. */
function removeLeftOver(): void {
  const pids = existsSync(all) ? readdirSync(all) : [];
  for (const pid of pids.filter((each) => !isAlive(Number(each))))
    rmSync(join(all, pid), { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
