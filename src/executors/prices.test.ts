import { expect, test } from "vitest";
import { cpuMsOf } from "../../test/support/cpu.ts";
import { estimate, isUnpriced, type Price, type Prices, priceOf } from "./prices.ts";

const price = (input: number, output = input, cachedInput: number | null = null): Price => ({
  input,
  cachedInput,
  output,
});
const used = { costUsd: 0, inputTokens: 1_000_000, cacheReadTokens: 2_000_000, outputTokens: 100_000 };
const inputOf = (model: string | null, own: Prices = {}, executor = "codex") =>
  priceOf({ executor, model }, own)?.input ?? null;

test("[CO2 CO5] tokens without a cost are estimated, what came from a cache at its own price", () => {
  expect(estimate(used, price(2, 10, 0.5))).toEqual({ ...used, costUsd: 4, estimatedUsd: 4 });
  expect(estimate(used, price(2, 10, 0))).toMatchObject({ costUsd: 3 });
  expect(estimate(used, price(2, 10, null))).toMatchObject({ costUsd: 7 });
  const { cacheReadTokens: _, ...older } = used;
  expect(estimate(older, price(2, 10, 0.5))).toMatchObject({ costUsd: 3, estimatedUsd: 3 });
});

test("[CO2] whoever tells his cost is believed, and who used nothing has cost nothing", () => {
  const told = { ...used, costUsd: 0.3 };
  expect(estimate(told, price(2))).toBe(told);
  const nothing = { costUsd: 0, inputTokens: 0, outputTokens: 0 };
  expect(estimate(nothing, price(2))).toBe(nothing);
});

test("[CO4] without a price the tokens are all there is, and that is said unless they are free", () => {
  expect(estimate(used, null)).toBe(used);
  const of = (model: string | null, own: Prices = {}) => isUnpriced(used, { executor: "codex", model }, own);
  expect(of("nobodys-model")).toBe(true);
  expect(of(null)).toBe(true);
  expect(of("nobodys-model", { "nobodys-model": price(0) })).toBe(false);
  expect(of(null, { codex: price(0) })).toBe(false);
  expect(isUnpriced({ ...used, costUsd: 1 }, { executor: "codex", model: null }, {})).toBe(false);
  expect(isUnpriced({ costUsd: 0, inputTokens: 0, outputTokens: 0 }, { executor: "shell", model: null }, {})).toBe(
    false,
  );
});

test.each([
  ["gpt-5", 1.25],
  ["gpt-5-2025-08-07", 1.25],
  ["gpt-5-codex", 1.25],
  ["gpt-5-mini", 0.25],
  ["gpt-5-mini-2025-08-07", 0.25],
  ["gpt-5.5-pro-2026-04-23", 30],
  ["gpt-5.99", null],
  ["gpt-50", null],
  ["openai/gpt-5.5", 5],
  ["GPT-5.5", 5],
  ["claude-opus-5-5", 4],
  ["claude-opus-5-5[1m]", 4],
  ["claude-opus-4.5", 5],
  ["claude-opus-4-1-20250805", 15],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", 3],
  ["claude-sonnet-4-5@20250929", 3],
  ["openrouter/anthropic/claude-sonnet-4.5", 3],
  ["gemini-2.5-pro", 1.25],
  ["gemini-3-pro-preview", 2],
  ["gemini-2.5-flash-lite-preview-06-17", 0.1],
  ["qwen3-coder-plus", 1],
  ["qwen3-coder-plus:free", null],
  ["", null],
  ["constructor", null],
  ["__proto__", null],
] as const)("[CO3] the table knows %s by its name or its family", (model, input) => {
  expect(inputOf(model)).toBe(input);
});

test("[CO3] what the user says of the model, then of the executor, wins over the table", () => {
  expect(inputOf("gpt-5", { "gpt-5": price(9) })).toBe(9);
  expect(inputOf("gpt-5", { codex: price(8) })).toBe(8);
  expect(inputOf("gpt-5", { codex: price(8), "gpt-5": price(9) })).toBe(9);
  expect(inputOf("gpt-5", { claude: price(8) })).toBe(1.25);
  expect(inputOf(null, { codex: price(8) })).toBe(8);
  expect(inputOf(null, {}, "gpt-5")).toBeNull();
  expect(inputOf("mine-2026-01-01", { mine: price(1), "mine-2026": price(2) })).toBe(2);
  expect(inputOf("lab/mine", { "lab/mine": price(3) })).toBe(3);
  expect(inputOf("x", {}, "toString")).toBeNull();
});

test("[CO3] an endless name from an agent costs no time", () => {
  expect(cpuMsOf(() => expect(inputOf("[".repeat(100_000))).toBeNull())).toBeLessThan(1_000);
});
