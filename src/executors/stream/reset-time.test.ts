import { afterEach, expect, test } from "vitest";
import { instantOf, resetTimeIn } from "./reset-time.ts";

const saidAt = Date.UTC(2026, 10, 15, 20, 30);
const machineZone = process.env["TZ"];
afterEach(() => {
  if (machineZone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = machineZone;
});

const resets = (message: string) => {
  const at = resetTimeIn(message, saidAt);
  return at === null ? null : new Date(at).toISOString();
};

test.each([
  ["You've hit your 5-hour limit · resets Jan 1, 2030, 12am (UTC)", "2030-01-01T00:00:00.000Z"],
  ["You've hit your weekly limit · resets Nov 20, 3:30pm (America/New_York)", "2026-11-20T20:30:00.000Z"],
  ["You've hit your weekly limit · resets Jan 2, 9am (Europe/Berlin)", "2027-01-02T08:00:00.000Z"],
  ["limit reached · resets 11pm (UTC)", "2026-11-15T23:00:00.000Z"],
  ["limit reached · resets 3am (UTC)", "2026-11-16T03:00:00.000Z"],
  ["limit reached · resets 12pm (Asia/Tokyo)", "2026-11-16T03:00:00.000Z"],
  ["limit reached · resets Jul 1, 2027, 2am (Europe/Berlin)", "2027-07-01T00:00:00.000Z"],
  ["Claude AI usage limit reached|1893456000", "2030-01-01T00:00:00.000Z"],
  ["Rate limit reached. Please try again in 1.5s.", "2026-11-15T20:30:01.500Z"],
  ["Please try again in 1m12.5s", "2026-11-15T20:31:12.500Z"],
  ["Please try again in 250ms.", "2026-11-15T20:30:00.250Z"],
  ["Your quota will reset after 3h12m5s.", "2026-11-15T23:42:05.000Z"],
  ["Try again in 2 days, 4 hours and 12 minutes.", "2026-11-18T00:42:00.000Z"],
  ['{"@type":"RetryInfo","retryDelay":"34s"}', "2026-11-15T20:30:34.000Z"],
  ["try again at 2026-12-01T00:00:00Z", "2026-12-01T00:00:00.000Z"],
])("[EX21] %s", (message, at) => {
  expect(resets(message)).toBe(at);
});

test.each([
  "You've hit your usage limit. Try again later.",
  "resets at 3pm (Nowhere/Land)",
  "resets Foo 1, 2030, 12am",
  "resets soon",
  "retry limit 5 reached",
  "try again in a while",
  "",
])("[EX21] %j names no time", (message) => {
  expect(resets(message)?.startsWith("2030") ?? false).toBe(false);
});

test("[EX21] a time without a zone is this machine's, where the agent runs", () => {
  const codex = "or try again at Jan 7th, 2030 7:06 AM.";
  process.env["TZ"] = "UTC";
  expect(resets(codex)).toBe("2030-01-07T07:06:00.000Z");
  expect(resets("Try again at 9:15 PM.")).toBe("2026-11-15T21:15:00.000Z");
  expect(resets("Try again at 7:06 AM.")).toBe("2026-11-16T07:06:00.000Z");
  process.env["TZ"] = "America/New_York";
  expect(resets(codex)).toBe("2030-01-07T12:06:00.000Z");
  expect(resets("try again at Jun 22nd, 2030 12:00 PM")).toBe("2030-06-22T16:00:00.000Z");
});

test("[EX21] a number is seconds or milliseconds since 1970, and nothing that no date has", () => {
  expect(instantOf(1_893_456_000)).toBe(1_893_456_000_000);
  expect(instantOf(1_893_456_000_000)).toBe(1_893_456_000_000);
  for (const absurd of [null, 0, -5, Number.NaN, 1e300, Number.POSITIVE_INFINITY]) expect(instantOf(absurd)).toBeNull();
});
