// What every store promises about schedules, as tests. The rules are in docs/spec/schedules.md.

import { describe, expect, test } from "vitest";
import { chainOf } from "../../test/support/sample-runs.ts";
import { Transitions } from "../../test/support/transitions.ts";
import type { Store, StoredSchedule, TickRecord } from "./store.ts";

interface StoreUnderTest {
  readonly store: Store;
  another(): Promise<Store>;
}

const schedule: StoredSchedule = {
  id: "nightly",
  workflow: "nightly",
  repo: "/repo",
  executor: null,
  spec: { cron: "0 3 * * *", zone: "UTC", task: "Audit", missed: "once", context: { area: "tests" } },
  paused: false,
  settled: 1_000,
  run: null,
  addedAt: 1_000,
};

const record: TickRecord = {
  schedule: "nightly",
  tick: 2_000,
  at: 2_001,
  outcome: "skipped",
  askedBy: null,
  run: null,
  missed: 2,
  why: "it runs",
};

/** `open` returns an empty database and closes it when the test ends. */
export function describeSchedules(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name}: schedules`, () => {
    test("[SD11] a schedule is read as it was written, with its last run as that is now", async () => {
      const { store, another } = await open();
      const id = await new Transitions(store).start(chainOf(1));
      const run = { id, number: 1, status: "running" } as const;
      await store.transaction(async (tx) => await tx.putSchedule(schedule));
      expect(await store.schedules()).toEqual([schedule]);
      const changed = { ...schedule, executor: "claude", paused: true, settled: 5_000, run };
      await store.transaction(async (tx) => await tx.putSchedule(changed));
      await store.transaction(async (tx) => await tx.putSchedule({ ...schedule, id: "another" }));
      const other = await another();
      expect(await other.schedules()).toEqual([{ ...schedule, id: "another" }, changed]);
      expect(await store.transaction(async (tx) => await tx.schedules())).toEqual(await other.schedules());
    });

    test("[SD11] of a tick one thing is recorded, the first; with its schedule it is removed", async () => {
      const { store } = await open();
      await store.transaction(async (tx) => await tx.putSchedule(schedule));
      const write = async (more: Partial<TickRecord>) =>
        await store.transaction(async (tx) => await tx.recordTick({ ...record, ...more }));
      expect(await write({})).toBe(true);
      expect(await write({ outcome: "started", why: "" })).toBe(false);
      expect(await write({ schedule: "another" })).toBe(true);
      expect(await write({ tick: 500 })).toBe(true);
      expect(await store.ticks("nightly", 10)).toEqual([{ ...record, tick: 500 }, record]);
      expect(await store.ticks("nightly", 1)).toEqual([{ ...record, tick: 500 }]);
      await store.transaction(async (tx) => await tx.removeSchedule("nightly"));
      expect([await store.schedules(), await store.ticks("nightly", 10)]).toEqual([[], []]);
      expect(await store.ticks("another", 10)).toHaveLength(1);
    });

    test("[SD18] the last 1,000 records of a schedule are kept", async () => {
      const { store } = await open();
      await store.transaction(async (tx) => {
        for (let tick = 1; tick <= 1_010; tick += 1) await tx.recordTick({ ...record, tick });
        await tx.recordTick({ ...record, schedule: "another" });
      });
      const kept = await store.ticks("nightly", 2_000);
      expect([kept.length, kept[0]?.tick, kept.at(-1)?.tick]).toEqual([1_000, 1_010, 11]);
      expect(await store.ticks("another", 10)).toHaveLength(1);
    });
  });
}
