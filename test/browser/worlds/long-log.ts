// What the agents of a long run say, and the workflow that they work in. It imports nothing of the test runner: the benchmark makes the
// same log.

import type { Definition } from "../../../src/domain/definition.ts";
import type { Report } from "../../../src/domain/report.ts";
import { completed, storyOf, unfinished } from "../../support/sample-runs.ts";
import type { Reporting } from "./made-log.ts";

/** Eight stories at once, and nothing that ends a run early. */
export function wide(definition: Definition): Definition {
  const none = 1_000_000;
  return {
    ...definition,
    caps: { ...definition.caps, attempts: none, steps: none, wallMs: none * 1e6, costUsd: none, tokens: none * 1e6 },
    steps: definition.steps.map((step) =>
      step.kind === "stories"
        ? { ...step, concurrency: 8, onStoryFailed: "continue", storyBudget: { ...step.storyBudget, atMost: 20 } }
        : step,
    ),
  };
}

/** Enough stories for so many events, some of which wait for others. */
export function reporting(events: number): Reporting {
  const count = Math.max(12, Math.ceil(events / 18));
  const id = (number: number) => `US-${String(number).padStart(4, "0")}`;
  return ({ name }, _story, dice): Report => {
    const usage = {
      costUsd: Math.round(dice() * 9_000) / 10_000,
      inputTokens: Math.round(dice() * 200_000),
      outputTokens: Math.round(dice() * 9_000),
    };
    const luck = dice();
    if (luck < 0.03) return unfinished("failed", { why: "the agent exited with 1", usage });
    switch (name) {
      case "plan": {
        const stories = Array.from({ length: count }, (_, index) =>
          storyOf(id(index + 1), {
            title: `Move part ${index + 1} of the shop`,
            dependsOn: index > 8 && dice() < 0.3 ? [storyOf(id(1 + Math.floor(dice() * index))).id] : [],
          }),
        );
        return completed({ stories, usage });
      }
      case "verify":
        return luck < 0.25
          ? completed({
              verdict: { kind: "rejected", reason: null },
              feedback: "There is no test for an empty cart",
              usage,
            })
          : completed({ usage });
      case "review":
        return completed({ verdict: { kind: "value", value: "approved" }, usage });
      default:
        return completed({ usage });
    }
  };
}
