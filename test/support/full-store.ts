// A store with a row in every table: runs in many states, and everything that lies beside runs.

import { EmbeddedDispatch } from "../../src/dispatch/embedded/embedded.ts";
import { type RunId, stepId, stepName } from "../../src/domain/ids.ts";
import type { Store, StoreCopy } from "../../src/store/store.ts";
import { newAttemptId } from "../../src/system/ids.ts";
import { chooser, nextCommand } from "./random-run.ts";
import { agentStep, chainOf, everything, startOf, workflow } from "./sample-runs.ts";
import { Transitions } from "./transitions.ts";

/** Characters that databases sort, escape or refuse in ways of their own. */
export const awkward = "Ä ä Z a _ é 漢 🙂 'quoted' \"twice\" \\u0000 \\ % \n\t";

const gate = {
  kind: "gate",
  name: stepName("review"),
  title: "review",
  question: "Is it good?",
  options: { approve: { to: "next" }, reject: { to: "fail", reason: "no" } },
} as const;

export function offeringTransitions(store: Store): Transitions {
  return new Transitions(store, new EmbeddedDispatch(store));
}

/** Returns a run that waits at a gate. */
export async function fillStore(store: Store, walks = 4): Promise<RunId> {
  const runs = offeringTransitions(store);
  for (let walk = 1; walk <= walks; walk += 1) await randomWalk(runs, walk);
  const running = await runs.start(chainOf(2), startOf(chainOf(2), { task: awkward }));
  const attempt = await runs.startAttempt(running, "step-1");
  const until = { at: 5_000, steady: { boot: "a boot", at: 77 } };
  await store.transaction(async (tx) => {
    await tx.lease({ attempt, run: running, story: null, worker: "pull:an agent", until });
    await tx.setDriver({ run: running, worker: "gone", until: { at: 1, steady: null } });
    await tx.takePermits(attempt, [{ key: "a lock", limit: 1, inLine: true }]);
    const waiter = { run: running, story: null, step: stepId("step-2"), since: 1, now: 2 };
    await tx.takePermits(newAttemptId(), [{ key: "a lock", limit: 1, inLine: true }], waiter);
    await tx.hold({ account: "claude", cause: "quota", since: 1, until: 2, why: awkward });
    await tx.putSchedule({
      id: "nightly",
      workflow: "nightly",
      repo: "/repo",
      executor: null,
      spec: { cron: "0 3 * * *", zone: "UTC", task: awkward, missed: "once", context: {} },
      paused: true,
      settled: 1_000,
      run: null,
      addedAt: 1_000,
    });
    const tick = { schedule: "nightly", at: 1, outcome: "skipped", askedBy: null, run: null, missed: 0 } as const;
    for (let at = 1; at <= 5; at += 1) await tx.recordTick({ ...tick, tick: at, why: awkward });
  });
  for (let number = 0; number < 250; number += 1) {
    const token = { name: `token ${number}`, hash: `hash ${number}`, role: "read", createdAt: number } as const;
    await store.addToken({ ...token, expiresAt: number % 2 === 0 ? null : 2 ** 52 + number });
  }
  await store.addSignInCode({ hash: "a code", role: "answer", expiresAt: 1e15 }, 1);
  await store.keepStartKey({ author: "token:ci", key: awkward, request: "a hash", run: running, createdAt: 1 });
  const browser = { id: "b", endpoint: "https://push.example", p256dh: "p", auth: "a", token: "token 1", createdAt: 1 };
  await store.putSubscription(browser, { inAll: 9, ofToken: 9 });
  return await askedRun(store, runs);
}

async function randomWalk(runs: Transitions, seed: number): Promise<void> {
  const choose = chooser(seed);
  const id = await runs.start(everything);
  for (let step = 0; step < 60; step += 1) {
    const run = await runs.store.wholeRun(id);
    if (!run || (run.header.end && run.header.end.status !== "failed")) break;
    await runs.apply(id, nextCommand(run, 2000 + step * 10, choose));
  }
}

/** A message about its question has arrived, and the effects of all runs before it are done: the highest ids have no row any more. */
async function askedRun(store: Store, runs: Transitions): Promise<RunId> {
  const run = await runs.start(workflow("asks", [agentStep("work"), gate, agentStep("ship")]));
  await runs.perform(run, "work");
  const [open] = await store.openGates(run);
  const due = (await store.dueEffects(1e15, 1_000)).find(
    ({ effect }) => effect.type === "notify" && effect.run === run,
  );
  if (open === undefined || due?.effect.type !== "notify") throw new Error("nothing is asked");
  const { message } = due.effect;
  await store.replaceEffect(due.id, [{ type: "deliver", run, target: "phone", message, id: `${run}.1` }], 1);
  const [delivery] = await store.dueDeliveries(1e15, 10, []);
  if (delivery === undefined) throw new Error("no delivery is there");
  await store.messageArrived(delivery, open.gate.id, "a receipt", 2);
  return run;
}

/** A copy by the store's own method, while nothing works on it. */
export async function copied(from: Store, to: Store, assertIdle: () => void = () => undefined): Promise<StoreCopy> {
  return await from.copyTo(to, { from: "FROM", to: "TO", now: 1, assertIdle, onProgress: () => undefined });
}
