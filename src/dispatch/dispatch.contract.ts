// What every dispatch promises, as tests. The rules are in docs/spec/store.md.

import { describe, expect, test } from "vitest";
import { expectRowsToEqualLogs } from "../../test/support/logs.ts";
import { chooser, nextCommand } from "../../test/support/random-run.ts";
import {
  agentStep,
  chainOf,
  completed,
  everything,
  finishOf,
  startAttemptOf,
  storyOf,
  unfinished,
  workflow,
} from "../../test/support/sample-runs.ts";
import { Transitions } from "../../test/support/transitions.ts";
import { type AttemptId, agentName, type RunId, type StoryId, storyId } from "../domain/ids.ts";
import type { Run } from "../domain/run.ts";
import type { OfferFilter, PermitLimit, Store } from "../store/store.ts";
import type { Deadline } from "../system/clock.ts";
import { newAttemptId } from "../system/ids.ts";
import type { Dispatch, Offer } from "./dispatch.ts";

export interface DispatchUnderTest {
  readonly store: Store;
  readonly dispatch: Dispatch;
}

/** `open` returns an empty database; `another` opens it a second time, as another process would. `walks`: how many are tried. */
export function describeDispatch(
  name: string,
  open: () => Promise<DispatchUnderTest & { another(): Promise<DispatchUnderTest> }>,
  walks = 12,
): void {
  const scenario = (
    title: string,
    body: (under: Awaited<ReturnType<typeof open>> & { runs: Transitions }) => Promise<void>,
  ) =>
    test(title, async () => {
      const under = await open();
      await body({ ...under, runs: new Transitions(under.store, under.dispatch) });
      await expectRowsToEqualLogs(under.store);
    });

  describe(name, () => {
    scenario("[DI1] the commit that makes a step ready also offers it", async ({ store, dispatch, runs }) => {
      const run = await runs.start(chainOf(2));
      expect(await offers(store, dispatch)).toStrictEqual([offerOf(run, "step-1", "chain-2/worker")]);
      await runs.perform(run, "step-1");
      expect(await offers(store, dispatch)).toStrictEqual([offerOf(run, "step-2", "chain-2/worker")]);
    });

    scenario(
      "[DI1] stories are offered in parallel, and a command step without an agent",
      async ({ store, dispatch, runs }) => {
        const run = await runs.start(everything);
        await runs.perform(run, "plan", completed({ stories: ["A", "B", "C", "D"].map((id) => storyOf(id)) }));
        const found = await offers(store, dispatch);
        expect(found).toStrictEqual(
          ["A", "B", "C"].map((id) => offerOf(run, "code", "everything/worker", storyId(id))),
        );
        const shipping = await runs.start(
          workflow("ship", [{ ...agentStep("push"), kind: "command", command: "true" }]),
        );
        expect(await offers(store, dispatch, { run: shipping })).toStrictEqual([offerOf(shipping, "push", "")]);
      },
    );

    scenario("[DI2] an offer and a lease are rolled back with their transaction", async ({ store, dispatch, runs }) => {
      const run = await runs.start(chainOf(2));
      const command = startAttemptOf("step-1");
      const failing = store.transaction(async (tx) => {
        await tx.takePermits(command.attempt, [{ key: "k", limit: 1 }]);
        await runs.applyIn(tx, run, command);
        await dispatch.lease(tx, leaseOf(run, command.attempt));
        await runs.applyIn(tx, run, finishOf(command.attempt, completed()));
        throw new Error("the power went out");
      });
      await expect(failing).rejects.toThrow("the power went out");
      expect((await offers(store, dispatch)).map((offer) => offer.step)).toStrictEqual(["step-1"]);
      expect(await dispatch.leases({ endedBefore: null })).toStrictEqual([]);
    });

    scenario("[DI3] an offer is claimed once, however many workers try", async ({ store, dispatch, another, runs }) => {
      const run = await runs.start(chainOf(1));
      const other = await another();
      const asked = Array.from({ length: 20 }, (_, index) =>
        claim(index % 2 ? other : { store, dispatch }, `w${index}`),
      );
      const claims = await Promise.all(asked);
      expect(claims.filter((attempt) => attempt !== null)).toHaveLength(1);
      expect(await offers(store, dispatch)).toStrictEqual([]);
      expect((await store.wholeRun(run))?.header.attempts).toHaveLength(1);
    });

    scenario(
      "[DI4] a paused run offers nothing, not even steps that become ready meanwhile",
      async ({ store, dispatch, runs }) => {
        const run = await runs.start(chainOf(2));
        const attempt = await runs.startAttempt(run, "step-1");
        const other = await runs.start(chainOf(1));
        await runs.apply(other, { type: "pause_run", at: 3000, author: "user:ada" });
        await runs.apply(run, { type: "pause_run", at: 3000, author: "user:ada" });
        await runs.apply(run, finishOf(attempt, completed()));
        expect(await offers(store, dispatch)).toStrictEqual([]);
        expect(await offers(store, dispatch, { run })).toStrictEqual([]);
        expect(await offers(store, dispatch, { agent: "chain-2/worker" })).toStrictEqual([]);
        await runs.apply(run, { type: "resume_run", at: 4000, author: "user:ada" });
        expect((await offers(store, dispatch)).map((offer) => offer.step)).toStrictEqual(["step-2"]);
      },
    );

    scenario(
      "[DI5] no step is offered before its time, and the next time is known",
      async ({ store, dispatch, runs }) => {
        const run = await runs.start(chainOf(1));
        const other = await runs.start(chainOf(1));
        await runs.perform(run, "step-1", unfinished("rate_limited", { retryAt: 60_000 }));
        await runs.perform(other, "step-1", unfinished("rate_limited", { retryAt: 50_000 }));
        expect(await offers(store, dispatch, { now: 49_999 })).toStrictEqual([]);
        expect(await offers(store, dispatch, { now: 50_000 })).toHaveLength(1);
        expect(await offers(store, dispatch, { now: 60_000 })).toHaveLength(2);
        expect(await dispatch.nextTime(null, 10_000)).toBe(50_000);
        expect(await dispatch.nextTime(null, 50_000)).toBe(60_000);
        expect(await dispatch.nextTime(run, 10_000)).toBe(60_000);
        expect(await dispatch.nextTime(null, 60_000)).toBeNull();
        await runs.apply(other, { type: "pause_run", at: 9000, author: "user:ada" });
        expect(await dispatch.nextTime(null, 10_000)).toBe(60_000);
      },
    );

    scenario("[DI5] a clock that was put back delays nothing that is to start", async ({ store, dispatch, runs }) => {
      const run = await runs.start(chainOf(1));
      const hourBack = -3_600_000;
      expect(await offers(store, dispatch, { now: hourBack })).toHaveLength(1);
      await runs.perform(run, "step-1", unfinished("rate_limited", { retryAt: 60_000 }));
      expect(await offers(store, dispatch, { now: 50_000 })).toStrictEqual([]);
      expect(await offers(store, dispatch, { now: hourBack })).toHaveLength(1);
    });

    scenario("[DI6] the oldest run is served first, up to the limit", async ({ store, dispatch, runs }) => {
      const ids: RunId[] = [];
      for (let index = 0; index < 12; index += 1) ids.push(await runs.start(chainOf(1)));
      expect((await offers(store, dispatch)).map((offer) => offer.run)).toStrictEqual(ids);
      const [first] = ids;
      if (!first) throw new Error("runs were started");
      await runs.perform(first, "step-1", unfinished("failed"));
      const served = await offers(store, dispatch, { limit: 3 });
      expect(served.map((offer) => offer.run)).toStrictEqual(ids.slice(0, 3));
    });

    scenario(
      "[DI7] a filter by agent or run returns only those steps, whatever else is offered",
      async ({ store, dispatch, runs }) => {
        for (let index = 0; index < 5; index += 1) await runs.start(chainOf(1));
        const run = await runs.start(everything);
        const stories = [storyOf("A"), storyOf("B"), storyOf("C")];
        await runs.perform(run, "plan", completed({ stories }));
        await runs.perform(run, "code", completed(), storyId("C"));
        const one = { limit: 1 };
        const verify = offerOf(run, "verify", "everything/verifier", storyId("C"));
        expect(await offers(store, dispatch, { ...one, agent: "everything/verifier" })).toStrictEqual([verify]);
        expect(await offers(store, dispatch, { ...one, run, agent: "everything/verifier" })).toStrictEqual([verify]);
        expect(await offers(store, dispatch, { run, agent: "chain-1/worker" })).toStrictEqual([]);
        expect(await offers(store, dispatch, { agent: "other/worker" })).toStrictEqual([]);
        expect(await offers(store, dispatch, { agent: "chain-1/worker" })).toHaveLength(5);
        expect(await offers(store, dispatch, { run })).toHaveLength(3);
      },
    );

    scenario(
      "[DI7] agents with the same name in two workflows are different agents",
      async ({ store, dispatch, runs }) => {
        const step = agentStep("go", { agent: agentName("dev") });
        const run = await runs.start(workflow("one", [step]));
        await runs.start(workflow("two", [step]));
        expect(await offers(store, dispatch, { agent: "one/dev" })).toStrictEqual([offerOf(run, "go", "one/dev")]);
      },
    );

    scenario("[DI8] a run that is over offers nothing", async ({ store, dispatch, runs }) => {
      const cancelled = await runs.start(everything);
      await runs.perform(cancelled, "plan", completed({ stories: [storyOf("A"), storyOf("B")] }));
      const failed = await runs.start(chainOf(2));
      expect(await offers(store, dispatch)).toHaveLength(3);
      await runs.apply(cancelled, { type: "cancel_run", at: 4000, author: "user:ada", reason: "" });
      for (let index = 0; index < 3; index += 1) await runs.perform(failed, "step-1", unfinished("failed"));
      expect(await offers(store, dispatch)).toStrictEqual([]);
      await runs.apply(failed, { type: "retry_run", at: 4000, author: "user:ada", story: null, step: null });
      expect(await offers(store, dispatch)).toStrictEqual([offerOf(failed, "step-1", "chain-2/worker")]);
    });

    scenario(
      "[DI8] the end of a run also withdraws offers that its last transition did not load",
      async ({ store, dispatch, runs }) => {
        const run = await runs.start(everything);
        await runs.perform(run, "plan", completed({ stories: [storyOf("A"), storyOf("B")] }));
        const whole = await store.wholeRun(run);
        if (!whole) throw new Error("the run was started");
        const over = { ...whole.header, end: { status: "failed", reason: "", at: 4000 } } as const;
        const nothing = { readied: [], unreadied: [], ended: [], paused: null, effects: 0, number: 1 };
        await store.transaction((tx) => dispatch.follow(tx, { ...nothing, run: { header: over, stories: {} } }));
        expect(await offers(store, dispatch)).toStrictEqual([]);
      },
    );

    scenario("[DI9] only the worker that holds a lease can renew it", async ({ store, dispatch, runs }) => {
      const run = await runs.start(chainOf(1));
      const attempt = await claim({ store, dispatch }, "w1");
      if (!attempt) throw new Error("nothing was offered");
      expect(await dispatch.renew("w2", [attempt], by(90_000))).toStrictEqual([]);
      expect(await dispatch.renew("w1", [newAttemptId(), attempt], by(70_000))).toStrictEqual([attempt]);
      expect(await dispatch.leases({ endedBefore: null })).toStrictEqual([leaseOf(run, attempt, "w1", 70_000)]);
      expect(await dispatch.renew("w1", [], by(90_000))).toStrictEqual([]);
    });

    scenario("[DI10] expired leases are listed, longest expired first", async ({ store, dispatch, runs }) => {
      const attempts: AttemptId[] = [];
      for (const until of [30_000, 10_000, 20_000]) {
        await runs.start(chainOf(1));
        attempts.push((await claim({ store, dispatch }, "w", until)) ?? newAttemptId());
      }
      const ended = async (endedBefore: number | null) =>
        (await dispatch.leases({ endedBefore })).map((lease) => attempts.indexOf(lease.attempt));
      expect(await ended(9_999)).toStrictEqual([]);
      expect(await ended(20_000)).toStrictEqual([1, 2]);
      expect(await ended(null)).toStrictEqual([1, 2, 0]);
    });

    scenario("[DI11] the end of an attempt ends its lease and frees its permits", async ({ store, dispatch, runs }) => {
      const run = await runs.start(chainOf(2));
      const limits = [
        { key: "claude", limit: 1 },
        { key: `run:${run}`, limit: 2 },
      ];
      const attempt = await claim({ store, dispatch }, "w1", 60_000, limits);
      if (!attempt) throw new Error("nothing was offered");
      const take = () => store.transaction((tx) => tx.takePermits(newAttemptId(), limits));
      expect(await take()).toBe("claude");
      await runs.apply(run, finishOf(attempt, unfinished("lost")));
      expect(await dispatch.leases({ endedBefore: null })).toStrictEqual([]);
      expect(await dispatch.renew("w1", [attempt], by(90_000))).toStrictEqual([]);
      expect(await take()).toBeNull();
    });

    scenario(
      "[DI11] an attempt that is being stopped keeps its lease and permits until it ends",
      async ({ store, dispatch, runs }) => {
        const run = await runs.start(chainOf(1));
        const limits = [{ key: "claude", limit: 1 }];
        const attempt = await claim({ store, dispatch }, "w1", 60_000, limits);
        if (!attempt) throw new Error("nothing was offered");
        await runs.apply(run, { type: "cancel_run", at: 4000, author: "user:ada", reason: "" });
        const take = () => store.transaction((tx) => tx.takePermits(newAttemptId(), limits));
        expect(await dispatch.renew("w1", [attempt], by(70_000))).toStrictEqual([attempt]);
        expect(await take()).toBe("claude");
        await runs.apply(run, finishOf(attempt, completed()));
        expect(await dispatch.leases({ endedBefore: null })).toStrictEqual([]);
        expect(await take()).toBeNull();
      },
    );

    scenario("[DI12] after any walk the offers are exactly the ready steps", async ({ store, dispatch, runs }) => {
      for (let walk = 1; walk <= walks; walk += 1) {
        const choose = chooser(walk);
        const id = await runs.start(everything);
        for (let step = 0; step < 50; step += 1) {
          const run = await store.wholeRun(id);
          if (!run || (run.header.end && run.header.end.status !== "failed")) break;
          await runs.apply(id, nextCommand(run, 2000 + step * 10, choose));
        }
        const run = await store.wholeRun(id);
        const offered = await offers(store, dispatch, { run: id, now: Number.MAX_SAFE_INTEGER });
        const names = offered.map((offer) => `${offer.story ?? ""}/${offer.step}`).toSorted();
        expect(names).toStrictEqual(run ? readySteps(run) : []);
        await runs.apply(id, { type: "cancel_run", at: 9000, author: "user:ada", reason: "" });
      }
      expect(await offers(store, dispatch, { now: Number.MAX_SAFE_INTEGER })).toStrictEqual([]);
    });

    scenario(
      "[DI30] an overview counts the steps that wait, now or for a time, and the attempts that are performed or lost",
      async ({ store, dispatch, runs }) => {
        const none = { waiting: 0, deferred: 0, active: [], lost: [], waitingSince: null };
        const figures = async (now: number) => {
          const { queues } = await dispatch.overview(now);
          expect(queues).toHaveLength(1);
          return queues.map(({ waiting, deferred, active, lost, waitingSince }) => {
            return { waiting, deferred, active, lost, waitingSince };
          })[0];
        };
        expect(await figures(5_000)).toStrictEqual(none);
        await runs.start(chainOf(1));
        const attempt = await claim({ store, dispatch }, "w1", 60_000);
        expect(await figures(5_000)).toStrictEqual({ ...none, active: [attempt] });
        const later = await runs.start(chainOf(1));
        await runs.perform(later, "step-1", unfinished("rate_limited", { retryAt: 50_000 }));
        const [now, paused] = [await runs.start(chainOf(1)), await runs.start(chainOf(1))];
        await runs.apply(paused, { type: "pause_run", at: 3_000, author: "user:ada" });
        const since = (await store.waiting(5_000)).dueSince;
        const started = (await store.runById(now))?.startedAt;
        expect(since).toBe(started);
        const waiting = { ...none, active: [attempt], waiting: 1, deferred: 1, waitingSince: since };
        expect(await figures(5_000)).toStrictEqual(waiting);
        expect(await figures(50_000)).toStrictEqual({ ...waiting, waiting: 2, deferred: 0 });
        expect(await figures(60_000)).toMatchObject({ active: [], lost: [attempt] });
      },
    );
  });
}

async function offers(store: Store, dispatch: Dispatch, wanted: Partial<OfferFilter> = {}): Promise<readonly Offer[]> {
  return await dispatch.offers(store, { run: null, agent: null, now: 5000, limit: 100, ...wanted });
}

/** Claims work as the runtime does: the first offer, its attempt and its lease in one transaction. */
async function claim(
  { store, dispatch }: DispatchUnderTest,
  worker: string,
  until = 60_000,
  limits: readonly PermitLimit[] = [],
): Promise<AttemptId | null> {
  const runs = new Transitions(store, dispatch);
  return await store.transaction(async (tx) => {
    const [offer] = await dispatch.offers(tx, { run: null, agent: null, now: 5000, limit: 5 });
    if (!offer) return null;
    const command = startAttemptOf(offer.step, { story: offer.story, at: 5000 });
    if ((await tx.takePermits(command.attempt, limits)) !== null) return null;
    const decision = await runs.applyIn(tx, offer.run, command);
    if (!decision.accepted) throw new Error(`an offer was refused: ${decision.why}`);
    await dispatch.lease(tx, leaseOf(offer.run, command.attempt, worker, until));
    return command.attempt;
  });
}

function readySteps(run: Run): readonly string[] {
  if (run.header.end || run.header.paused) return [];
  const scopes = [{ id: "", chain: run.header.chain }, ...Object.values(run.stories)];
  return scopes
    .flatMap(({ id, chain }) => chain.filter(({ state }) => state.status === "ready").map((step) => `${id}/${step.id}`))
    .toSorted();
}

const offerOf = (run: RunId, step: string, agent: string, story: StoryId | null = null) => ({
  part: null,
  run,
  story,
  step,
  agent,
});

const leaseOf = (run: RunId, attempt: AttemptId, worker = "w", until = 60_000) => ({
  attempt,
  run,
  story: null,
  worker,
  until: by(until),
});

/** By the time of day alone. */
const by = (at: number): Deadline => ({ at, steady: null });
