// What lists and figures say of runs, as tests of every store.

import { describe, expect, test } from "vitest";
import { chainOf, completed, finishOf, startAttemptOf, unfinished } from "../../test/support/sample-runs.ts";
import { Transitions } from "../../test/support/transitions.ts";
import type { RunId } from "../domain/ids.ts";
import type { Report } from "../domain/report.ts";
import type { StoreUnderTest } from "./store.contract.ts";

export function describeFigures(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name}: figures`, () => {
    test("[SO46] the attempts of each step are counted, of the newest runs first", async () => {
      const { store } = await open();
      const runs = new Transitions(store);
      const usage = (costUsd: number) => ({ usage: { costUsd, inputTokens: 10, outputTokens: 5 } });
      const first = await runs.start(chainOf(2));
      // An escaped NUL in a document must not keep a database from reading the rest of it.
      await performIn(runs, first, "step-1", 1_000, completed({ ...usage(1), session: "\u0000\ud800" }));
      await performIn(runs, first, "step-2", 500, completed());
      const second = await runs.start(chainOf(2));
      await performIn(runs, second, "step-1", 2_000, unfinished("failed", usage(0.25)));
      await performIn(runs, second, "step-1", 4_000, completed(usage(0.5)));
      await runs.apply(second, startAttemptOf("step-2", { at: 9_000 }));

      const { runs: byStatus, counted, steps } = await store.figures("chain-2", { mostRuns: 10, mostAttempts: 100 });
      expect(Object.fromEntries(byStatus)).toStrictEqual({ done: 1, running: 1 });
      expect(counted).toBe(2);
      expect(steps).toStrictEqual([
        {
          step: "step-1",
          attempts: 3,
          ended: 3,
          passed: 2,
          rejected: 0,
          failed: 1,
          medianMs: 2_000,
          costUsd: 1.75,
          estimatedUsd: 0,
          lostUsd: 0.25,
          unreported: 0,
        },
        {
          step: "step-2",
          attempts: 2,
          ended: 1,
          passed: 1,
          rejected: 0,
          failed: 0,
          medianMs: 500,
          costUsd: 0,
          estimatedUsd: 0,
          lostUsd: 0,
          unreported: 2,
        },
      ]);
      const newest = await store.figures("chain-2", { mostRuns: 1, mostAttempts: 100 });
      expect(newest.steps.map(({ step, attempts }) => [step, attempts])).toStrictEqual([
        ["step-1", 2],
        ["step-2", 1],
      ]);
      // The newest run has three.
      const few = await store.figures("chain-2", { mostRuns: 10, mostAttempts: 3 });
      expect([few.counted, few.steps.map(({ attempts }) => attempts)]).toStrictEqual([1, [2, 1]]);
    });

    test("[SO46] runs are counted by status, and outlined", async () => {
      const { store } = await open();
      const runs = new Transitions(store);
      const [one, two] = [await runs.start(chainOf(2)), await runs.start(chainOf(1))];
      await runs.perform(one, "step-1");
      await runs.perform(two, "step-1");
      expect(Object.fromEntries(await store.runCounts())).toStrictEqual({ done: 1, running: 1 });
      const outlines = await store.outlines(await store.listRuns({ statuses: null, limit: 10 }));
      expect(outlines.get(one)).toMatchObject({ step: { id: "step-2", status: "ready" }, stories: { total: 0 } });
      expect(outlines.get(two)).toMatchObject({ step: null, capUsd: null });
    });

    test("[SO46] the attempts that hold a permit are found", async () => {
      const { store } = await open();
      const runs = new Transitions(store);
      const run = await runs.start(chainOf(1));
      const attempt = await runs.startAttempt(run, "step-1");
      await store.transaction((tx) => tx.takePermits(attempt, [{ key: "k", limit: 1 }]));
      expect(await store.permitHolders("k")).toMatchObject([{ run, attempt: { id: attempt } }]);
      expect(await store.permitHolders("other")).toStrictEqual([]);
    });
  });
}

/** Performs a step in so many milliseconds. */
async function performIn(runs: Transitions, run: RunId, step: string, ms: number, report: Report): Promise<void> {
  const start = startAttemptOf(step, { at: 5_000 });
  await runs.apply(run, start);
  await runs.apply(run, finishOf(start.attempt, report, { at: 5_000 + ms }));
}
