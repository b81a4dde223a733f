// Estimates what tokens cost if an agent does not report its cost. Subscriptions, discounts, long contexts and cache writes have
// other prices.

import type { Usage } from "../domain/attempt.ts";

/** USD for a million tokens. */
export interface Price {
  readonly input: number;
  /** The price of tokens that were read from a cache; null: that of other input. */
  readonly cachedInput: number | null;
  readonly output: number;
}

/** By the name of a model; in a user's configuration also by the name of an executor. */
export type Prices = Readonly<Record<string, Price>>;

/**
 * List prices of September 2026, in USD: input, cached input, output. They change without notice: users with a budget should
 * compare them with their bill and write their own prices into the configuration, which wins. A name stands for its dated and
 * named variants too, unless a longer name fits.
 */
const listed: readonly (readonly [name: string, input: number, cachedInput: number | null, output: number])[] = [
  ["claude-fable-5-1", 10, 0.25, 50],
  ["claude-fable-5", 10, 1, 50],
  ["claude-opus-5-5", 4, 0.2, 20],
  ["claude-opus-5", 5, 0.5, 25],
  ["claude-opus-4-8", 5, 0.5, 25],
  ["claude-opus-4-7", 5, 0.5, 25],
  ["claude-opus-4-6", 5, 0.5, 25],
  ["claude-opus-4-5", 5, 0.5, 25],
  ["claude-opus-4", 15, 1.5, 75],
  ["claude-sonnet-5", 2, 0.2, 10],
  ["claude-sonnet-4", 3, 0.3, 15],
  ["claude-3-7-sonnet", 3, 0.3, 15],
  ["claude-haiku-4-5", 1, 0.1, 5],
  ["claude-3-5-haiku", 0.8, 0.08, 4],

  ["gpt-6-astra", 10, 1, 50],
  ["gpt-6-sol", 2, 0.2, 10],
  ["gpt-6-luna", 0.1, 0.01, 0.5],
  ["gpt-5.6", 4, 0.4, 20],
  ["gpt-5.6-sol", 4, 0.4, 20],
  ["gpt-5.6-terra", 2, 0.2, 12],
  ["gpt-5.6-luna", 0.2, 0.02, 1.2],
  ["gpt-5.5", 5, 0.5, 30],
  ["gpt-5.5-pro", 30, null, 180],
  ["gpt-5.4", 2.5, 0.25, 15],
  ["gpt-5.4-mini", 0.75, 0.075, 4.5],
  ["gpt-5.4-nano", 0.2, 0.02, 1.25],
  ["gpt-5.4-pro", 30, null, 180],
  ["gpt-5.3-codex", 1.75, 0.175, 14],
  ["gpt-5.2", 1.75, 0.175, 14],
  ["gpt-5.2-pro", 21, null, 168],
  ["gpt-5.1", 1.25, 0.125, 10],
  ["gpt-5.1-codex-mini", 0.25, 0.025, 2],
  ["gpt-5", 1.25, 0.125, 10],
  ["gpt-5-mini", 0.25, 0.025, 2],
  ["gpt-5-nano", 0.05, 0.005, 0.4],
  ["gpt-5-pro", 15, null, 120],
  ["gpt-4.1", 2, 0.5, 8],
  ["gpt-4.1-mini", 0.4, 0.1, 1.6],
  ["gpt-4.1-nano", 0.1, 0.025, 0.4],
  ["gpt-4o", 2.5, 1.25, 10],
  ["gpt-4o-mini", 0.15, 0.075, 0.6],
  ["codex-mini", 1.5, 0.375, 6],
  ["o4-mini", 1.1, 0.275, 4.4],
  ["o3", 2, 0.5, 8],
  ["o3-mini", 1.1, 0.55, 4.4],
  ["o3-pro", 20, null, 80],

  ["gemini-3.8-flash", 0.75, 0.075, 3.75],
  ["gemini-3.7-flash", 0.75, 0.075, 3.75],
  ["gemini-3.6-flash", 0.75, 0.075, 3.75],
  ["gemini-3.5-flash", 1.5, 0.15, 9],
  ["gemini-3.5-flash-lite", 0.3, 0.03, 2.5],
  ["gemini-3.1-pro", 2, 0.2, 12],
  ["gemini-3.1-flash-lite", 0.25, 0.025, 1.5],
  ["gemini-3-pro", 2, 0.2, 12],
  ["gemini-3-flash", 0.5, 0.05, 3],
  ["gemini-2.5-pro", 1.25, 0.125, 10],
  ["gemini-2.5-flash", 0.3, 0.03, 2.5],
  ["gemini-2.5-flash-lite", 0.1, 0.01, 0.4],

  ["qwen3-coder-plus", 1, null, 5],
  ["qwen3-max", 1.2, null, 6],
  ["kimi-k2.5", 0.6, 0.1, 3],
];

const known: Prices = Object.fromEntries(
  listed.map(([name, input, cachedInput, output]) => [name, { input, cachedInput, output }]),
);

export interface Spender {
  readonly executor: string;
  /** Null: the agent reports none, and none was chosen. */
  readonly model: string | null;
}

/** The user's price for the model, or for the executor, wins over this table. Null: there is no price. */
export function priceOf({ executor, model }: Spender, own: Prices): Price | null {
  const ofModel = (prices: Prices) => (model === null ? null : priceIn(prices, model));
  return ofModel(own) ?? (Object.hasOwn(own, executor) ? own[executor] : null) ?? ofModel(known);
}

/** A reported cost is believed; tokens without a price stay without a cost. */
export function estimate(usage: Usage, price: Price | null): Usage {
  if (price === null || usage.costUsd > 0 || tokensOf(usage) === 0) return usage;
  const { input, cachedInput, output } = price;
  const cached = (usage.cacheReadTokens ?? 0) * (cachedInput ?? input);
  const costUsd = (usage.inputTokens * input + cached + usage.outputTokens * output) / 1e6;
  return { ...usage, costUsd, estimatedUsd: costUsd };
}

/** It used tokens, has no cost, and its price is not zero. */
export function isUnpriced(usage: Usage, spender: Spender, own: Prices): boolean {
  if (usage.costUsd > 0 || tokensOf(usage) === 0) return false;
  const price = priceOf(spender, own);
  return price === null || price.input + price.output > 0;
}

function tokensOf({ inputTokens, outputTokens, cacheReadTokens = 0 }: Usage): number {
  return inputTokens + outputTokens + cacheReadTokens;
}

/** The price of the model's own name, else of the longest name that it is a variant of: `gpt-5` fits `gpt-5-2025-08-07`, not `gpt-5.1`. */
function priceIn(prices: Prices, model: string): Price | null {
  const wanted = plainName(model);
  const [best] = Object.keys(prices)
    .filter((name) => isVariant(wanted, plainName(name)))
    .toSorted((one, other) => other.length - one.length);
  return best === undefined ? null : (prices[best] ?? null);
}

function isVariant(model: string, name: string): boolean {
  return model === name || model.startsWith(`${name}-`) || model.startsWith(`${name}@`);
}

/** Names come from what agents print, so their length is limited. */
const longestName = 200;

/** Removes what providers add: `us.anthropic.claude-…`, `openai/gpt-5`, `claude-sonnet-4.5`, `claude-opus-5-5[1m]`. */
function plainName(model: string): string {
  const bare = model
    .slice(0, longestName)
    .toLowerCase()
    .replace(/\[[^\]]*\]$/, "")
    .replace(/^.*\//, "")
    .replace(/^.*\.(?=claude-)/, "");
  return bare.startsWith("claude-") ? bare.replaceAll(".", "-") : bare;
}
