// What every store promises, as tests. The rules are in docs/spec/store.md.

import fc from "fast-check";
import type { Kysely } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { expectRowsToEqualLog, expectRowsToEqualLogs, wholeLog } from "../../test/support/logs.ts";
import { chooser, nextCommand } from "../../test/support/random-run.ts";
import {
  chainOf,
  completed,
  everything,
  finishOf,
  startAttemptOf,
  startOf,
  storyOf,
  unfinished,
} from "../../test/support/sample-runs.ts";
import { Transitions } from "../../test/support/transitions.ts";
import { type Effect, laneOf } from "../domain/effect.ts";
import { eventSchemaVersion } from "../domain/event.ts";
import { type RunId, runId, type StoryId, stepId, storyId } from "../domain/ids.ts";
import { decide, startRun, storiesFor } from "../engine/decide.ts";
import { evolve } from "../engine/evolve.ts";
import { newAttemptId } from "../system/ids.ts";
import type { ColumnTypes } from "./column-types.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import type { Tables } from "./schema.ts";
import type { Loaded, PermitLimit, Store, StoredEffect, Transaction } from "./store.ts";

export interface StoreUnderTest {
  readonly store: Store;
  /** Closes it and opens the same database again. */
  reopen(): Promise<Store>;
  /** Opens the same database a second time, as another process would. */
  another(): Promise<Store>;
  /** Direct access to the tables, for tests that inspect or damage them. */
  readonly query: Query;
  readonly columnTypes: ColumnTypes;
}

type Query = <T>(work: (db: Kysely<Tables>) => Promise<T>) => Promise<T>;

/** `open` returns an empty database and closes it when the test ends. `walks`: how many random walks are tried. */
export function describeStore(name: string, open: () => Promise<StoreUnderTest>, walks = 45): void {
  /** After each scenario the rows must equal the folded logs. */
  const scenario = (title: string, body: (under: StoreUnderTest & { runs: Transitions }) => Promise<void>) =>
    test(title, async () => {
      const under = await open();
      await body({ ...under, runs: new Transitions(under.store) });
      const latest = await under.reopen();
      await expectRowsToEqualLogs(latest);
    });

  describe(name, () => {
    scenario("[SO1] a transition is committed completely or not at all", async ({ store, runs, query }) => {
      const run = await runs.start(chainOf(1));
      const attempt = await runs.startAttempt(run, "step-1");
      const before = await rowsOf(query);
      const failing = store.transaction(async (tx) => {
        const decision = await runs.applyIn(tx, run, finishOf(attempt, completed()));
        expect(decision.accepted && decision.effects.length).toBeGreaterThan(0);
        expect(decision.events.length).toBeGreaterThan(1);
        await tx.takePermits(attempt, [{ key: "k", limit: 1 }]);
        throw new Error("the power went out");
      });
      await expect(failing).rejects.toThrow("the power went out");
      expect(await rowsOf(query)).toStrictEqual(before);
      await runs.apply(run, finishOf(attempt, completed()));
      expect(await store.runById(run)).toMatchObject({ status: "done" });
    });

    scenario("[SO1] uncommitted changes are not visible to others", async ({ store, another, runs }) => {
      const run = await runs.start(chainOf(1));
      const other = await another();
      await store.transaction(async (tx) => {
        await runs.applyIn(tx, run, startAttemptOf("step-1"));
        expect((await other.wholeRun(run))?.header.attempts).toHaveLength(0);
      });
      expect((await other.wholeRun(run))?.header.attempts).toHaveLength(1);
    });

    scenario(
      "[SO2] a transition loads the header and the named stories, and no others",
      async ({ store, runs, query }) => {
        const [run, first, second] = await runWithStories(runs);
        const scope = await query((db) =>
          db.selectFrom("stories").select("scope").where("id", "=", second).executeTakeFirstOrThrow(),
        );
        const spoil = (text: string | null) =>
          query((db) => db.updateTable("stories").set({ scope: text }).where("id", "=", second).execute());
        await spoil("not to be read");
        await runs.perform(run, "code", completed(), first);
        const loaded = await store.transaction((tx) => tx.load(run, () => [first]));
        expect(Object.keys(loaded?.run.stories ?? {})).toStrictEqual([first]);
        await expect(store.wholeRun(run)).rejects.toThrow("cannot be read");
        await spoil(scope.scope);
      },
    );

    scenario("[SO1] the header of a long chain is one JSON document, step after step", async ({ runs, query }) => {
      const run = await runs.start(chainOf(60));
      for (const step of ["step-1", "step-2", "step-3"]) {
        await runs.perform(run, step);
        const [row] = await query((db) => db.selectFrom("runs").select("header").execute());
        const header = JSON.parse(row?.header ?? "") as { chain: unknown };
        expect(JSON.stringify(header)).toBe(row?.header);
        expect(header.chain).toHaveLength(60);
      }
    });

    scenario("[SO3] a second writer of a header loses and decides again", async ({ store, runs }) => {
      const run = await runs.start(chainOf(2));
      const stale = await loadNow(store, run);
      await runs.perform(run, "step-1");
      const events = await wholeLog(store, run);
      const tries = await saveStale(store, run, stale, startAttemptOf("step-1"));
      expect(tries.map((decision) => decision.accepted)).toStrictEqual([true, false]);
      expect(await wholeLog(store, run)).toStrictEqual(events);
    });

    scenario("[SO3] a second writer of a story loses and decides again", async ({ store, runs }) => {
      const [run, first] = await runWithStories(runs);
      const stale = await loadNow(store, run, first);
      await runs.startAttempt(run, "code", first);
      const tries = await saveStale(store, run, stale, startAttemptOf("code", { story: first }));
      expect(tries.map((decision) => decision.accepted)).toStrictEqual([true, false]);
    });

    scenario("[SO3] a second writer of an attempt loses and decides again", async ({ store, runs }) => {
      const run = await runs.start(chainOf(1));
      const attempt = await runs.startAttempt(run, "step-1");
      const begin = { type: "begin_attempt", at: 2500, author: "driver", story: null, attempt } as const;
      const stale = await loadNow(store, run);
      await runs.apply(run, { ...begin, workspace: "/one", base: null });
      const tries = await saveStale(store, run, stale, { ...begin, workspace: "/two", base: null });
      expect(tries.map((decision) => decision.accepted)).toStrictEqual([true, false]);
      expect((await store.attempt(attempt))?.attempt.state).toMatchObject({ phase: "started", workspace: "/one" });
    });

    scenario("[SO3] writers of two stories do not conflict", async ({ store, runs }) => {
      const [run, first, second] = await runWithStories(runs);
      const stale = await loadNow(store, run, first);
      await runs.startAttempt(run, "code", second);
      const tries = await saveStale(store, run, stale, startAttemptOf("code", { story: first }));
      expect(tries).toHaveLength(1);
      expect((await store.runById(run))?.totals.attempts).toBe(3);
    });

    scenario("[SO3] of many writers that claim the same step, one succeeds", async ({ store, another, runs }) => {
      const run = await runs.start(chainOf(1));
      const others = [runs, new Transitions(await another()), new Transitions(await another())];
      const asked = Array.from({ length: 8 }, () => others.map((each) => each.apply(run, startAttemptOf("step-1"))));
      const decisions = await Promise.all(asked.flat());
      expect(decisions.filter((decision) => decision.accepted)).toHaveLength(1);
      expect((await store.wholeRun(run))?.header.attempts).toHaveLength(1);
    });

    test("[SO4] after any walk the rows equal the folded log", async () => {
      const under = await open();
      const runs = new Transitions(under.store);
      await fc.assert(
        fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 70 }), async (seed, length) => {
          const choose = chooser(seed);
          const id = await runs.start(everything, { context: { greeting: "“hello”" } });
          let run = await expectRowsToEqualLog(under.store, id);
          for (let step = 0; step < length; step += 1) {
            const { events } = await runs.apply(id, nextCommand(run, 2000 + step * 10, choose));
            for (const event of events) run = evolve(run, event);
            // A done or cancelled run refuses everything.
            if (run.header.end && run.header.end.status !== "failed") break;
          }
          expect(await expectRowsToEqualLog(under.store, id)).toStrictEqual(run);
        }),
        { numRuns: walks },
      );
      await expectRowsToEqualLogs(await under.reopen());
    });

    scenario(
      "[SO5] events are numbered without gaps and record time, author, story and schema version",
      async ({ store, runs }) => {
        const [run, first] = await runWithStories(runs);
        await runs.apply(run, { type: "pause_run", at: 9000, author: "user:bob" });
        const stored = await store.events(run, 0, 1000);
        expect(stored.map(({ seq }) => seq)).toStrictEqual(stored.map((_, index) => index + 1));
        expect(new Set(stored.map(({ schemaVersion }) => schemaVersion))).toStrictEqual(new Set([eventSchemaVersion]));
        expect(stored.at(0)?.event).toMatchObject({ type: "run_started", at: 1000, author: "user:ada", story: null });
        expect(stored.at(-1)?.event).toMatchObject({ type: "run_paused", at: 9000, author: "user:bob", story: null });
        expect(stored.some(({ event }) => event.type === "story_opened" && event.story === first)).toBe(true);
        const rest = await store.events(run, stored.length - 2, 1000);
        expect(rest).toStrictEqual(stored.slice(-2));
        expect(await store.events(run, 1, 3)).toStrictEqual(stored.slice(1, 4));
      },
    );

    scenario("[SO5] logged events never change", async ({ store, runs }) => {
      const run = await runs.start(chainOf(2));
      await runs.perform(run, "step-1");
      const before = await wholeLog(store, run);
      await runs.perform(run, "step-2", unfinished("failed"));
      expect((await wholeLog(store, run)).slice(0, before.length)).toStrictEqual(before);
    });

    scenario("[SO5] a refused report is in the log and changes nothing else", async ({ store, runs }) => {
      const run = await runs.start(chainOf(2));
      const attempt = await runs.startAttempt(run, "step-1");
      await runs.apply(run, finishOf(attempt, completed()));
      const before = await store.wholeRun(run);
      const late = await runs.apply(run, finishOf(attempt, completed(), { author: "agent:late" }));
      expect(late.accepted).toBe(false);
      expect(await store.wholeRun(run)).toStrictEqual(before);
      expect((await wholeLog(store, run)).at(-1)).toMatchObject({ type: "report_refused", author: "agent:late" });
    });

    scenario(
      "[SO6] effects of one lane are due one after the other; lanes do not wait for each other",
      async ({ store, runs }) => {
        const failed = await runThatFailedTwice(runs);
        const other = await runs.start(chainOf(1));
        await runs.perform(other, "step-1");
        const due = await store.dueEffects(1e6, 10);
        expect(new Set(due.map(({ effect }) => laneOf(effect as Effect))).size).toBe(due.length);
        const [first, elsewhere, ...rest] = due.filter(isClosing);
        expect(rest).toStrictEqual([]);
        expect([first?.effect, elsewhere?.effect]).toStrictEqual([closing(failed), closing(other)]);
        await store.effectDone(idOf(first));
        const next = (await store.dueEffects(1e6, 10)).find(
          ({ effect }) => effect.run === failed && isClosing({ effect }),
        );
        expect(next).toMatchObject({ effect: closing(failed), tries: 0 });
        expect(next?.id).not.toBe(first?.id);
        expect(await store.dueEffects(1e6, 1)).toHaveLength(1);
      },
    );

    scenario(
      "[SO6] one process takes an effect, and it is due again when that process's time is over",
      async ({ store, another, runs }) => {
        await runThatFailedTwice(runs);
        const other = await another();
        const [effect] = (await store.dueEffects(1e6, 10)).filter(isClosing);
        if (!effect) throw new Error("nothing is due");
        const taken = await Promise.all([1, 2, 3, 4].map((n) => (n % 2 ? store : other).takeEffect(effect, 2e6)));
        expect(taken.filter(Boolean)).toHaveLength(1);
        expect((await store.dueEffects(1e6, 10)).filter(isClosing)).toStrictEqual([]);
        const [again] = (await other.dueEffects(2e6, 10)).filter(isClosing);
        expect(again).toStrictEqual({ ...effect, tries: 1 });
        await other.effectDone(effect.id);
        expect(await store.takeEffect({ ...effect, tries: 1 }, 3e6)).toBe(false);
      },
    );

    scenario(
      "[SO40] an effect names its holder while it has one, and says why it failed last",
      async ({ store, runs }) => {
        const run = await runThatFailedTwice(runs);
        const [closing] = (await store.dueEffects(1e6, 10)).filter(isClosing);
        if (!closing) throw new Error("nothing is due");
        expect(await store.effectHolders(1e6)).toStrictEqual([]);
        expect(await store.failedClosings(null)).toStrictEqual([]);
        await store.takeEffect(closing, 2e6, "w-1");
        expect([await store.effectHolders(1e6), await store.effectHolders(2e6)]).toStrictEqual([["w-1"], []]);
        await store.releaseEffectsOf("w-1", 1e6);
        expect(await store.effectHolders(1e6)).toStrictEqual([]);
        expect((await store.dueEffects(1e6, 10)).filter(isClosing)).toStrictEqual([{ ...closing, tries: 1 }]);
        await store.takeEffect({ ...closing, tries: 1 }, 2e6, "w-2");
        await store.postponeEffect({ ...closing, tries: 2 }, 3e6, "it is locked");
        await store.takeEffect({ ...closing, tries: 2 }, 4e6, "w-3");
        await store.postponeEffect({ ...closing, tries: 3 }, 5e6);
        const failed = [{ run, why: "it is locked", tries: 3 }];
        expect(await store.failedClosings(run)).toStrictEqual(failed);
        expect(await store.failedClosings(null)).toStrictEqual(failed);
        expect(await store.effectHolders(1e6)).toStrictEqual([]);
        await store.effectDone(closing.id);
        expect(await store.failedClosings(null)).toStrictEqual([]);
      },
    );

    scenario("[SO6] effects survive a restart, and their numbers are never reused", async ({ store, reopen, runs }) => {
      const run = await runs.start(chainOf(1));
      await runs.perform(run, "step-1");
      const before = await store.dueEffects(1e6, 10);
      const reopened = await reopen();
      expect(await reopened.dueEffects(1e6, 10)).toStrictEqual(before);
      for (const { id } of before) await reopened.effectDone(id);
      const next = new Transitions(reopened);
      const second = await next.start(chainOf(1));
      await next.perform(second, "step-1");
      const [effect] = await reopened.dueEffects(1e6, 10);
      expect(effect?.id).toBeGreaterThan(idOf(before.at(-1)));
    });

    scenario(
      "[SO24] an effect is replaced by others once, in one transaction",
      async ({ store, another, runs, query }) => {
        const run = await runs.start(chainOf(1));
        await runs.perform(run, "step-1");
        const [notify] = (await store.dueEffects(1e6, 10)).filter(({ effect }) => effect.type === "notify");
        const into = [deliveryOf(run, "one"), deliveryOf(run, "two")];
        const other = await another();
        await Promise.all([store, other, store].map((each) => each.replaceEffect(idOf(notify), into, 5000)));
        expect((await store.dueEffects(1e6, 10)).map(({ effect }) => effect.type)).toStrictEqual(["close_run"]);
        expect(await query((db) => db.selectFrom("outbox").selectAll().execute())).toHaveLength(3);
        expect((await store.dueDeliveries(4999, 10, [])).length).toBe(0);
        expect((await store.dueDeliveries(5000, 10, [])).map(({ effect }) => effect)).toStrictEqual(into);
        await store.replaceEffect(idOf((await store.dueEffects(1e6, 10))[0]), [], 6000);
        expect(await store.dueEffects(1e6, 10)).toStrictEqual([]);
      },
    );

    scenario("[SO25] deliveries are listed apart from other effects", async ({ store, runs }) => {
      const run = await runs.start(chainOf(1));
      await runs.perform(run, "step-1");
      const many = Array.from({ length: 50 }, (_, index) => deliveryOf(run, `t${index}`));
      const [first] = await store.dueEffects(1e6, 1);
      await store.replaceEffect(idOf(first), [...many, deliveryOf(run, "t1", "second")], 1);
      const left = await store.dueEffects(1e6, 1);
      expect(left.map(({ effect }) => effect.type)).not.toContain("deliver");
      expect(left).toHaveLength(1);
      // One delivery of each target and run, in order, and none to excluded targets, whatever characters their names have.
      const due = await store.dueDeliveries(1e6, 100, ["t_", "t2", "t33"]);
      const expected = many.filter(({ target }) => target !== "t2" && target !== "t33");
      expect(due.map(({ effect }) => effect)).toStrictEqual(expected);
    });

    scenario("[SO6] only the process that holds an effect can postpone it", async ({ store, runs }) => {
      const run = await runs.start(chainOf(1));
      await runs.perform(run, "step-1");
      const [effect] = (await store.dueEffects(1e6, 10)).filter(isClosing);
      if (!effect) throw new Error("nothing is due");
      const closings = async (now: number) => (await store.dueEffects(now, 10)).filter(isClosing);
      await store.takeEffect(effect, 2e6);
      await store.postponeEffect({ ...effect, tries: 1 }, 1.5e6);
      expect(await closings(1.4e6)).toStrictEqual([]);
      expect(await closings(1.5e6)).toStrictEqual([{ ...effect, tries: 1 }]);
      await store.takeEffect({ ...effect, tries: 1 }, 3e6);
      // The first process took too long and no longer holds the effect.
      await store.postponeEffect({ ...effect, tries: 1 }, 1e6);
      expect(await closings(2.9e6)).toStrictEqual([]);
    });

    scenario("[SO6] an effect waits for no clock that was put back, unless it is held", async ({ store, runs }) => {
      const run = await runs.start(chainOf(1));
      await runs.perform(run, "step-1");
      const [closing] = (await store.dueEffects(1e6, 10)).filter(isClosing);
      if (!closing) throw new Error("nothing is due");
      const isDue = async () => (await store.dueEffects(-3_600_000, 10)).some(isClosing);
      expect([await isDue(), await store.hasDueEffects(-3_600_000)]).toStrictEqual([true, true]);
      await store.takeEffect(closing, 2e6, "w-1");
      expect(await isDue()).toBe(false);
      await store.postponeEffect({ ...closing, tries: 1 }, 3e6);
      expect(await isDue()).toBe(true);
    });

    scenario(
      "[SO7] no more permits of a key than its limit, however many are requested at once",
      async ({ store, another, query }) => {
        const stores = [store, await another()];
        const limits: PermitLimit[] = [{ key: "claude", limit: 3 }];
        const asked = Array.from({ length: 15 }, () =>
          stores.map((each) => each.transaction((tx) => tx.takePermits(newAttemptId(), limits))),
        );
        const got = await Promise.all(asked.flat());
        expect(got.filter((full) => full === null)).toHaveLength(3);
        expect(await countRows(query, "permits")).toBe(3);
      },
    );

    scenario(
      "[SO26] an account that refused an agent is held for all agents until it accepts one",
      async ({ store, another }) => {
        const other = await another();
        const turned = { account: "claude", cause: "quota", since: 1_000, until: 5_000, why: "used up" } as const;
        const holds = () => other.transaction((tx) => tx.holds());
        expect(await holds()).toEqual([]);
        await store.transaction((tx) => tx.hold(turned));
        expect(await holds()).toEqual([{ ...turned, times: 1 }]);
        await other.transaction((tx) =>
          tx.hold({ ...turned, cause: "auth", since: 6_000, until: 9_000, why: "log in" }),
        );
        expect(await store.transaction((tx) => tx.holds())).toEqual([
          { account: "claude", cause: "auth", since: 6_000, until: 9_000, times: 2, why: "log in" },
        ]);
        // Agents that are refused during the same hold count as one refusal.
        await store.transaction((tx) => tx.hold({ ...turned, since: 8_000, until: 12_000 }));
        expect(await store.holds()).toMatchObject([{ since: 8_000, until: 12_000, times: 2 }]);
        await store.transaction((tx) => tx.hold({ ...turned, account: "codex" }));
        // An agent that was accepted before the hold does not release it.
        await store.transaction((tx) => tx.release("claude", 7_999));
        expect(await holds()).toHaveLength(2);
        await store.transaction((tx) => tx.release("claude", 8_000));
        expect((await holds()).map(({ account }) => account)).toEqual(["codex"]);
        await store.transaction((tx) => tx.release("codex"));
        expect(await holds()).toEqual([]);
      },
    );

    scenario("[SO7] permits are taken all or none, and are available again after release", async ({ store, query }) => {
      const [first, second] = [newAttemptId(), newAttemptId()];
      const both = [
        { key: "b", limit: 5 },
        { key: "a", limit: 1 },
      ];
      const take = (attempt: typeof first, limits: PermitLimit[]) =>
        store.transaction((tx) => tx.takePermits(attempt, limits));
      expect(await take(first, both)).toBeNull();
      expect(await take(second, both)).toBe("a");
      expect(await countRows(query, "permits")).toBe(2);
      expect(await take(second, [{ key: "b", limit: 2 }])).toBeNull();
      await store.transaction((tx) => tx.releasePermits([first, second]));
      expect(await countRows(query, "permits")).toBe(0);
      expect(await take(second, both)).toBeNull();
      expect(await take(first, [])).toBeNull();
    });

    scenario(
      "[LO3 LO4] a lock that becomes free goes to the oldest step that still waits for it",
      async ({ store }) => {
        const lock = [{ key: "lock:db", limit: 1, inLine: true }];
        const [holder, old, young] = [newAttemptId(), newAttemptId(), newAttemptId()];
        const waiter = (run: string, since: number, now: number) => ({
          run: runId(run),
          story: null,
          step: stepId("work"),
          since,
          now,
        });
        const take = (attempt: typeof old, who: ReturnType<typeof waiter>) =>
          store.transaction((tx) => tx.takePermits(attempt, lock, who));
        const free = (attempt: typeof old) => store.transaction((tx) => tx.releasePermits([attempt]));
        expect(await take(holder, waiter("a", 1_000, 10_000))).toBeNull();
        expect(await take(young, waiter("a", 3_000, 10_000))).toBe("lock:db");
        expect(await take(old, waiter("b", 2_000, 10_000))).toBe("lock:db");
        await free(holder);
        expect(await take(young, waiter("a", 3_000, 10_500))).toBe("lock:db");
        expect(await take(old, waiter("b", 2_000, 11_000))).toBeNull();
        // The one that has it is not in line any more.
        await free(old);
        expect(await take(young, waiter("a", 3_000, 11_500))).toBeNull();
        // A step that no worker has tried to start for a while keeps no other waiting, whatever the clock did meanwhile.
        expect(await take(old, waiter("b", 4_000, 12_000))).toBe("lock:db");
        await free(young);
        expect(await take(young, waiter("a", 5_000, 12_500))).toBe("lock:db");
        expect(await take(young, waiter("a", 5_000, 17_001))).toBeNull();
        await free(young);
        expect(await take(old, waiter("b", 4_000, 60_000))).toBeNull();
        expect(await take(young, waiter("a", 5_000, 60_000))).toBe("lock:db");
        await free(old);
        expect(await take(old, waiter("c", 7_000, 2_000))).toBeNull();
      },
    );

    scenario("[SO8] runs get increasing numbers, however many start at once", async ({ another, store }) => {
      const starters = [new Transitions(store), new Transitions(await another())];
      const asked = Array.from({ length: 10 }, () => starters.map((each) => each.start(chainOf(1))));
      await Promise.all(asked.flat());
      const numbers = (await store.listRuns({ statuses: null, limit: 100 })).map((run) => run.number);
      expect(numbers).toStrictEqual(Array.from({ length: 20 }, (_, index) => 20 - index));
      await expect(store.transaction(failAfterCreating)).rejects.toThrow("changed my mind");
      const last = await store.transaction((tx) => tx.nextRunNumber());
      expect(last).toBeGreaterThan(20);
    });

    scenario("[SO9] a run is found by its id, its number and a prefix of its id", async ({ store, runs }) => {
      for (const id of ["abc1", "abc2", "ab%", "b_1", "abzz"])
        await runs.start(chainOf(1), { run: runId(id), task: id });
      expect(await store.runById(runId("abc2"))).toMatchObject({ number: 2, task: "abc2", status: "running" });
      expect(await store.runByNumber(4)).toMatchObject({ id: "b_1" });
      expect([
        await store.runById(runId("abc")),
        await store.runByNumber(9),
        await store.wholeRun(runId("x")),
      ]).toStrictEqual([null, null, null]);
      const found = async (prefix: string, limit = 10) =>
        (await store.runsByPrefix(prefix, limit)).map((run) => run.id);
      expect(await found("abc")).toStrictEqual(["abc1", "abc2"]);
      expect(await found("ab")).toStrictEqual(["abc1", "abc2", "ab%", "abzz"]);
      expect(await found("ab", 2)).toStrictEqual(["abc1", "abc2"]);
      expect(await found("ab%")).toStrictEqual(["ab%"]);
      expect(await found("b1")).toStrictEqual([]);
      expect(await found("ABC")).toStrictEqual([]);
    });

    scenario("[SO9] runs are listed newest first, by status, up to the limit", async ({ store, runs }) => {
      const ids: RunId[] = [];
      for (let index = 0; index < 4; index += 1) ids.unshift(await runs.start(chainOf(1)));
      const [newest, third, second] = ids;
      if (!newest || !third || !second) throw new Error("four were started");
      await runs.perform(third, "step-1");
      await runs.apply(second, { type: "pause_run", at: 5000, author: "user:ada" });
      const listed = async (statuses: Parameters<Store["listRuns"]>[0]["statuses"], limit = 10) =>
        (await store.listRuns({ statuses, limit })).map((run) => run.id);
      expect(await listed(null)).toStrictEqual(ids);
      expect(await listed(null, 2)).toStrictEqual([newest, third]);
      expect(await listed(["done", "paused"])).toStrictEqual([third, second]);
      expect(await listed([])).toStrictEqual([]);
    });

    scenario("[SO9] a run is found by its shared folder and by the file of its stories", async ({ store, runs }) => {
      const { place } = startOf(chainOf(1));
      const first = await runs.start(chainOf(1), { place: { ...place, shared: "/a", source: "/prd" } });
      const second = await runs.start(chainOf(1), { place: { ...place, shared: "/b", source: "/prd" } });
      await runs.start(chainOf(1));
      const found = async (shared: string | null, source: string | null) =>
        (await store.runsAt({ shared, source })).map(({ id }) => id);
      expect(await found(null, "/prd")).toEqual([second, first]);
      expect(await store.transaction((tx) => tx.runsAt({ shared: "/a", source: null }))).toMatchObject([
        { id: first, shared: "/a", source: "/prd" },
      ]);
      expect(await found("/b", "/other")).toEqual([second]);
      expect(await found(null, null)).toEqual([]);
    });

    scenario("[SO9] open gates are found, of one run or of all, oldest first", async ({ store, runs }) => {
      const question = { kind: "gate", title: "", question: "Go?", options: { yes: { to: "next" } } } as const;
      const gated = { ...chainOf(1), steps: [{ ...question, name: chainOf(1).steps[0]?.name ?? ("" as never) }] };
      const later = await runs.start(gated, { at: 2000 });
      const earlier = await runs.start(gated, { at: 1500 });
      const [first, second] = await store.openGates(null);
      expect([first?.run, second?.run]).toStrictEqual([earlier, later]);
      if (!first) throw new Error("no gate is open");
      expect(await store.openGates(earlier)).toStrictEqual([first]);
      const { id } = first.gate;
      const answer = { type: "answer_gate", at: 3000, author: "user:bob", story: null, option: "yes" } as const;
      await runs.apply(earlier, { ...answer, gate: id, note: "", tree: null });
      expect(await store.openGates(earlier)).toStrictEqual([]);
      expect((await store.gate(id))?.gate.state).toMatchObject({ status: "answered", by: "user:bob" });
    });

    scenario("[SO10] an attempt that has ended is never written again", async ({ store, runs }) => {
      const run = await runs.start(chainOf(1));
      const attempt = await runs.startAttempt(run, "step-1");
      const stale = await loadNow(store, run);
      const usage = { costUsd: 0.1, inputTokens: 1, outputTokens: 2 };
      await runs.apply(run, finishOf(attempt, unfinished("failed", { usage })));
      const ended = await store.attempt(attempt);
      const tries = await saveStale(store, run, stale, finishOf(attempt, completed()));
      expect(tries).toHaveLength(2);
      await runs.perform(run, "step-1");
      expect(await store.attempt(attempt)).toStrictEqual(ended);
    });

    scenario("[SO11] runs of one workflow keep one copy of it", async ({ store, runs, query }) => {
      const first = await runs.start(chainOf(3));
      for (let index = 0; index < 5; index += 1) await runs.start(structuredClone(chainOf(3)));
      expect(await countRows(query, "definitions")).toBe(1);
      await runs.start({ ...chainOf(3), title: "changed" });
      expect(await countRows(query, "definitions")).toBe(2);
      expect((await store.wholeRun(first))?.header.definition).toStrictEqual(chainOf(3));
    });

    scenario("[SO12] a new plan drops stories that have not begun and keeps the order", async ({ store, runs }) => {
      const run = await runs.start(everything);
      const waits = { dependsOn: [storyId("A")] };
      const specs = [storyOf("A"), storyOf("B", waits), storyOf("C", waits), storyOf("D"), storyOf("E")];
      await runs.perform(run, "plan", completed({ stories: specs }));
      expect(await store.storySpecs(run)).toStrictEqual(specs);
      const loaded = await loadNow(store, run);
      const replanned = [storyOf("F"), storyOf("C", { description: "anew" })];
      const planned = { type: "stories_planned", at: 4000, author: "engine", story: null } as const;
      const event = { ...planned, stories: replanned, dropped: [storyId("B"), storyId("C")] };
      const decision = { accepted: true, events: [event], effects: [], run: evolve(loaded.run, event) } as const;
      await store.transaction((tx) => tx.save(loaded, decision));
      expect(await store.storySpecs(run)).toStrictEqual([specs[0], ...specs.slice(3), ...replanned]);
    });

    scenario(
      "[SO13] a store has the same contents after it is closed and opened again",
      async ({ store, reopen, runs, query }) => {
        const [run, first] = await runWithStories(runs);
        await runs.startAttempt(run, "code", first);
        const before = [await store.wholeRun(run), await rowsOf(query)];
        const reopened = await reopen();
        expect([await reopened.wholeRun(run), await rowsOf(query)]).toStrictEqual(before);
        const again = new Transitions(reopened);
        await again.start(chainOf(1));
        expect(await reopened.runByNumber(2)).not.toBeNull();
      },
    );

    scenario("[SO14] migrating a second time changes nothing", async ({ query, runs, columnTypes }) => {
      await runs.start(chainOf(1));
      const before = await rowsOf(query);
      await query((db) => db.transaction().execute((trx) => migrate(trx, columnTypes, 0, "a store")));
      expect(await rowsOf(query)).toStrictEqual(before);
    });

    test("[SO15] a store that a newer Pawl wrote is refused and left unchanged", async () => {
      const { store, query, reopen, another } = await open();
      expect(await store.isCurrent()).toBe(true);
      const newer = { version: schemaVersion + 1, name: "from the future", applied_at: 0 };
      await query((db) => db.insertInto("migrations").values(newer).execute());
      await expect(another()).rejects.toMatchObject({ code: "STORE_NEWER", hint: expect.stringContaining("newer") });
      // A process that opened it before finds out when it asks.
      expect(await store.isCurrent()).toBe(false);
      await query((db) => db.deleteFrom("migrations").where("version", "=", newer.version).execute());
      await expect(reopen()).resolves.toBeDefined();
    });

    scenario("[SO16] a cached statement uses the values of each call", async ({ store, runs }) => {
      const tasks = Array.from({ length: 12 }, (_, index) => `task ${index}`);
      const ids = await Promise.all(tasks.map((task) => runs.start(chainOf(2), { task })));
      const found = await Promise.all(ids.map((id) => store.runById(id)));
      expect(found.map((run) => run?.task)).toStrictEqual(tasks);
      for (const size of [1, 3, 2, 3]) {
        const statuses = (["running", "done", "failed"] as const).slice(0, size);
        expect(await store.listRuns({ statuses, limit: 50 })).toHaveLength(12);
      }
      await expect(store.transaction(failAfterCreating)).rejects.toThrow("changed my mind");
      expect(await store.listRuns({ statuses: null, limit: 50 })).toHaveLength(12);
    });

    scenario("[SO17] text is stored exactly as written", async ({ store, runs }) => {
      const words = `quotes ' " \` \\, 100 %, _ ? :a $1 @b, line\nbreak\ttab, żółć 漢字 🦜, \u2028 ${"x".repeat(100_000)}`;
      const run = await runs.start(chainOf(1), { task: words, context: { words } });
      await runs.perform(run, "step-1", completed({ outputs: { said: words } }));
      const { header } = await expectRowsToEqualLog(store, run);
      expect([header.task, header.context["words"], header.context["said"]]).toStrictEqual([words, words, words]);
    });

    scenario("[SM1] each changed run is found once, in the order of the commits", async ({ store, another, runs }) => {
      const start = await store.lastPosition();
      const [first, second] = [await runs.start(chainOf(2)), await runs.start(chainOf(1))];
      await new Transitions(await another()).perform(first, "step-1");
      const all = await store.changedRuns(start, 10);
      expect(all.map(({ run }) => run.id)).toStrictEqual([second, first]);
      for (const { run, seq } of all)
        expect([seq, await store.lastSeq(run.id)]).toEqual(Array(2).fill((await wholeLog(store, run.id)).length));
      expect(all.at(-1)?.position).toBe(await store.lastPosition());
      const [one] = await store.changedRuns(start, 1);
      expect(await store.changedRuns(one?.position ?? 0, 10)).toStrictEqual(all.slice(1));
      expect(await store.changedRuns(await store.lastPosition(), 10)).toStrictEqual([]);
      await expect(store.transaction(failAfterCreating)).rejects.toThrow("changed my mind");
      expect(await store.changedRuns(await store.lastPosition(), 10)).toStrictEqual([]);
    });

    scenario("[SM1] a position is not given again after its run was removed", async ({ store, runs, reopen }) => {
      const run = await runs.start(chainOf(1));
      await runs.perform(run, "step-1");
      const seen = await store.lastPosition();
      await store.removeRun(run);
      const later = new Transitions(await reopen());
      const next = await later.start(chainOf(1));
      expect((await later.store.changedRuns(seen, 10)).map(({ run: { id } }) => id)).toStrictEqual([next]);
    });

    scenario("[SO18] commits of other processes are noticed until the store is closed", async ({ store, another }) => {
      const other = new Transitions(await another());
      let noticed = 0;
      const watch = store.watch(() => {
        noticed += 1;
      });
      onTestFinished(() => watch.close());
      await other.start(chainOf(1));
      await expect.poll(() => noticed).toBeGreaterThan(0);
      watch.close();
      const before = noticed;
      await other.start(chainOf(1));
      await new Promise((resolve) => setTimeout(resolve, 250));
      expect(noticed).toBe(before);
    });
  });
}

/** A run whose first two stories are at work. */
async function runWithStories(runs: Transitions): Promise<[RunId, StoryId, StoryId]> {
  const run = await runs.start(everything);
  await runs.perform(run, "plan", completed({ stories: [storyOf("A"), storyOf("B")] }));
  return [run, storyId("A"), storyId("B")];
}

async function runThatFailedTwice(runs: Transitions): Promise<RunId> {
  const run = await runs.start(chainOf(1));
  for (let index = 0; index < 3; index += 1) await runs.perform(run, "step-1", unfinished("failed"));
  await runs.apply(run, { type: "retry_run", at: 3000, author: "user:ada", story: null, step: null });
  for (let index = 0; index < 3; index += 1) await runs.perform(run, "step-1", unfinished("failed"));
  return run;
}

async function loadNow(store: Store, run: RunId, ...stories: StoryId[]): Promise<Loaded> {
  const loaded = await store.transaction((tx) => tx.load(run, () => stories));
  if (!loaded) throw new Error(`there is no run ${run}`);
  return loaded;
}

/** Decides from a stale load and, like the runtime, decides again after a conflict. Returns the decision of each try. */
async function saveStale(store: Store, run: RunId, stale: Loaded, command: Parameters<typeof decide>[1]) {
  const tries: ReturnType<typeof decide>[] = [];
  await store.transaction(async (tx) => {
    const fresh = tries.length === 0 ? stale : await tx.load(run, (header) => storiesFor(header, command));
    if (!fresh) throw new Error(`there is no run ${run}`);
    const decision = decide(fresh.run, command);
    tries.push(decision);
    await tx.save(fresh, decision);
  });
  return tries;
}

async function failAfterCreating(tx: Transaction): Promise<void> {
  await tx.create(await tx.nextRunNumber(), startRun(startOf(chainOf(1))));
  throw new Error("changed my mind");
}

const closing = (run: RunId) => ({ type: "close_run", run });
const isClosing = ({ effect }: Pick<StoredEffect, "effect">) => effect.type === "close_run";

function deliveryOf(run: RunId, target: string, text = "done") {
  const message = { kind: "run_done", story: null, step: null, text, at: 1 } as const;
  return { type: "deliver", run, target, message, id: `${run}.1` } as const;
}

function idOf(effect: StoredEffect | undefined): number {
  if (!effect) throw new Error("nothing is due");
  return effect.id;
}

const tables = ["runs", "totals", "stories", "attempts", "gates", "events", "outbox", "permits", "migrations"] as const;

/** Everything that the store keeps. */
async function rowsOf(query: Query): Promise<Readonly<Record<string, readonly object[]>>> {
  const rows: Record<string, readonly object[]> = {};
  for (const table of tables) {
    const found = await query((db) => db.selectFrom(table).selectAll().execute());
    rows[table] = found.map((row) => ({ ...row }));
  }
  return rows;
}

async function countRows(query: Query, table: keyof Tables): Promise<number> {
  return (await query((db) => db.selectFrom(table).selectAll().execute())).length;
}
