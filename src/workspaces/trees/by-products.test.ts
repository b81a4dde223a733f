import { expect, test } from "vitest";
import { byProducts } from "./by-products.ts";

test("[PF20] what tools leave behind is known by its folder or its name, and by the patterns of a workflow", () => {
  const isByProduct = byProducts(["reports/", "*.trace", "/out/gen", "docs/**/build"]);
  const yes = [
    "coverage/lcov.info",
    "packages/a/coverage/index.html",
    "src/__pycache__/a.cpython-312.pyc",
    ".pytest_cache/v/cache/lastfailed",
    "test-results/one/trace.zip",
    "npm-debug.log",
    "tsconfig.tsbuildinfo",
    ".eslintcache",
    "packages/a/.eslintcache",
    "reports/junit/a.txt",
    "a/reports/b",
    "deep/x.trace",
    "out/gen",
    "out/gen/a.ts",
    "docs/a/b/build/x",
  ];
  const no = [
    "src/coverage.ts",
    "coverage",
    "src/log.ts",
    "catalog",
    "reports",
    "src/reports.ts",
    "a/out/gen",
    "x.traces",
    "docs/build.md",
    "__pycache__.py",
  ];
  expect(yes.filter((path) => !isByProduct(path))).toEqual([]);
  expect(no.filter(isByProduct)).toEqual([]);
});
