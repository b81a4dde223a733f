// Runs the dispatch contract with pg-boss on a PostgreSQL store, and shows what pg-boss adds to it.

import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { onPostgres, owner, postgresAddress, walksOnPostgres } from "../../../test/support/postgres.ts";
import { chainOf, completed, finishOf, startAttemptOf } from "../../../test/support/sample-runs.ts";
import { Transitions } from "../../../test/support/transitions.ts";
import { openPostgres } from "../../store/postgres/open.ts";
import { deadlineIn, systemClock } from "../../system/clock.ts";
import { describeDispatch } from "../dispatch.contract.ts";
import { PgBossDispatch } from "./pg-boss.ts";
import { queueSchema } from "./queues.ts";

onPostgres();

const open = async () => {
  const schema = `s_${randomBytes(6).toString("hex")}`;
  const address = postgresAddress(schema);
  const another = async () => {
    const { store, server } = await openPostgres(address, systemClock, owner);
    const dispatch = await PgBossDispatch.open(store, server, { home: owner.id, onTrouble: () => undefined });
    onTestFinished(async () => {
      await dispatch.close();
      await store.close();
    });
    const jobs = async (): Promise<readonly { state: string; data: { step: string } }[]> =>
      (await server.query(
        `select state, data from ${queueSchema(schema)}.job where name like 'home.%' order by created_on`,
        [],
      )) as never;
    return { store, server, dispatch, jobs, schema };
  };
  return { ...(await another()), another };
};

describeDispatch("pg-boss", open, walksOnPostgres(12));

/** Claims work as the runtime does. */
async function claim({ store, dispatch }: Pick<Awaited<ReturnType<typeof open>>, "store" | "dispatch">, worker = "w1") {
  const runs = new Transitions(store, dispatch);
  return await store.transaction(async (tx) => {
    const [offer] = await dispatch.offers(tx, { run: null, agent: null, now: 5_000, limit: 1 });
    if (offer === undefined) throw new Error("nothing is offered");
    const command = startAttemptOf(offer.step, { story: offer.story, at: 5_000 });
    const until = deadlineIn(systemClock, 30_000);
    const lease = { attempt: command.attempt, run: offer.run, story: offer.story, worker, until };
    await runs.applyIn(tx, offer.run, command, async () => await dispatch.lease(tx, lease, offer));
    return command.attempt;
  });
}

test("[DI20] a ready step is a job, which its attempt has until it ends, each in the commit of the transition", async () => {
  const under = await open();
  const { store, dispatch, jobs } = under;
  const runs = new Transitions(store, dispatch);
  const run = await runs.start(chainOf(2));
  expect(await jobs()).toMatchObject([{ state: "created", data: { run, step: "step-1" } }]);
  const failing = store.transaction(async (tx) => {
    await runs.applyIn(tx, run, startAttemptOf("step-1"));
    throw new Error("the power went out");
  });
  await expect(failing).rejects.toThrow("the power went out");
  const attempt = await claim(under);
  expect(await jobs()).toMatchObject([{ state: "active" }]);
  await runs.apply(run, finishOf(attempt, completed()));
  expect(await jobs()).toMatchObject([{ state: "completed" }, { state: "created", data: { step: "step-2" } }]);
});

test("[DI21] the steps of a paused run are in no queue until it goes on", async () => {
  const { store, dispatch, jobs } = await open();
  const runs = new Transitions(store, dispatch);
  const run = await runs.start(chainOf(1));
  await runs.apply(run, { type: "pause_run", at: 3_000, author: "user:ada" });
  expect(await jobs()).toStrictEqual([]);
  await runs.apply(run, { type: "resume_run", at: 4_000, author: "user:ada" });
  expect(await jobs()).toMatchObject([{ state: "created", data: { step: "step-1" } }]);
  await runs.apply(run, { type: "cancel_run", at: 5_000, author: "user:ada", reason: "enough" });
  expect(await jobs()).toStrictEqual([]);
});

test("[DI25] a process that begins to look for dead workers uses the queue meanwhile", async () => {
  const { dispatch } = await open();
  let isThere = false;
  const attending = dispatch.attend().finally(() => {
    isThere = true;
  });
  while (!isThere) expect(await dispatch.leases({ endedBefore: null })).toStrictEqual([]);
  (await attending).close();
});

test("[DI22] a worker that is not heard of any more loses its attempt to pg-boss, and cannot renew it", async () => {
  const under = await open();
  const { store, dispatch, server, schema } = under;
  const runs = new Transitions(store, dispatch);
  await runs.start(chainOf(1));
  const attempt = await claim(under);
  const until = deadlineIn(systemClock, 30_000);
  expect(await dispatch.renew("w1", [attempt], until)).toStrictEqual([attempt]);
  expect(await dispatch.renew("w2", [attempt], until)).toStrictEqual([]);
  expect(await dispatch.leases({ endedBefore: systemClock.now() })).toStrictEqual([]);
  const attendance = await dispatch.attend();
  await server.query(
    `update ${queueSchema(schema)}.job set heartbeat_on = now() - interval '1 minute' where state = 'active'`,
    [],
  );
  await expect.poll(async () => await dispatch.leases({ endedBefore: systemClock.now() })).toMatchObject([{ attempt }]);
  expect(await dispatch.renew("w1", [attempt], until)).toStrictEqual([]);
  attendance.close();
});

test("[DI23] a queue that was lost is filled again from the store", async () => {
  const under = await open();
  const { store, dispatch, server, schema, another } = under;
  const runs = new Transitions(store, dispatch);
  await runs.start(chainOf(1));
  await server.query(`drop schema ${queueSchema(schema)} cascade; truncate jobs`, []);
  const reopened = await another();
  expect(await reopened.jobs()).toMatchObject([{ state: "created", data: { step: "step-1" } }]);
  const attempt = await claim(reopened);
  expect(await reopened.dispatch.renew("w1", [attempt], deadlineIn(systemClock, 1_000))).toStrictEqual([attempt]);
});

test("[DI23] a process that makes the queue while another one does finds it complete", async () => {
  const schema = `s_${randomBytes(6).toString("hex")}`;
  const address = postgresAddress(schema);
  const { store, server } = await openPostgres(address, systemClock, owner);
  onTestFinished(() => store.close());
  const other = await openPostgres(address, systemClock, owner);
  onTestFinished(() => other.store.close());
  const opening = await other.store.transaction(async (tx) => {
    await tx.query(`create schema ${queueSchema(schema)}`, []);
    const opened = PgBossDispatch.open(store, server, { home: owner.id, onTrouble: () => undefined });
    const waiting = `select from pg_locks where not granted and pid in
      (select pid from pg_stat_activity where application_name = $1)`;
    await expect.poll(async () => (await tx.query(waiting, [`pawl ${schema}`])).length).toBe(1);
    return { opened };
  });
  const dispatch = await opening.opened;
  onTestFinished(() => dispatch.close());
  await new Transitions(store, dispatch).start(chainOf(1));
  expect(await server.query("select step from jobs", [])).toStrictEqual([{ step: "step-1" }]);
});

test("[DI24] the result of a dead worker is taken over by its lease", async () => {
  const under = await open();
  const { store, dispatch } = under;
  const runs = new Transitions(store, dispatch);
  await runs.start(chainOf(1));
  const attempt = await claim(under);
  const until = deadlineIn(systemClock, 30_000);
  const [lease] = await dispatch.leases({ endedBefore: null });
  if (lease === undefined) throw new Error("the attempt has a lease");
  expect(await dispatch.takeOver(lease, "w2", until)).toBe(true);
  expect(await dispatch.takeOver(lease, "w3", until)).toBe(false);
  expect(await dispatch.renew("w1", [attempt], until)).toStrictEqual([]);
  expect(await dispatch.renew("w2", [attempt], until)).toStrictEqual([attempt]);
});
