import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    // No test is about time, so a busy machine only makes them slower. What hangs is found all the same.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
