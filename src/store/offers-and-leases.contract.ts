// What every store promises about offers and leases, as tests. The rules are in docs/spec/store.md.

import { describe, expect, test } from "vitest";
import { chainOf } from "../../test/support/sample-runs.ts";
import { Transitions } from "../../test/support/transitions.ts";
import { type RunId, stepId, storyId } from "../domain/ids.ts";
import type { Deadline } from "../system/clock.ts";
import { newAttemptId } from "../system/ids.ts";
import type { Lease, NewOffer, OfferFilter, Store } from "./store.ts";

/** `open` returns an empty database and closes it when the test ends. */
export function describeOffersAndLeases(name: string, open: () => Promise<{ readonly store: Store }>): void {
  const scenario = (title: string, body: (store: Store, first: RunId, second: RunId) => Promise<void>) =>
    test(title, async () => {
      const { store } = await open();
      const runs = new Transitions(store);
      await body(store, await runs.start(chainOf(2)), await runs.start(chainOf(2)));
    });

  describe(`${name}: offers and leases`, () => {
    scenario("[SO28] offers are found by run and agent, oldest run first", async (store, first, second) => {
      await offer(store, offerOf(second, "a", { runNumber: 2 }), offerOf(first, "b", { agent: "w/other" }));
      await offer(
        store,
        offerOf(first, "c", { story: storyId("S"), notBefore: 900 }),
        offerOf(second, "d", { agent: "" }),
      );
      const stepsOf = async (filter: Partial<OfferFilter>) => (await found(store, filter)).map(({ step }) => step);
      expect(await stepsOf({})).toStrictEqual(["c", "b", "d", "a"]);
      expect(await stepsOf({ limit: 2 })).toStrictEqual(["c", "b"]);
      expect(await stepsOf({ run: second })).toStrictEqual(["d", "a"]);
      expect(await stepsOf({ agent: "w/worker" })).toStrictEqual(["c", "a"]);
      expect(await stepsOf({ agent: "w/worker", run: second })).toStrictEqual(["a"]);
      const [story] = await store.transaction((tx) => tx.offers({ ...everything, limit: 1 }));
      expect(story).toStrictEqual({ run: first, story: "S", step: "c", part: null, agent: "w/worker" });
    });

    scenario(
      "[SO28] an offer is due from its time on, but not while its run is paused",
      async (store, first, second) => {
        await offer(store, offerOf(first, "soon", { notBefore: 6_000 }), offerOf(second, "late", { notBefore: 7_000 }));
        expect(await found(store, { now: 5_999 })).toStrictEqual([]);
        expect(await found(store, { now: 6_000 })).toHaveLength(1);
        expect(await store.nextOfferTime(null, 5_000)).toBe(6_000);
        expect(await store.nextOfferTime(second, 5_000)).toBe(7_000);
        await store.transaction((tx) => tx.pauseOffers(first, true));
        expect(await store.nextOfferTime(null, 5_000)).toBe(7_000);
        expect((await found(store, { now: 9_000 })).map(({ step }) => step)).toStrictEqual(["late"]);
        await store.transaction((tx) => tx.pauseOffers(first, false));
        expect(await found(store, { now: 9_000 })).toHaveLength(2);
        expect(await store.nextOfferTime(null, 7_000)).toBeNull();
      },
    );

    scenario(
      "[SO28] a clock that is put back prolongs no wait beyond twice its pause",
      async (store, first, second) => {
        await offer(
          store,
          offerOf(first, "old", { notBefore: 3_600_000 }),
          offerOf(second, "paused", { notBefore: 3_600_000, pauseMs: 10_000 }),
          offerOf(second, "at-once", { notBefore: 3_600_000, pauseMs: 0 }),
        );
        const dueAt = async (now: number) => (await found(store, { now })).map(({ step }) => step);
        expect(await dueAt(1_000)).toStrictEqual(["paused", "at-once"]);
        expect(await dueAt(3_580_000)).toStrictEqual(["paused", "at-once"]);
        expect(await dueAt(3_580_001)).toStrictEqual(["at-once"]);
        expect(await dueAt(3_600_000)).toStrictEqual(["old", "paused", "at-once"]);
        expect(await store.nextOfferTime(second, 1_000)).toBeNull();
        expect(await store.nextOfferTime(second, 3_590_000)).toBe(3_600_000);
        expect(await store.nextOfferTime(first, 1_000)).toBe(3_600_000);
      },
    );

    scenario(
      "[SO28] how many offers are due and how many come later is counted, without those of paused runs",
      async (store, first, second) => {
        expect(await store.waiting(5_000)).toStrictEqual({ due: 0, later: 0, dueSince: null });
        await offer(
          store,
          offerOf(first, "now", { notBefore: 4_000 }),
          offerOf(first, "put-back", { notBefore: 9_000_000, pauseMs: 10_000 }),
          offerOf(first, "soon", { notBefore: 6_000, pauseMs: 6_000 }),
          offerOf(second, "too", { notBefore: 3_000 }),
        );
        expect(await store.waiting(5_000)).toStrictEqual({ due: 3, later: 1, dueSince: 3_000 });
        await store.transaction((tx) => tx.pauseOffers(second, true));
        expect(await store.waiting(6_000)).toStrictEqual({ due: 3, later: 0, dueSince: 4_000 });
      },
    );

    scenario("[SO28] offers are withdrawn one by one, or all of a run at once", async (store, first, second) => {
      const story = storyId("S");
      await offer(
        store,
        offerOf(first, "a"),
        offerOf(first, "a", { story }),
        offerOf(first, "b"),
        offerOf(second, "a"),
      );
      await store.transaction((tx) => tx.withdraw(first, { story, step: stepId("a"), part: null }));
      expect((await found(store, {})).map((one) => [one.run, one.story, one.step])).toStrictEqual([
        [first, null, "a"],
        [first, null, "b"],
        [second, null, "a"],
      ]);
      await store.transaction((tx) => tx.withdrawAll(first));
      expect((await found(store, {})).map(({ run }) => run)).toStrictEqual([second]);
    });

    scenario("[SO28] offers and leases are rolled back with their transaction", async (store, first) => {
      const failing = store.transaction(async (tx) => {
        await tx.offer(offerOf(first, "a"));
        await tx.lease(leaseOf(first));
        throw new Error("the power went out");
      });
      await expect(failing).rejects.toThrow("the power went out");
      expect([await found(store, {}), await store.leases({ endedBefore: null })]).toStrictEqual([[], []]);
    });

    scenario("[SO29] a lease is renewed by the worker that holds it, until it ends", async (store, first) => {
      const lease = leaseOf(first);
      const renew = (worker: string, until: number) =>
        store.transaction((tx) => tx.renewLease(lease.attempt, worker, by(until)));
      await store.transaction((tx) => tx.lease(lease));
      expect(await renew("w2", 90_000)).toBe(false);
      expect(await renew("w1", 70_000)).toBe(true);
      expect(await store.leases({ endedBefore: null })).toStrictEqual([{ ...lease, until: by(70_000) }]);
      await store.transaction((tx) => tx.endLease(lease.attempt));
      expect(await renew("w1", 80_000)).toBe(false);
      expect(await store.leases({ endedBefore: null })).toStrictEqual([]);
    });

    scenario("[SO29] one worker takes over a lease, if it has not changed since it was read", async (store, first) => {
      const lease = leaseOf(first, { story: storyId("S") });
      await store.transaction((tx) => tx.lease(lease));
      const takeOver = (worker: string) => store.transaction((tx) => tx.takeOverLease(lease, worker, by(90_000)));
      const [isSecond, isThird] = await Promise.all([takeOver("w2"), takeOver("w3")]);
      expect(isThird).toBe(!isSecond);
      const worker = isSecond ? "w2" : "w3";
      expect(await store.leases({ endedBefore: null })).toStrictEqual([{ ...lease, worker, until: by(90_000) }]);
      expect(await store.transaction((tx) => tx.renewLease(lease.attempt, "w1", by(99_000)))).toBe(false);
    });

    scenario("[SO34] a lease keeps both of its times: by the clock, and since which boot", async (store, first) => {
      const lease = leaseOf(first, { until: { at: 60_000, steady: { boot: "this-boot", at: 7_000 } } });
      await store.transaction((tx) => tx.lease(lease));
      expect(await store.leases({ endedBefore: null })).toStrictEqual([lease]);
      const until = { at: 90_000, steady: { boot: "next-boot", at: 1_000 } };
      await store.transaction((tx) => tx.renewLease(lease.attempt, "w1", until));
      expect(await store.leases({ endedBefore: null })).toStrictEqual([{ ...lease, until }]);
    });

    scenario("[SO35] a run has at most one driver, which only that driver removes", async (store, run) => {
      const read = () => store.transaction((tx) => tx.driver(run));
      expect([await read(), await store.drivers()]).toStrictEqual([null, []]);
      const first = { run, worker: "w1", until: by(60_000) };
      const second = { run, worker: "w2", until: { at: 90_000, steady: { boot: "this-boot", at: 9_000 } } };
      for (const driver of [first, second]) {
        await store.transaction((tx) => tx.setDriver(driver));
        expect([await read(), await store.drivers()]).toStrictEqual([driver, [driver]]);
      }
      await store.transaction((tx) => tx.removeDriver(run, "w1"));
      expect(await read()).toStrictEqual(second);
      await store.transaction((tx) => tx.removeDriver(run, "w2"));
      expect(await store.drivers()).toStrictEqual([]);
    });

    scenario("[SO29] expired leases are listed, longest expired first", async (store, first) => {
      const leases = [30_000, 10_000, 20_000].map((until) => leaseOf(first, { until: by(until) }));
      for (const lease of leases) await store.transaction((tx) => tx.lease(lease));
      const [c, a, b] = leases;
      expect(await store.leases({ endedBefore: 9_999 })).toStrictEqual([]);
      expect(await store.leases({ endedBefore: 20_000 })).toStrictEqual([a, b]);
      expect(await store.leases({ endedBefore: null })).toStrictEqual([a, b, c]);
    });
  });
}

const everything: OfferFilter = { run: null, agent: null, now: 5_000, limit: 100 };

async function offer(store: Store, ...offers: readonly NewOffer[]): Promise<void> {
  await store.transaction(async (tx) => {
    for (const each of offers) await tx.offer(each);
  });
}

async function found(store: Store, filter: Partial<OfferFilter>) {
  return await store.offers({ ...everything, ...filter });
}

function offerOf(run: RunId, step: string, changes: Partial<NewOffer> = {}): NewOffer {
  const plain = {
    story: null,
    part: null,
    agent: "w/worker",
    runNumber: 1,
    notBefore: 1_000,
    pauseMs: null,
    paused: false,
  };
  return { run, step: stepId(step), ...plain, ...changes };
}

function leaseOf(run: RunId, changes: Partial<Lease> = {}): Lease {
  return { attempt: newAttemptId(), run, story: null, worker: "w1", until: by(60_000), ...changes };
}

/** By the time of day alone. */
const by = (at: number): Deadline => ({ at, steady: null });
