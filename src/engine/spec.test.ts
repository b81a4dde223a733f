// The written rules and the tests: each rule is shown by a test, and each test cites rules that exist.

import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const groups = ["RU", "CH", "RT", "LI", "AT", "GA", "ST", "OU", "ED", "LC", "RE", "ME", "WY"];
const page = readFileSync("docs/spec/engine.md", "utf8");
const rules = [...page.matchAll(/^- \*\*([A-Z]+\d+)\*\*/gm)].map(([, id]) => id as string);

const cited = new Set(
  globSync("src/engine/**/*.test.ts").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/["'`]\[([A-Za-z0-9 ]+)\]/g)].flatMap(([, ids = ""]) => ids.split(" ")),
  ),
);

test("[RU8] rules stand in order in their groups, and no number is given twice", () => {
  const numbersOf = (group: string) => rules.filter((id) => id.startsWith(group)).map((id) => Number(id.slice(2)));
  for (const group of groups)
    expect(numbersOf(group)).toEqual([...new Set(numbersOf(group))].toSorted((a, b) => a - b));
  expect(rules.filter((id) => !groups.includes(id.slice(0, 2)))).toEqual([]);
});

test("[RU8] every rule is shown by a test", () => {
  expect(rules.filter((id) => !cited.has(id))).toEqual([]);
});

test("[RU8] every rule that a test cites exists", () => {
  const known = new Set(rules);
  const ours = [...cited].filter((id) => groups.includes(id.slice(0, 2)) && /^..\d+$/.test(id));
  expect(ours.filter((id) => !known.has(id))).toEqual([]);
});
