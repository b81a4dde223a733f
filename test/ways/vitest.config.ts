// `npm run test:postgres`: the end-to-end tests of the five ways of working, each site with its store on a PostgreSQL server and two workers.

import { defineConfig } from "vitest/config";
import { memoryForFiles } from "../support/memory-files.ts";
import { patienceMs, testMs } from "../support/patience.ts";

/** `obedient-bundled` has one of each way but the lifecycle. */
const ways: Readonly<Record<string, readonly string[]>> = {
  "feature-dev and antfarm": [
    "feature-dev",
    "feature-dev-agents",
    "antfarm-workflows",
    "antfarm-defects",
    "pulling",
    "pulled-rules",
    "own-desk",
    "stories-json",
    "obedient-bundled",
  ],
  "compound-engineering-loop": ["compound-loop"],
  "dynamic-ralph": ["ralph-*", "story-commands"],
  "agentic-coding": ["project-access", "project-team"],
  lifecycle: ["lifecycle", "lifecycle-skills"],
};
/** Projects of agentic coding within one process, which drives them: on the server, without workers. `next-commands` is not among them: it
 * begins several refused commands before it awaits the first, and a rejection that comes earlier than its turn counts as unhandled. */
const projects = ["continue", "failing-sessions", "imported", "levels", "sessions", "teams"].map(
  (name) => `src/application/agentic/${name}.test.ts`,
);
const memory = memoryForFiles();
// Without a server there is nothing to run.
process.env["PAWL_POSTGRES"] = "required";

export default defineConfig({
  test: {
    include: [...Object.values(ways).flatMap((names) => names.map((name) => `test/e2e/${name}.test.ts`)), ...projects],
    setupFiles: ["test/ways/setup.ts"],
    globalSetup: ["test/support/bundled-programs.ts", "test/postgres/server.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: testMs,
    hookTimeout: testMs,
    unstubEnvs: true,
    expect: { poll: { timeout: patienceMs, interval: 25 } },
    ...(memory === null ? {} : { env: { TMPDIR: memory } }),
  },
});
