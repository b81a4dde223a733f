import { expect, test } from "vitest";
import { durationMs, durationPattern, formatDuration } from "./duration.ts";

test.each([
  ["45m", 2_700_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["90s", 90_000],
  ["250ms", 250],
  [90, 90_000],
])("%j is %d ms", (written, ms) => {
  expect(durationMs(written)).toBe(ms);
});

test.each(["", "45", "m", "-5m", "5 minutes", "1h-3m"])("%j is not a time", (text) => {
  expect(durationPattern.test(text)).toBe(false);
});

test("[WF8] a time is shown with its two largest units", () => {
  expect([formatDuration(5_400_000), formatDuration(0), formatDuration(90_061_000)]).toEqual(["1h30m", "0s", "1d1h"]);
});
