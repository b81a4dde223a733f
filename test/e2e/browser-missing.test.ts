// `npm test` on a machine without a browser: the browser tests are skipped, and one line says why.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

function runBrowserTests(more: Readonly<Record<string, string>>) {
  const words = [join(root, "node_modules/vitest/vitest.mjs"), "run", "test/browser/foundation.test.ts"];
  const env = { ...process.env, NO_COLOR: "1", PAWL_BROWSER: "", PAWL_TEST_CHROMIUM: "/no/such/browser", ...more };
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, env, encoding: "utf8" });
  return { status, said: `${stdout}\n${stderr}` };
}

test("without a browser the tests are skipped with one line, and fail where it is required", () => {
  const { status, said } = runBrowserTests({});
  expect(said.match(/^browser tests: skipped, .*\/no\/such\/browser$/gm)).toHaveLength(1);
  expect(said).toMatch(/Tests +\d+ skipped/);
  expect(status).toBe(0);
  const required = runBrowserTests({ PAWL_BROWSER: "required" });
  expect(required.said).toContain("the browser tests cannot run: ");
  expect(required.status).not.toBe(0);
});
