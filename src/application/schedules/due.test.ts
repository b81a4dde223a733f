import { describe, expect, test } from "vitest";
import { tickTimes } from "../../workflows/schedule/tick-times.ts";
import { type Due, dueOf } from "./due.ts";

function due(settled: string, now: string, cron = "0 3 * * *", zone = "UTC"): Due {
  const times = tickTimes(cron, zone);
  if ("wrong" in times) throw new Error(times.wrong);
  return dueOf(Date.parse(`${settled}Z`), times, Date.parse(`${now}Z`));
}

const at = (time: string) => Date.parse(`${time}Z`);

describe("[SD13] a tick is due once it has come, and stands for those before it", () => {
  test.each([
    ["before it", "2026-11-17T03:00", "2026-11-18T02:59:59.999", { kind: "wait", until: at("2026-11-18T03:00") }],
    ["at its time", "2026-11-17T03:00", "2026-11-18T03:00", { kind: "due", missed: 0, isLate: false }],
    ["two minutes after it", "2026-11-17T03:00", "2026-11-18T03:02", { kind: "due", missed: 0, isLate: false }],
    ["later", "2026-11-17T03:00", "2026-11-18T03:02:01", { kind: "due", missed: 0, isLate: true }],
    ["three days later", "2026-11-14T03:00", "2026-11-17T12:00", { kind: "due", missed: 2, isLate: true }],
    ["days later, in time for one", "2026-11-14T03:00", "2026-11-17T03:00", { kind: "due", missed: 2, isLate: false }],
    ["settled", "2026-11-18T03:00", "2026-11-18T03:00", { kind: "wait", until: at("2026-11-19T03:00") }],
  ] as const)("%s", (_, settled, now, expected) => {
    expect(due(settled, now)).toMatchObject(expected);
  });

  test("a year without the service is one tick, and counting its ticks takes no time", () => {
    const started = performance.now();
    expect(due("2025-11-18T03:00", "2026-11-18T03:00", "* * * * *")).toEqual({
      kind: "due",
      tick: at("2026-11-18T03:00"),
      missed: 100,
      isLate: false,
    });
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe("[SD15] a clock that jumps", () => {
  test.each([
    ["an hour back: settled ticks stay settled", "2026-11-18T03:00", "2026-11-18T02:10", at("2026-11-19T03:00")],
    ["23 hours back", "2026-11-18T03:00", "2026-11-17T04:00", at("2026-11-19T03:00")],
    ["a day back", "2026-11-18T03:00", "2026-11-17T03:00", at("2026-11-19T03:00")],
  ])("%s", (_, settled, now, until) => {
    expect(due(settled, now)).toEqual({ kind: "wait", until });
  });

  test("more than a day back, or back from a far year: what is settled counts no more", () => {
    expect(due("2026-11-18T03:00", "2026-11-17T02:59:59")).toEqual({ kind: "ahead" });
    expect(due("2036-01-01T03:00", "2026-11-18T03:00")).toEqual({ kind: "ahead" });
  });

  test("forwards: what lies between was missed, however far it jumps", () => {
    expect(due("2026-11-17T03:00", "2026-11-18T09:00")).toMatchObject({ tick: at("2026-11-18T03:00"), isLate: true });
    expect(due("2026-11-17T03:00", "2126-11-18T09:00")).toMatchObject({ missed: 100, isLate: true });
  });
});

test("[SD4] the hour that comes twice is due twice for what is due each hour, and once for a time of day", () => {
  const zone = "Europe/Berlin";
  expect(due("2026-10-25T00:30", "2026-10-25T01:30", "30 * * * *", zone)).toMatchObject({ kind: "due", missed: 0 });
  expect(due("2026-10-25T00:30", "2026-10-25T01:30", "30 2 * * *", zone)).toMatchObject({ kind: "wait" });
});
