// Bundles the page for the tests, once for all test files and into a folder of its own: what the browser shows is what the sources say,
// whatever `dist/` has. A vitest global setup.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { bundlePage } from "../../scripts/page.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder of the page. */
    page: string;
  }
}

export default async function buildPage(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "pawl-page-"));
  await bundlePage(join(import.meta.dirname, "../.."), folder);
  project.provide("page", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
