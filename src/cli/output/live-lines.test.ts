import { expect, test } from "vitest";
import type { LiveAgent, LiveView } from "../../application/looking/live-run.ts";
import { cellsOf } from "../../transcript/cells.ts";
import { liveLines } from "./live-lines.ts";

const agent = (number: number, changes: Partial<LiveAgent> = {}): LiveAgent => ({
  attempt: `a${number}`,
  story: `US-${String(number).padStart(3, "0")}`,
  step: "implement",
  number: 1,
  executor: "claude",
  startedAt: 0,
  activity: {
    doing: `Edit src/engine/limits-${number}.ts`,
    turns: 3,
    usage: { inputTokens: 1_000, cacheReadTokens: 11_000, outputTokens: 345, costUsd: 0.04 },
  },
  isPartial: false,
  ...changes,
});

const view = (agents: readonly LiveAgent[]): LiveView => ({
  startedAt: 0,
  stories: { done: 2, of: 14 },
  costUsd: 0.42,
  estimatedUsd: 0,
  capUsd: 5,
  agents,
});

const texts = (agents: readonly LiveAgent[], columns: number, rows: number) =>
  liveLines(view(agents), { columns, rows }, 63_000, "*").map(({ text }) => text);

test("[TE11] a line for the run and one for each agent: whose, what it does, tokens, cost, elapsed", () => {
  const partial = agent(2, {
    number: 2,
    isPartial: true,
    activity: { ...agent(2).activity, doing: "読んでいます 🎉" },
  });
  expect(texts([agent(1), partial], 80, 24)).toEqual([
    "* 2 of 14 stories · 2 agents · $0.42 of $5.00 · 1m03s",
    "  US-001 implement    Edit src/engine/limits-1.ts         12.3k    $0.04  1m03s",
    "  US-002 implement#2  読んでいます 🎉                    ≥12.3k   ≥$0.04  1m03s",
  ]);
});

test("[TE12] agents that do not fit are counted", () => {
  const agents = Array.from({ length: 12 }, (_, index) => agent(index + 1));
  expect(texts(agents, 80, 24).at(-1)).toBe("  +2 more");
});

test.each([
  [80, 24, 12],
  [200, 50, 13],
  [20, 5, 2],
  [1, 1, 2],
])("[TE12] twelve agents on %d × %d take %d lines, none of them too wide", (columns, rows, count) => {
  const agents = Array.from({ length: 12 }, (_, index) => agent(index + 1));
  const lines = texts(agents, columns, rows);
  expect(lines).toHaveLength(count);
  for (const line of lines) expect(cellsOf(line)).toBeLessThan(Math.max(2, columns));
});
