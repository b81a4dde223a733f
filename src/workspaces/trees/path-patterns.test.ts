import { expect, test } from "vitest";
import { pathMatcher } from "./path-patterns.ts";

test.each([
  ["*.go", ["main.go", "internal/a/b.go"], ["main.gox", "go"]],
  ["internal/**/*.go", ["internal/a.go", "internal/a/b/c.go"], ["a.go", "x/internal/a.go"]],
  ["**/gen/*.ts", ["gen/a.ts", "src/gen/a.ts"], ["src/gen/b/a.ts"]],
  ["docs/**", ["docs/a.md", "docs/b/c.md"], ["other/docs/a.md"]],
  ["docs/api", ["docs/api", "docs/api/openapi.yaml"], ["docs/apis"]],
  ["/.ai/", [".ai/HANDOFF.md", ".ai/states/a.json"], ["sub/.ai/x", ".ai"]],
  ["a.b?(c).md", ["a.bx(c).md"], ["a_bx(c).md"]],
])("[WF90] %s names paths as a line of a .gitignore does", (line, named, others) => {
  const isNamed = pathMatcher([line]);
  expect(named.filter((path) => !isNamed(path))).toEqual([]);
  expect(others.filter(isNamed)).toEqual([]);
});

test("[WF90] a line with `!` takes back what a line before it names, and the last that fits decides", () => {
  const isNamed = pathMatcher(["/.workflow", "!/.workflow/", "/.workflow/.ralph/"]);
  expect([".workflow", ".workflow/.ralph/a"].filter((path) => !isNamed(path))).toEqual([]);
  expect([".workflow/state.json", "src/.workflow", "a"].filter(isNamed)).toEqual([]);
});
