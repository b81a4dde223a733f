// Problems with the disk, the directory or the file: each error says what to do, and nothing is lost.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { expectRowsToEqualLogs } from "../../../test/support/logs.ts";
import { freshFile } from "../../../test/support/programs.ts";
import { chainOf } from "../../../test/support/sample-runs.ts";
import { Transitions } from "../../../test/support/transitions.ts";
import { AppError, type ErrorCode } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import { type Clock, systemClock } from "../../system/clock.ts";
import type { Store } from "../store.ts";
import { openSqliteStore } from "./open.ts";

test("[SO22] a directory that cannot be written is reported", async () => {
  const file = freshFile("pawl.db");
  await asNobody(dirname(file), async () => {
    chmodSync(dirname(file), 0o500);
    await expectTrouble(() => openSqliteStore(file, systemClock), "STORE_UNUSABLE", "writable|yours");
    await expectTrouble(
      () => openSqliteStore(join(file, "deeper", "pawl.db"), systemClock),
      "STORE_UNUSABLE",
      "writable",
    );
    chmodSync(dirname(file), 0o700);
    const store = await opened(file);
    await new Transitions(store).start(chainOf(1));
  });
});

test("[SO22] a file in place of the directory is reported", async () => {
  const file = freshFile("not-a-directory");
  writeFileSync(file, "");
  await expectTrouble(() => openSqliteStore(join(file, "pawl.db"), systemClock), "STORE_UNUSABLE", "--store");
});

test("[SO22] a directory in place of the file is reported", async () => {
  const file = freshFile("pawl.db");
  mkdirSync(file);
  await expectTrouble(() => openSqliteStore(file, systemClock), "STORE_UNUSABLE", "--store");
});

test("[SO22] a read-only file is reported, and can still be read", async () => {
  const file = freshFile("pawl.db");
  await asNobody(dirname(file), async () => {
    const first = await openSqliteStore(file, systemClock);
    const run = await new Transitions(first).start(chainOf(1));
    await first.close();
    chmodSync(file, 0o400);
    const store = await opened(file);
    expect(await store.runById(run)).not.toBeNull();
    await expectTrouble(() => new Transitions(store).start(chainOf(1)), "STORE_UNUSABLE", "writable");
    expect((await store.wholeRun(run))?.header.id).toBe(run);
    await expectRowsToEqualLogs(store);
  });
});

test("[SO22] a file that is not a database is reported and left unchanged", async () => {
  const file = freshFile("notes.txt");
  const notes = "Dear diary, ".repeat(1000);
  writeFileSync(file, notes);
  await expectTrouble(() => openSqliteStore(file, systemClock), "STORE_UNUSABLE", "another store");
  expect(readFileSync(file, "utf8")).toBe(notes);
});

test("[SO22] a database of another program is reported and left unchanged", async () => {
  const file = freshFile("other.db");
  const other = new DatabaseSync(file);
  other.exec("create table migrations (version integer); insert into migrations values (1)");
  other.close();
  const before = readFileSync(file);
  await expectTrouble(() => openSqliteStore(file, systemClock), "STORE_UNUSABLE", "another store");
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("[SO22] a damaged header is reported", async () => {
  const file = await storeOnDisk();
  overwrite(file, 0, 100);
  await expectTrouble(() => openSqliteStore(file, systemClock), "STORE_UNUSABLE", "backup");
});

test("[SO22] a damaged page is reported by the query that reads it, and the process continues", async () => {
  const file = await storeOnDisk();
  overwrite(file, 4096, statSync(file).size - 4096);
  const look = async () => {
    const store = await opened(file);
    await store.listRuns({ statuses: null, limit: 10 });
    await new Transitions(store).start(chainOf(1));
  };
  await expectTrouble(look, "STORE_UNUSABLE", "backup");
  const healthy = await opened(freshFile("pawl.db"));
  await new Transitions(healthy).start(chainOf(1));
});

test("[SO22] a row with broken JSON, or with JSON of another shape, is reported by its name, and other runs can be used", async () => {
  const whole = (store: Store, run: RunId) => store.wholeRun(run);
  const damages: readonly [column: string, table: string, look: (store: Store, run: RunId) => Promise<unknown>][] = [
    ["header", "runs where id = :run", whole],
    ["body", "attempts where run_id = :run", whole],
    ["body", "events where run_id = :run", (store, run) => store.events(run, 0, 10)],
    ["body", "definitions", whole],
  ];
  const sound = freshFile("pawl.db");
  const first = await openSqliteStore(sound, systemClock);
  const run = await new Transitions(first).start(chainOf(1));
  await new Transitions(first).perform(run, "step-1");
  const other = await new Transitions(first).start(chainOf(2));
  await first.close();
  for (const [column, rows, look] of damages) {
    for (const text of ["{broken", "null", "7", ...(rows.startsWith("events") ? [] : ["{}"])]) {
      const file = freshFile("pawl.db");
      copyFileSync(sound, file);
      damage(file, column, rows, run, text);
      const store = await opened(file);
      await expectTrouble(() => look(store, run), "STORE_UNUSABLE", "backup");
      if (rows !== "definitions") await new Transitions(store).perform(other, "step-1");
      expect(await store.listRuns({ statuses: null, limit: 10 })).toHaveLength(2);
    }
  }
});

test("[SO22] a damaged effect is known by its run and by the check of the store, and those of other runs are due", async () => {
  const file = freshFile("pawl.db");
  const store = await opened(file);
  const runs = new Transitions(store);
  const [run, other] = [await runs.start(chainOf(1)), await runs.start(chainOf(1))];
  for (const each of [run, other]) await runs.perform(each, "step-1");
  damage(file, "effect", "outbox where run_id = :run", run, "{broken");
  const due = await store.dueEffects(Number.MAX_SAFE_INTEGER, 100);
  const why = expect.stringMatching(/damaged row of the store: effect \d+ cannot be read/);
  expect(due.filter(({ effect }) => effect.run === run).map(({ effect }) => effect)).toContainEqual({
    type: "unreadable",
    run,
    why,
  });
  expect(due.filter(({ effect }) => effect.run === other).map(({ effect }) => effect.type)).toContain("close_run");
  expect((await store.check(() => undefined)).problems).toMatchObject([
    { run: { id: run }, what: expect.stringMatching(/^effect \d+ cannot be read$/) },
  ]);
});

test("[SO22] a lock that is never released is reported after a minute", async () => {
  const file = await storeOnDisk();
  const holder = new DatabaseSync(file);
  onTestFinished(() => holder.close());
  // Sleeping takes no real time.
  let now = 0;
  const clock: Clock = { now: () => now, steady: () => now, sleep: async (ms) => void (now += ms) };
  const store = await openSqliteStore(file, clock);
  onTestFinished(() => store.close());
  holder.exec("begin immediate");
  await expectTrouble(() => new Transitions(store).start(chainOf(1)), "STORE_UNUSABLE", "process that holds it");
  expect(now).toBeGreaterThan(60_000);
  holder.exec("rollback");
  await new Transitions(store).start(chainOf(1));
});

test("[SO23] a store that cannot grow is reported; nothing is lost, and work continues once there is space", async () => {
  // The limit belongs to the connection, so it must be set on the store's own.
  const executed = vi.spyOn(DatabaseSync.prototype, "exec");
  const store = await opened(freshFile("pawl.db"));
  const [connection] = executed.mock.contexts;
  executed.mockRestore();
  const pages = async (limit: number) => (connection as DatabaseSync).exec(`pragma max_page_count = ${limit}`);
  await fillUp(
    store,
    () => pages(1),
    () => pages(1_000_000),
  );
});

test("[SO23] a full disk is reported; nothing is lost, and work continues once there is space", async ({ skip }) => {
  const disk = freshFile("disk");
  mkdirSync(disk);
  try {
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=1m", "pawl-test", disk], { stdio: "ignore" });
  } catch {
    return skip("a small disk cannot be mounted here without root");
  }
  onTestFinished(() => void execFileSync("/bin/umount", ["-l", disk]));
  const ballast = join(disk, "ballast");
  const store = await opened(join(disk, "pawl.db"));
  const fill = () => {
    const handle = openSync(ballast, "w");
    try {
      for (;;) writeSync(handle, Buffer.alloc(4096));
    } catch {
      closeSync(handle);
    }
  };
  await fillUp(
    store,
    async () => fill(),
    async () => rmSync(ballast),
  );
});

/** Works until the store is full, checks what was committed, frees space and continues. */
async function fillUp(store: Store, full: () => Promise<unknown>, room: () => Promise<unknown>): Promise<void> {
  const runs = new Transitions(store);
  const started: string[] = [await runs.start(chainOf(3))];
  await full();
  const work = async () => {
    for (let index = 0; index < 200; index += 1)
      started.push(await runs.start(chainOf(3), { task: "x".repeat(20_000) }));
  };
  await expectTrouble(work, "STORE_FULL", "disk space");
  const listed = await store.listRuns({ statuses: null, limit: 1000 });
  expect(listed.map((run) => run.id).toReversed()).toStrictEqual(started);
  await expectRowsToEqualLogs(store);
  await room();
  for (let index = 0; index < 3; index += 1) await runs.perform(await runs.start(chainOf(1)), "step-1");
  expect(await expectRowsToEqualLogs(store)).toBe(started.length + 3);
}

async function expectTrouble(work: () => Promise<unknown>, code: ErrorCode, hint: string): Promise<void> {
  const error = await work().then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw new Error("no error, or one that is not an AppError", { cause: error });
  expect(error).toMatchObject({ code, hint: expect.stringMatching(hint) });
}

/** Root ignores permissions, so a test of them switches to another user for a while. */
async function asNobody(directory: string, work: () => Promise<void>): Promise<void> {
  const nobody = 65_534;
  if (process.getuid?.() !== 0) return await work();
  chownSync(directory, nobody, nobody);
  process.seteuid?.(nobody);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

async function storeOnDisk(): Promise<string> {
  const file = freshFile("pawl.db");
  const store = await openSqliteStore(file, systemClock);
  for (let index = 0; index < 5; index += 1) await new Transitions(store).start(chainOf(2));
  await store.close();
  return file;
}

function damage(file: string, column: string, rows: string, run: RunId, text: string): void {
  const database = new DatabaseSync(file);
  const [table = "", where] = rows.split(" where ");
  const values = { text, ...(where === undefined ? {} : { run }) };
  const condition = where === undefined ? "" : ` where ${where}`;
  const changed = database.prepare(`update ${table} set ${column} = :text${condition}`).run(values).changes;
  database.close();
  expect(changed).toBeGreaterThan(0);
}

function overwrite(file: string, from: number, length: number): void {
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.alloc(length, 0x5a), 0, length, from);
  closeSync(handle);
}

async function opened(file: string): Promise<Store> {
  const store = await openSqliteStore(file, systemClock);
  onTestFinished(() => store.close());
  return store;
}
