// Runs with every file of the browser tests: where there is no browser, each test is skipped and says why.

import { beforeEach, inject } from "vitest";

beforeEach((context) => {
  const { why } = inject("browser");
  if (why !== null) context.skip(why);
});
