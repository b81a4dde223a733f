import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isPawlTool, pawlTools } from "./pawl-tools.ts";

test.each([
  "mcp__pawl__complete",
  "mcp__pawl__ask_human",
  "mcp_pawl_fail",
  "pawl.get_context",
  "pawl_edit_workflow",
  "pawl-progress",
  "pawl__complete",
  "complete (pawl MCP Server)",
])("[EX93] %s is ours", (name) => {
  expect(isPawlTool(name)).toBe(true);
});

test.each([
  "complete",
  "mcp__pawl_x__complete",
  "mcp__pawl-evil__complete",
  "my_pawl_complete",
  "pawl_complete_all",
  "pawl: rm -rf",
  "write (pawl MCP Server)",
  "Bash(pawl_complete)",
])("[EX93] %s is not", (name) => {
  expect(isPawlTool(name)).toBe(false);
});

test("[EX93] they are those that are offered", () => {
  // The other side of a border that imports do not cross.
  const offered = readFileSync(new URL("../../mcp/attempt-tools.ts", import.meta.url), "utf8");
  const names = [...offered.matchAll(/^ {4}name: "(\w+)"/gm)].map(([, name]) => name);
  expect(new Set(names)).toEqual(new Set(pawlTools));
});
