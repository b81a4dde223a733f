// A process that works on a store, for tests with many of them. Started as `node store-worker.ts <what> <store>`, it prints "ready",
// reads orders from stdin, one per line, and prints a line of JSON for each thing it did.

import { createInterface } from "node:readline";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedDispatch } from "../../src/dispatch/embedded/embedded.ts";
import { noUsage } from "../../src/domain/attempt.ts";
import { Protocols } from "../../src/protocols/registry.ts";
import { type Claim, claimStep } from "../../src/runtime/attempt/claim/claim.ts";
import { plainWorkspace } from "../../src/runtime/config/config.ts";
import { Projections } from "../../src/runtime/effects/projections.ts";
import { Commits, type Parts } from "../../src/runtime/parts.ts";
import { Trees } from "../../src/runtime/trees/trees.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { Store } from "../../src/store/store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { findHome } from "../../src/system/home.ts";
import { environmentSecrets } from "../../src/system/secrets/secrets.ts";
import { isPostgres } from "../../src/system/store-address.ts";
import { copied } from "./full-store.ts";
import { chainOf, completed, finishOf, startAttemptOf } from "./sample-runs.ts";
import { Transitions } from "./transitions.ts";

/** A file, or the address of a database. */
const [what = "", name = ""] = process.argv.slice(2);
const worker = `${process.pid}`;
const orders = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

const tasks: Readonly<Record<string, () => Promise<void>>> = { open, claim, drive, write, hold, copy };
await tasks[what]?.();
process.exit(0);

/** Order "<time>": opens the store at that time. */
async function open(): Promise<void> {
  tell("ready");
  await moment();
  const store = await openStore();
  tell({ runs: (await store.listRuns({ statuses: null, limit: 10 })).length });
  await store.close();
}

/** Order "<time>", repeatedly: claims one step at that time. */
async function claim(): Promise<void> {
  const parts = await openParts();
  tell("ready");
  while (await moment()) tell((await claimAny(parts))?.attempt.id ?? null);
}

/** Order "<time>": claims and finishes steps until no run is left. */
async function drive(): Promise<void> {
  const parts = await openParts();
  tell("ready");
  await moment();
  for (;;) {
    const claimed = await claimAny(parts);
    if (claimed) {
      const { id, step, token, story } = claimed.attempt;
      tell({ run: claimed.run.header.id, step, attempt: id });
      await transitions(parts).apply(
        claimed.run.header.id,
        finishOf(id, completed(), { at: Date.now(), story, token }),
      );
    } else if ((await parts.store.listRuns({ statuses: ["running"], limit: 1 })).length === 0) return;
    else await sleep(2);
  }
}

/** Order "go": commits without a pause and prints each commit, until it is killed. With "die" it kills itself, between two statements. */
async function write(): Promise<void> {
  const parts = await openParts();
  tell("ready");
  const dies = (await orders.next()).value === "die";
  if (dies) dieAfter(5 + Math.floor(Math.random() * 150));
  const runs = transitions(parts);
  for (;;) {
    const run = await runs.start(chainOf(2));
    tell({ run, events: 2 });
    for (const step of ["step-1", "step-2"]) {
      const command = startAttemptOf(step);
      await runs.apply(run, command);
      const { events } = await runs.apply(run, finishOf(command.attempt, completed()));
      tell({ run, events: 1 + events.length });
    }
  }
}

/** Order "<milliseconds>": holds the write lock for that long. */
async function hold(): Promise<void> {
  const database = new DatabaseSync(name);
  tell("ready");
  for (;;) {
    const order = await orders.next();
    if (order.done) return;
    database.exec("begin immediate");
    tell("held");
    await sleep(Number(order.value));
    database.exec("commit");
    tell("released");
  }
}

/** Order "<file> <number>": copies the store into that file, and kills itself after that many statements. */
async function copy(): Promise<void> {
  const from = await openStore();
  tell("ready");
  const [file = "", statements = "0"] = String((await orders.next()).value).split(" ");
  const to = await openSqliteStore(file, systemClock);
  dieAfter(Number(statements));
  tell({ runs: (await copied(from, to)).runs });
}

/** Kills this process before the next SQLite statement, commits included, after that many have run. */
function dieAfter(statements: number): void {
  let left = statements;
  const dying = <F extends object>(run: F): F =>
    new Proxy(run, {
      apply(target, self, args) {
        if ((left -= 1) < 0) process.kill(process.pid, "SIGKILL");
        return Reflect.apply(target as never, self, args);
      },
    });
  StatementSync.prototype.run = dying(StatementSync.prototype.run);
  StatementSync.prototype.all = dying(StatementSync.prototype.all);
  DatabaseSync.prototype.exec = dying(DatabaseSync.prototype.exec);
}

async function openStore(): Promise<Store> {
  if (!isPostgres(name)) return await openSqliteStore(name, systemClock);
  return await openPostgresStore(name, systemClock, {
    id: "a-home",
    host: "here",
    dir: "/home/of/tests",
    version: "1",
    joins: false,
  });
}

async function openParts(): Promise<Parts> {
  const store = await openStore();
  const none = () => Promise.reject(new Error("this process has no executor"));
  const executors = {
    namesFor: () => ["scripted"],
    accountOf: () => null,
    get: none,
    priced: () => noUsage,
    awaitMs: () => null,
    permitsFor: () => [],
  };
  const dispatch = new EmbeddedDispatch(store);
  const protocols = new Protocols([]);
  const log = () => {};
  return {
    store,
    dispatch,
    clock: systemClock,
    home: findHome({}),
    executors,
    tools: null,
    telemetry: null,
    secrets: environmentSecrets({}),
    targets: [],
    machines: null,
    labels: [],
    site: null,
    settings: { workspace: plainWorkspace },
    settingsOf: async () => ({ workspace: plainWorkspace }),
    trees: new Trees(),
    protocols,
    projections: new Projections(store, protocols, log, log),
    log,
    warn: log,
    commits: new Commits(),
  };
}

function transitions({ store, dispatch }: Pick<Parts, "store" | "dispatch">): Transitions {
  return new Transitions(store, dispatch);
}

async function claimAny(parts: Parts): Promise<Claim | null> {
  return await claimStep(parts, { run: null, agent: null, driver: "push", worker, leaseMs: 60_000 });
}

/** Waits for an order and then until the time that it names. False when there are no more orders. */
async function moment(): Promise<boolean> {
  const order = await orders.next();
  if (order.done) return false;
  await sleep(Math.max(0, Number(order.value) - Date.now()));
  return true;
}

function tell(told: unknown): void {
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
