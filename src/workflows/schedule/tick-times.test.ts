// The times of schedules, above all where the clocks of a zone change.

import { describe, expect, test } from "vitest";
import { tickTimes } from "./tick-times.ts";

function timesOf(cron: string, zone: string) {
  const times = tickTimes(cron, zone);
  if ("wrong" in times) throw new Error(times.wrong);
  return times;
}

/** The first ticks after a time, in UTC without the zeros. */
function ticks(cron: string, after: string, count: number, zone = "Europe/Berlin"): string {
  const times = timesOf(cron, zone);
  const found: string[] = [];
  for (let at = times.next(Date.parse(after)); at !== null && found.length < count; at = times.next(at))
    found.push(new Date(at).toISOString().slice(5, 16));
  return found.join(" ");
}

describe("[SD4] in Europe/Berlin, at 02:00 on 2026-03-29 it is 03:00 at once", () => {
  const before = "2026-03-28T12:00:00Z";
  test.each([
    ["a time of day in the gap comes at its end", "30 2 * * *", "03-29T01:00 03-30T00:30"],
    ["at its beginning, too", "0 2 * * *", "03-29T01:00 03-30T00:00"],
    ["a time after the gap is an hour earlier in UTC", "0 3 * * *", "03-29T01:00 03-30T01:00"],
    ["of several times of day, those in the gap do not come", "0,30 2 * * *", "03-30T00:00 03-30T00:30"],
    ["of a range of hours, the hour in the gap does not come", "15 2-3 * * *", "03-29T01:15 03-30T00:15"],
  ])("%s: %s", (_, cron, expected) => {
    expect(ticks(cron, before, 2)).toBe(expected);
  });

  test("what is due every half hour is due every half hour", () => {
    expect(ticks("*/30 * * * *", "2026-03-29T00:20:00Z", 4)).toBe("03-29T00:30 03-29T01:00 03-29T01:30 03-29T02:00");
  });
});

describe("[SD4] in Europe/Berlin, the hour from 02:00 to 03:00 on 2026-10-25 comes twice", () => {
  test.each([
    ["a time of day comes once, the first time", "30 2 * * *", "10-25T00:30 10-26T01:30 10-27T01:30"],
    ["what is due each hour is due in both", "30 * * * *", "10-24T23:30 10-25T00:30 10-25T01:30"],
    ["several times of day come in both", "0,30 2 * * *", "10-25T00:00 10-25T00:30 10-25T01:00"],
    ["a time after it comes once", "0 3 * * *", "10-25T02:00 10-26T02:00 10-27T02:00"],
  ])("%s: %s", (_, cron, expected) => {
    expect(ticks(cron, "2026-10-24T23:20:00Z", 3)).toBe(expected);
  });
});

test("[SD4] looking back finds the tick that looking ahead finds, also where clocks change", () => {
  for (const cron of ["30 2 * * *", "*/30 * * * *", "0 3 * * 1-5", "0,30 2 * * *"]) {
    const times = timesOf(cron, "Europe/Berlin");
    for (const from of ["2026-03-28T00:00:00Z", "2026-10-24T00:00:00Z"]) {
      let at = times.next(Date.parse(from)) ?? 0;
      for (let count = 0; count < 60; count += 1) {
        const next = times.next(at) ?? 0;
        expect([times.latest(at), times.latest(next - 1)]).toEqual([at, at]);
        at = next;
      }
    }
  }
});

test("[SD1] days of the week by name or number, the last day of a month, names for common times", () => {
  expect(ticks("0 3 * * MON-FRI", "2026-11-20T12:00:00Z", 2)).toBe("11-23T02:00 11-24T02:00");
  expect(ticks("0 0 L * *", "2026-02-01T00:00:00Z", 2, "UTC")).toBe("02-28T00:00 03-31T00:00");
  expect(ticks("@daily", "2026-02-01T12:00:00Z", 1, "UTC")).toBe("02-02T00:00");
  expect(ticks("  0   3 * * * ", "2026-02-01T12:00:00Z", 1, "UTC")).toBe("02-02T03:00");
});

test("[SD1] a far date is found, in both directions", () => {
  const times = timesOf("0 0 29 2 *", "UTC");
  expect(times.next(Date.UTC(2096, 2, 1))).toBe(Date.UTC(2104, 1, 29));
  expect(times.latest(Date.UTC(2103, 0, 1))).toBe(Date.UTC(2096, 1, 29));
});
