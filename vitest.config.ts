import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { patienceMs, testMs } from "./test/support/patience.ts";
import { SlowestFirst } from "./test/support/slowest-first.ts";

// They hold no state and touch nothing outside, so one process takes them all: a new one for each file makes it half as much work again.
const pure = ["contracts", "domain", "engine", "prompts", "results", "workflows"].map(
  (dir) => `src/${dir}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    pool: "forks",
    // One more than there are cores, because most tests wait for processes of theirs.
    maxWorkers: Math.min(availableParallelism() + 1, 8),
    sequence: { sequencer: SlowestFirst },
    // No test is about time, so a busy machine only makes them slower. What hangs is found all the same, first by the wait for it.
    testTimeout: testMs,
    hookTimeout: testMs,
    // A PATH without git, left behind by one test, would fail all that follow it.
    unstubEnvs: true,
    expect: { poll: { timeout: patienceMs, interval: 10 } },
    projects: [
      { extends: true, test: { name: "pure", include: pure, isolate: false } },
      {
        extends: true,
        test: {
          name: "outside",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...pure],
        },
      },
    ],
  },
});
