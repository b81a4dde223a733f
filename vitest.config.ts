import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { memoryForFiles } from "./test/support/memory-files.ts";
import { patienceMs, testMs } from "./test/support/patience.ts";
import { SlowestFirst } from "./test/support/slowest-first.ts";

// They hold no state and touch nothing outside, so one process takes them all: a new one for each file makes it half as much work again.
const pure = ["contracts", "domain", "engine", "prompts", "results", "workflows"].map(
  (dir) => `src/${dir}/**/*.test.ts`,
);
// A process of its own for each file. Some count the git processes that Pawl starts, and a process that has asked git before starts
// fewer; some put another program in git's place. The others import little, so that sharing a process would save nothing.
const apart = [
  ...["system", "workspaces"].map((dir) => `src/${dir}/**/*.test.ts`),
  "src/runtime/attempt/execute/git-processes.test.ts",
  "src/runtime/effects/cancelling.test.ts",
  "src/runtime/loop/recover.test.ts",
];
// What a store survives is tried on a disk.
const disk = ["src/store/**/*.test.ts"];
// They kill, freeze and cut off processes, servers and machines, and wait until others notice it: a quarter of all the time.
// `npm test` leaves them to `npm run test:kills`.
const kills = ["test/chaos/**/*.test.ts", "test/e2e/workers.postgres.test.ts"];
// They need a browser, which is installed for them.
const browser = ["test/browser/**/*.test.ts"];
// They need a PostgreSQL server, which is installed and started for them.
const postgres = ["src/**/*.postgres.test.ts", "test/**/*.postgres.test.ts"];
/** They start programs that import the application. */
const globalSetup = "test/support/bundled-programs.ts";
const memory = memoryForFiles();
const env: Partial<NodeJS.ProcessEnv> = memory === null ? {} : { TMPDIR: memory };

export default defineConfig({
  test: {
    pool: "forks",
    // Most tests wait for processes of theirs, and some for half a minute until a worker is dead.
    maxWorkers: Math.min(2 * availableParallelism() + 1, 8),
    sequence: { sequencer: SlowestFirst },
    // No test is about time, so a busy machine only makes them slower. What hangs is found all the same, first by the wait for it.
    testTimeout: testMs,
    hookTimeout: testMs,
    // A PATH without git, left behind by one test, would fail all that follow it.
    unstubEnvs: true,
    setupFiles: ["test/support/seeded.ts"],
    // Often enough to cost no time, and seldom enough to leave the processor to what is awaited.
    expect: { poll: { timeout: patienceMs, interval: 25 } },
    projects: [
      { extends: true, test: { name: "pure", include: pure, isolate: false } },
      {
        extends: true,
        test: { name: "disk", include: disk, exclude: [...configDefaults.exclude, ...postgres], globalSetup },
      },
      { extends: true, test: { name: "apart", include: apart, globalSetup, env } },
      {
        extends: true,
        test: {
          // To import the application takes longer than most of these tests.
          name: "shared",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...pure, ...apart, ...disk, ...kills, ...browser, ...postgres],
          isolate: false,
          setupFiles: ["test/support/next-file.ts"],
          globalSetup,
          env,
        },
      },
      {
        extends: true,
        test: {
          name: "postgres",
          include: postgres,
          exclude: [...configDefaults.exclude, ...kills],
          globalSetup: [globalSetup, "test/postgres/server.ts"],
          env,
        },
      },
      {
        extends: true,
        test: { name: "kills", include: kills, globalSetup: [globalSetup, "test/postgres/server.ts"], env },
      },
      {
        extends: true,
        test: {
          // One browser for all files of a process.
          name: "browser",
          include: browser,
          isolate: false,
          // The machine's network changed in the middle of it: see `network-change.ts`.
          retry: { count: 2, condition: /ERR_NETWORK_CHANGED/ },
          setupFiles: ["test/support/next-file.ts", "test/browser/each-test.ts"],
          globalSetup: [globalSetup, "test/browser/install.ts", "test/browser/built-page.ts"],
          env,
        },
      },
    ],
  },
});
