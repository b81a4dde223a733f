// Checks the page of promises: each rule exists, and each test that it links to is named after the promise's rules.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const lines = readFileSync(join(docs, "promises.md"), "utf8").split("\n");
const row = /^\| ([^|]+) \| ([A-Z]{2}\d+(?:, [A-Z]{2}\d+)*) \| \[.+\]\((.+)\) \|$/;
const rows = lines.flatMap((line) => {
  const [whole, promise = "", rules = "", file = ""] = row.exec(line) ?? [];
  return whole === undefined ? [] : [{ promise, rules: rules.split(", "), file }];
});

test("every promise names rules, and its test cites each of them", () => {
  expect(rows.length).toBeGreaterThan(20);
  const wrong = rows.flatMap(({ promise, rules, file }) => {
    const path = join(docs, file);
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const cited = [...text.matchAll(/["'`]\[([A-Za-z0-9, ]+)\]/g)].flatMap(([, ids = ""]) => ids.split(/[, ]+/));
    return rules.filter((rule) => !cited.includes(rule)).map((rule) => `${promise} ${rule} is not in ${file}`);
  });
  expect(wrong).toEqual([]);
});

test("every row of its tables is read", () => {
  const written = lines.filter((line) => line.startsWith("| ") && !/^\| (promise|---) /.test(line));
  expect(rows).toHaveLength(written.length);
});
