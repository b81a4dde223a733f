// Runs with every file of the browser tests: where there is no browser, each test is skipped and says why. Otherwise the machine's
// network is watched.

import { beforeEach, inject } from "vitest";
import { watchNetwork } from "./network-change.ts";

beforeEach((context) => {
  const { why } = inject("browser");
  if (why !== null) context.skip(why);
  watchNetwork(context);
});
