// Accessibility: the rules of axe for WCAG 2.2 A and AA, applied to a page as it is shown.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const levels = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
  }[];
}

interface RunOnly {
  readonly type: "tag" | "rule";
  readonly values: readonly string[];
}

interface Axe {
  run(context: unknown, options: { readonly runOnly: RunOnly }): Promise<AxeResult>;
}

let source: string | null = null;

/** Fails with each rule that the page breaks, and where. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await accessibilityFaults(page)).toEqual([]);
}

/** `rules`: these alone. */
export async function accessibilityFaults(
  page: Page,
  rules: readonly string[] | null = null,
): Promise<readonly string[]> {
  source ??= readFileSync(join(import.meta.dirname, "node_modules/axe-core/axe.min.js"), "utf8");
  // By the debugger: the page itself lets no script of ours in.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(source);
  const { violations } = await page.evaluate(
    (runOnly) => (globalThis as unknown as { axe: Axe }).axe.run(document, { runOnly }),
    rules === null ? { type: "tag" as const, values: levels } : { type: "rule" as const, values: rules },
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = "" }) => {
      const reason = failureSummary.split("\n")[1]?.trim() ?? "";
      return `${id}: ${help}, at ${target.join(" ")}${reason === "" ? "" : ` (${reason})`}`;
    }),
  );
}
