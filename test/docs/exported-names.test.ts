// Exported names: one meaning each, so that a search for a name finds one thing.

import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The same on purpose: each command has its `define`, each migration its `up`. */
const shared = new Set(["define", "up"]);

const exported = /^export (?:async )?(?:abstract )?(?:function\*?|const|class|interface|type) (\w+)/gm;

/** The page has names of its own: parts that people see (`Status`, `Problem`), which no other folder may import. */
const worlds = { page: "src/page/**/*.{ts,tsx}", "everything else": "src/!(page)/**/*.ts" };

test.each(Object.entries(worlds))("no two files of %s export different things under one name", (_, pattern) => {
  const places = new Map<string, string[]>();
  const files = globSync(pattern).filter((file) => !/\.(?:test|contract)\.tsx?$/.test(file));
  for (const file of files) {
    const names = new Set([...readFileSync(file, "utf8").matchAll(exported)].map(([, name = ""]) => name));
    for (const name of names) places.set(name, [...(places.get(name) ?? []), file]);
  }
  const twice = [...places].filter(([name, found]) => found.length > 1 && !shared.has(name));
  expect(Object.fromEntries(twice)).toEqual({});
  expect(places.size).toBeGreaterThan(50);
});
