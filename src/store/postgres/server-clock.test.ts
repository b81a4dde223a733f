import { expect, test } from "vitest";
import type { Clock } from "../../system/clock.ts";
import { serverClock } from "./server-clock.ts";

/** A machine whose steady time moves only while somebody waits for an answer. */
function machine(answersMs: readonly number[], aheadMs: number) {
  const began = Date.parse("2030-01-01T12:00:00Z");
  let passedMs = 0;
  let asked = 0;
  const clock: Clock = { now: () => began + passedMs, steady: () => passedMs, sleep: async () => undefined };
  const ask = async () => {
    const tookMs = answersMs[asked] ?? 1;
    asked += 1;
    passedMs += tookMs;
    // The server answers in the middle.
    return began + passedMs - tookMs / 2 + aheadMs;
  };
  return { clock, ask, began, asked: () => asked };
}

test.each([600_000, -600_000])(
  "[WK60] a machine has the time of day of its server (%d ms), and its own steady time",
  async (aheadMs) => {
    const { clock, ask, began, asked } = machine([10], aheadMs);
    const shared = await serverClock(clock, ask);
    expect([shared.now() - clock.now(), shared.aheadMs, asked()]).toEqual([aheadMs, aheadMs, 1]);
    expect([shared.now() - began, shared.steady()]).toEqual([aheadMs + 10, 10]);
  },
);

test("[WK60] a slow answer says little, so the server is asked again, and the fastest answer counts", async () => {
  const { clock, ask, asked } = machine([8_000, 3_000, 20], 60_000);
  expect([(await serverClock(clock, ask)).aheadMs, asked()]).toEqual([60_000, 3]);
});

test("[WK60] a machine whose clock agrees keeps its own", async () => {
  const { clock, ask } = machine([10], 900);
  expect(await serverClock(clock, ask)).toBe(clock);
});
