import { expect, test } from "vitest";
import type { Attempt, Outcome } from "../../../domain/attempt.ts";
import { attemptId, stepId } from "../../../domain/ids.ts";
import type { Report } from "../../../domain/report.ts";
import { StopSwitch } from "../../stop-switch.ts";
import type { Claim } from "../claim/claim.ts";
import { withBackoff, withPause } from "./back-off.ts";
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
  return {
    run: { header: { attempts, countsFrom: {} }, stories: {} },
    attempt: { ...own, story: null },
  } as unknown as Claim;
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

test.each([
  [[], 500],
  [["failed"], 1_500],
  [["failed", "lost"], 4_500],
  [["failed", "failed", "failed"], 13_500],
  [["failed", "completed"], 500],
  [["failed", "timed_out"], 500],
  [Array.from({ length: 12 }, (): Outcome => "failed"), 300_000],
] as const)("[PF16] after %j an agent that crashed waits %i ms", (before, ms) => {
  const failed = failedWith("exit code 1", new StopSwitch());
  expect(withPause(failed, claimAfter(...before), 1_000, 0)).toMatchObject({ retryAt: 1_000 + ms });
  expect(withPause(failed, claimAfter(...before), 1_000, 1)).toMatchObject({ retryAt: 1_000 + ms * 1.25 });
});

test("[PF16] five starts of an agent that dies at once take more than 15 s", () => {
  const failed = failedWith("killed", new StopSwitch());
  let at = 0;
  for (let deaths = 0; deaths < 4; deaths += 1) {
    const before = Array.from({ length: deaths }, (): Outcome => "failed");
    at = (withPause(failed, claimAfter(...before), at, 0) as { retryAt: number }).retryAt;
  }
  expect(at).toBeGreaterThan(15_000);
});

test("[PF16] no pause for other ends, for a question to a person, and for an agent that pulls; a retry starts with the first pause", () => {
  const failed = failedWith("broken", new StopSwitch());
  expect(withPause(limited, claimAfter(), 0, 0)).toBe(limited);
  const asks = { ...failed, asks: "Log in?" } as Report;
  expect(withPause(asks, claimAfter(), 0, 0)).toBe(asks);
  const claim = claimAfter("failed", "failed");
  const pulled = { ...claim, attempt: { ...claim.attempt, driver: "pull" } } as Claim;
  expect(withPause(failed, pulled, 0, 0)).toBe(failed);
  const retried = { ...claim, run: { ...claim.run, header: { ...claim.run.header, countsFrom: { "*": 2 } } } } as Claim;
  expect(withPause(failed, retried, 0, 0)).toMatchObject({ retryAt: 500 });
});
