// By-products. Owns: which new files are what test, lint and build tools leave behind, and not work.

import { pathMatcher, wordSource } from "./path-patterns.ts";

/** Folders that only tools write, at any depth. */
const folders = [
  "__pycache__",
  ".cache",
  ".coverage_html",
  ".gradle",
  ".hypothesis",
  ".jest-cache",
  ".mypy_cache",
  ".nyc_output",
  ".parcel-cache",
  ".phpunit.cache",
  ".pytest_cache",
  ".ruff_cache",
  ".tox",
  ".turbo",
  ".vitest",
  "blob-report",
  "coverage",
  "htmlcov",
  "node_modules",
  "playwright-report",
  "test-results",
  "TestResults",
];

/** Files that only tools write; `*` stands for any part of a name. */
const files = [
  "*.gcda",
  "*.gcno",
  "*.lcov",
  "*.log",
  "*.profraw",
  "*.pyc",
  "*.tsbuildinfo",
  ".coverage",
  ".coverage.*",
  ".DS_Store",
  ".eslintcache",
  ".phpunit.result.cache",
  ".rspec_status",
  ".stylelintcache",
  "coverage.out",
  "coverage.xml",
  "junit*.xml",
  "lcov.info",
];

/** Whether a new file is a by-product. `more`: patterns of a workflow, such as `reports/` or `*.trace`. */
export type IsByProduct = (path: string) => boolean;

export function byProducts(more: readonly string[] = []): IsByProduct {
  const isNamed = pathMatcher(more);
  const names = files.map((name) => wordPattern(name));
  return (path) => {
    const parts = path.split("/");
    if (parts.slice(0, -1).some((part) => folders.includes(part))) return true;
    if (names.some((pattern) => pattern.test(parts.at(-1) ?? ""))) return true;
    return isNamed(path);
  };
}

function wordPattern(name: string): RegExp {
  return new RegExp(`^${wordSource(name)}$`);
}
