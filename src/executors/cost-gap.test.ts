import { expect, test } from "vitest";
import { agents } from "../../test/support/agents.ts";
import { costGap } from "./cost-gap.ts";
import type { ExecutorConfig } from "./executor-config.ts";

const settings = (executors: Record<string, Partial<ExecutorConfig>>, prices = {}) =>
  ({ executors, defaultExecutors: [], prices }) as unknown as Parameters<typeof costGap>[0];

const gapOf = (given: Parameters<typeof costGap>[0], name: string) => costGap(given, agents, name);

test("[CO11] programs, agents that pull, and Codex without a model have a cost that nobody knows", () => {
  expect(gapOf(settings({}), "command: sh agent.sh")).toBe("a program reports no cost");
  expect(gapOf(settings({ own: { kind: "command" } }), "own")).toBe("own reports no cost");
  expect(gapOf(settings({}), "pull")).toContain("report no cost");
  expect(gapOf(settings({}), "codex")).toContain("names no model (set executors.codex.model");
});

test("[CO11] a price of the model, or of the executor, is enough; agents that tell cost or model have no gap", () => {
  expect(gapOf(settings({ codex: { kind: "codex", model: "gpt-5" } }), "codex")).toBeNull();
  const price = { input: 1, cachedInput: null, output: 2 };
  expect(gapOf(settings({}, { codex: price }), "codex")).toBeNull();
  expect(gapOf(settings({}), "claude")).toBeNull();
});
