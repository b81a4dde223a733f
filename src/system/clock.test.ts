import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { dayFromNowOn, deadlineIn, isPast, systemClock } from "./clock.ts";
import { bootId } from "./process/identity.ts";

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

test("[CL2] the steady time is that of the machine, and no change of the time of day moves a deadline", () => {
  const boot = bootId();
  let [now, steady] = [5_000_000, 1_000];
  const clock = { now: () => now, steady: () => steady };
  const deadline = deadlineIn(clock, 500);
  expect(deadline).toEqual({ at: 5_000_500, steady: { boot, at: 1_500 } });
  now += 3_600_000;
  expect(isPast(clock, deadline)).toBe(false);
  now -= 7_200_000;
  steady = 1_500;
  expect(isPast(clock, deadline)).toBe(true);
});

test("[CL3] after another boot, and without a boot, the time of day counts", () => {
  const clock = { now: () => 1_000, steady: () => 0 };
  const another = { boot: "another boot", at: 1_000_000 };
  expect(isPast(clock, { at: 999, steady: another })).toBe(true);
  expect(isPast(clock, { at: 1_001, steady: { ...another, at: -1 } })).toBe(false);
  expect(isPast(clock, { at: 1_000, steady: null })).toBe(true);
});

test("[CL2] the steady time is the same in another process", () => {
  const before = systemClock.steady();
  const there = Number(execFileSync(process.execPath, ["-p", "Number(process.hrtime.bigint() / 1000000n)"]));
  expect(there).toBeGreaterThanOrEqual(before);
  expect(there).toBeLessThanOrEqual(systemClock.steady());
});

test("[CL4] a process keeps the time of day of its start: no jump moves it, and what passes counts, asleep or awake", () => {
  let [day, steady, awakeOrNot] = [5_000_000, 1_000, 77_000];
  const now = dayFromNowOn(
    () => day,
    () => steady,
    () => awakeOrNot,
  );
  for (const jumpMs of [86_400_000, -2 * 86_400_000]) {
    day += jumpMs;
    expect(now()).toBe(5_000_000);
  }
  steady += 500;
  // The coarse clock lags a little behind.
  awakeOrNot += 10;
  expect(now()).toBe(5_000_500);
  awakeOrNot += 490 + 3_600_000;
  expect(now()).toBe(5_000_500 + 3_600_000);
});

test("[CL4] a sleep counts, and the time of day that it moved does not count twice", () => {
  let [day, steady, awakeOrNot] = [5_000_000, 1_000, 77_000];
  const now = dayFromNowOn(
    () => day,
    () => steady,
    () => awakeOrNot,
  );
  [day, steady, awakeOrNot] = [day + 60_000, steady + 200, awakeOrNot + 60_000];
  expect(now()).toBe(5_060_000);
  [day, steady, awakeOrNot] = [day + 300, steady + 300, awakeOrNot + 300];
  expect(now()).toBe(5_060_300);
});

test("[CL4] the time of day of this process is the machine's", () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000);
});
