import { expect, test } from "vitest";
import type { Attempt, Outcome } from "../../../domain/attempt.ts";
import { attemptId, stepId } from "../../../domain/ids.ts";
import type { Report } from "../../../domain/report.ts";
import { StopSwitch } from "../../stop-switch.ts";
import type { Claim } from "../claim/claim.ts";
import { withBackoff } from "./account-limits.ts";
import { failedWith } from "./outcomes.ts";

const limited: Report = { ...failedWith("429", new StopSwitch()), outcome: "rate_limited", why: "429", retryAt: null };

/** A claim whose step has come to these ends before. */
function claimAfter(...outcomes: readonly Outcome[]): Claim {
  const attempt = (index: number, outcome: Outcome | null) =>
    ({
      id: attemptId(`at-${index}`),
      step: stepId("work"),
      state: outcome === null ? { phase: "started" } : { phase: "ended", outcome },
    }) as Attempt;
  const attempts = [...outcomes, null].map((outcome, index) => attempt(index, outcome));
  const own = attempts.at(-1);
  return { run: { header: { attempts }, stories: {} }, attempt: { ...own, story: null } } as unknown as Claim;
}

test.each([
  [[], 15],
  [["rate_limited"], 30],
  [["rate_limited", "rate_limited"], 60],
  [["failed", "rate_limited"], 30],
  [["rate_limited", "completed"], 15],
  [Array.from({ length: 12 }, (): Outcome => "rate_limited"), 300],
] as const)("[PF9] after %j an agent that was turned away waits %i s", (before, seconds) => {
  const { retryAt } = withBackoff(limited, claimAfter(...before), 1_000, 0) as { retryAt: number };
  expect(retryAt).toBe(1_000 + seconds * 1_000);
});

test("[PF9] a time that was told counts the first time; who is turned away again waits longer all the same", () => {
  const told = (retryAt: number): Report => ({ ...limited, retryAt });
  expect(withBackoff(told(9_000), claimAfter(), 1_000, 0)).toMatchObject({ retryAt: 9_000 });
  // `try again in 6ms`, and the same the next time.
  expect(withBackoff(told(1_006), claimAfter(), 1_000, 0)).toMatchObject({ retryAt: 2_000 });
  expect(withBackoff(told(1_006), claimAfter("rate_limited"), 1_000, 0)).toMatchObject({ retryAt: 31_000 });
  expect(withBackoff(told(900_000), claimAfter("rate_limited"), 1_000, 0)).toMatchObject({ retryAt: 900_000 });
});

test("[PF9] another end is left alone, and chance only lengthens", () => {
  const failed = failedWith("broken", new StopSwitch());
  expect(withBackoff(failed, claimAfter("rate_limited"), 1_000, 0)).toBe(failed);
  expect(withBackoff(limited, claimAfter(), 0, 1)).toMatchObject({ retryAt: 18_750 });
});
