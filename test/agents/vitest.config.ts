// Tests with real agents. They take some minutes, and download some gigabytes the first time. `npm test` runs the same with stubs.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/agents/*.real.ts"],
    globalSetup: ["test/agents/install.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 60_000,
    reporters: ["verbose"],
  },
});
