import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";

test("[CL1] a sleep lasts as long as it was told", async () => {
  const before = performance.now();
  await systemClock.sleep(50);
  expect(performance.now() - before).toBeGreaterThan(45);
});

test("[CL1] an aborted sleep ends at once and without an error", async () => {
  await systemClock.sleep(60_000, AbortSignal.abort());
  await systemClock.sleep(60_000, AbortSignal.timeout(10));
});

test("[CL1] a sleep of more than 25 days does not end at once", async () => {
  const stop = new AbortController();
  const slept = systemClock.sleep(1e12, stop.signal).then(() => "slept");
  const other = systemClock.sleep(100).then(() => "still asleep");
  expect(await Promise.race([slept, other])).toBe("still asleep");
  stop.abort();
  expect(await slept).toBe("slept");
});
