// Runs with every test file of a process that takes several: what one of them left in the process does not reach the next.

import { afterAll, vi } from "vitest";

const before = { ...process.env };

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
