// Moving a store from a file to a server and back, by the command line.

import { randomBytes } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { queueSchema } from "../../src/dispatch/pg-boss/queues.ts";
import { withoutPassword } from "../../src/system/store-address.ts";
import { queryFile } from "../support/database.ts";
import { expectCode, newSite, pawl, type Site, type StatusDocument, startPawl, writeAt } from "../support/pawl.ts";
import { onPostgres, postgresAddress, queryAt } from "../support/postgres.ts";
import { linesOf, slowWork } from "../support/service.ts";
import { until } from "../support/until.ts";

onPostgres();

const asking = `
pawl: 1
id: asking
agents: { worker: {} }
steps:
  - { id: work, agent: worker }
  - { id: review, gate: "Is it good?", options: { approve: next, reject: fail } }
  - { id: ship, agent: worker }
`;

const home = (site: Site) => `sqlite:${join(site.home, "pawl.db")}`;

async function held(site: Site): Promise<void> {
  const call = ["run", writeAt(site, "asking.yml", asking), "Do it", "--executor", "command: echo STATUS: done"];
  expectCode(await site.pawl(...call), 3);
}

function passfileFor(site: Site, address: string): string {
  const { hostname, port, pathname, username, password } = new URL(address);
  const file = site.path("pgpass");
  writeFileSync(file, `${hostname}:${port}:${pathname.slice(1)}:${username}:${password}\n`, { mode: 0o600 });
  return file;
}

test("[SO85 SO87 SO88 SO81] a run moves to a server, continues there and comes back, and its password is nowhere", async () => {
  const site = newSite();
  await held(site);
  const address = postgresAddress();
  const [label, { password }] = [withoutPassword(address), new URL(address)];
  const server = { home: site.home, cwd: site.repo, env: { PAWL_STORE: address } };
  const there = await pawl(["store", "copy", home(site), label, "--json"], server);
  expectCode(there, 0);
  expect(JSON.parse(there.stdout)).toMatchObject({ from: home(site), to: label, runs: 1, open: 1, use: null });
  expectCode(await pawl(["approve", "1"], server), 0);
  expectCode(await pawl(["resume", "1"], server), 0);
  expect(await pawl(["store", "check"], server)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/: 1 run, \d+ events. Every run is what its events say.\n$/),
  });

  // Without the variable: the password is in the file.
  const back = ["store", "copy", label, `sqlite:${site.path("back.db")}`];
  const called = await pawl(back, { home: site.home, env: { PGPASSFILE: passfileFor(site, address) } });
  expectCode(called, 0);
  expect(called.stderr).toContain(`export PAWL_STORE='sqlite:${site.path("back.db")}'`);
  expect((await site.pawl("status", "1", "--store", `sqlite:${site.path("back.db")}`)).stdout).toMatch(/^done, /m);
  for (const { stdout, stderr } of [there, called]) expect(`${stdout}${stderr}`).not.toContain(password);
  const stranger = await pawl(["store", "check", label], { home: newSite().home, env: { PAWL_STORE: address } });
  expect(stranger).toMatchObject({ code: 4, stderr: expect.stringContaining("belongs to another home") });
});

test("[SO82] a copy to a server that is killed in the middle leaves an empty store, and the next copy has everything", async () => {
  const site = newSite();
  await held(site);
  queryFile(join(site.home, "pawl.db"), "insert into holds values ('claude', 'quota', 1, 2, 1, 'why')");
  const address = postgresAddress();
  const server = { home: site.home, env: { PAWL_STORE: address } };
  expectCode(await pawl(["runs"], server), 0);
  const copy = ["store", "copy", home(site), withoutPassword(address)];
  await queryAt(address, async (db) => {
    // The rows of holds come after those of runs and events, and wait for this lock.
    await sql`create function wait() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(4711); return new; end $$`.execute(db);
    await sql`create trigger wait before insert on holds for each row execute function wait()`.execute(db);
    await sql`select pg_advisory_lock(4711)`.execute(db);
    const copying = startPawl(copy, server);
    await until(
      async () => (await sql`select from pg_locks where objid = 4711 and not granted`.execute(db)).rows.length,
    );
    copying.child.kill("SIGKILL");
    expect((await copying.ended).code).toBeNull();
    await sql`select pg_advisory_unlock(4711)`.execute(db);
    // The server notices the end of the process at its next word to it.
    await until(async () => (await sql`select from pg_locks where objid = 4711`.execute(db)).rows.length === 0);
    expect(await db.selectFrom("runs").select("id").execute()).toEqual([]);
  });
  expectCode(await pawl(copy, server), 0);
  expectCode(await pawl(["store", "check"], server), 0);
  const again = await pawl(copy, server);
  expect(again).toMatchObject({ code: 6, stderr: expect.stringContaining("is not empty: it has 1 run") });
});

test("[SO82] a copy from a server that is killed in the middle leaves an empty file, and the next copy has everything", async () => {
  const site = newSite();
  await held(site);
  const address = postgresAddress();
  const server = { home: site.home, env: { PAWL_STORE: address } };
  expectCode(await pawl(["store", "copy", home(site), withoutPassword(address)], server), 0);
  const file = site.path("back.db");
  const copy = ["store", "copy", withoutPassword(address), `sqlite:${file}`];
  await queryAt(address, async (db) => {
    // Those of holds are read after the others were written.
    await db.transaction().execute(async (trx) => {
      await sql`lock table holds in access exclusive mode`.execute(trx);
      const copying = startPawl(copy, server);
      const waiting = sql`select from pg_locks where relation = 'holds'::regclass and not granted`;
      await until(async () => (await waiting.execute(trx)).rows.length);
      copying.child.kill("SIGKILL");
      expect((await copying.ended).code).toBeNull();
    });
  });
  expect(queryFile(file, "select id from runs")).toEqual([]);
  expectCode(await pawl(copy, server), 0);
  expect(queryFile(file, "select * from events order by seq")).toEqual(
    queryFile(join(site.home, "pawl.db"), "select * from events order by seq"),
  );
});

test("[SO87 SO82 SO64] a server that cannot be used and a schema without a store are refused, and nothing is made", async () => {
  const site = newSite();
  await held(site);
  const address = postgresAddress();
  const { pathname } = new URL(address);
  const to = `sqlite:${site.path("copy.db")}`;
  const call = async (from: string, target: string, store: string) =>
    await pawl(["store", "copy", withoutPassword(from), withoutPassword(target)], {
      home: site.home,
      env: { PAWL_STORE: store },
    });
  const nowhere = address.replace(pathname, "/no_such_database");
  expect(await call(home(site), nowhere, nowhere)).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/no such database/),
  });
  // The server waits for a password for a minute, and the process does not wait with it.
  const began = performance.now();
  const without = await pawl(["store", "check", withoutPassword(address)], {
    home: site.home,
    env: { PGPASSFILE: "/dev/null" },
  });
  expect(without).toMatchObject({ code: 4, stderr: expect.stringContaining("wants a password") });
  expect(performance.now() - began).toBeLessThan(30_000);
  const missing = await call(address, to, address);
  expect(missing).toMatchObject({ code: 4, stderr: expect.stringContaining("there is no store") });
  const schema = new URL(address).searchParams.get("schema");
  const found = await queryAt(address, (db) => sql`select from pg_namespace where nspname = ${schema}`.execute(db));
  expect(found.rows).toEqual([]);
  expect(existsSync(site.path("copy.db"))).toBe(false);
});

const twice = `
pawl: 1
id: twice
agents: { worker: {} }
steps:
  - { id: work, agent: worker }
  - { id: review, gate: "Is it good?", options: { approve: next, reject: fail } }
  - { id: ship, agent: worker }
  - { id: again, gate: "Still good?", options: { approve: next, reject: fail } }
  - { id: close, agent: worker }
`;

/** What a run has been, as both kinds of stores have it. */
const history = "select run_id, seq, type, body from events order by run_id, seq";

test("[SO80 SO85 DI23] ready steps have no job in a copy, get one on the server, and their runs end there and in a file again", async () => {
  const site = newSite();
  const agent = `command: sh -c 'cat > /dev/null; echo $PAWL_STEP >> ${site.path("done")}; echo STATUS: done'`;
  expectCode(await site.pawl("run", writeAt(site, "twice.yml", twice), "Do it", "--executor", agent), 3);
  expectCode(await site.pawl("approve", "1"), 0);
  const origin = queryFile(join(site.home, "pawl.db"), history);
  expect(queryFile(join(site.home, "pawl.db"), "select step from ready")).toEqual([{ step: "ship" }]);

  const schema = `s_${randomBytes(6).toString("hex")}`;
  const address = postgresAddress(schema);
  const server = { home: site.home, cwd: site.repo, env: { PAWL_STORE: address } };
  const onServer = async (words: string) =>
    await queryAt(address, async (db) => (await sql.raw<Record<string, unknown>>(words).execute(db)).rows);
  expectCode(await pawl(["store", "copy", home(site), withoutPassword(address)], server), 0);
  expect(await onServer("select step from ready")).toEqual([{ step: "ship" }]);
  expect(await onServer("select step from jobs")).toEqual([]);
  expectCode(await pawl(["worker", "--drain"], server), 0);
  const performed = `select data->>'step' as step, state::text from ${queueSchema(schema)}.job where name like 'home.%'`;
  expect(await onServer(performed)).toEqual([{ step: "ship", state: "completed" }]);

  expectCode(await pawl(["approve", "1"], server), 0);
  expect(await onServer("select step from jobs")).toEqual([{ step: "close" }]);
  const moved = await onServer(history);
  expect(moved.slice(0, origin.length)).toEqual(origin);
  const copies = [`sqlite:${site.path("back.db")}`, postgresAddress()];
  for (const copy of copies) {
    const options = { ...server, env: { PAWL_STORE: copy, PGPASSFILE: passfileFor(site, address) } };
    expectCode(await pawl(["store", "copy", withoutPassword(address), withoutPassword(copy)], options), 0);
    const resumed = await pawl(["resume", "1", "--json"], options);
    expectCode(resumed, 0);
    const { run, steps } = JSON.parse(resumed.stdout) as StatusDocument;
    expect(run.status).toBe("done");
    expect(steps.filter(({ attempts }) => attempts > 0).map(({ id, attempts }) => `${id}:${attempts}`)).toEqual([
      "work:1",
      "ship:1",
      "close:1",
    ]);
    expectCode(await pawl(["store", "check"], options), 0);
  }
  const back = queryFile(site.path("back.db"), history);
  expect(back.slice(0, moved.length)).toEqual(moved);
  expect(await onServer(history)).toEqual(moved);
  expect(linesOf(site, "done")).toEqual(["work", "ship", "close", "close"]);
});

test("[SO83 SO85] a server on which a worker performs an attempt is refused; when it was killed, the run ends in a file", async () => {
  const site = newSite();
  const address = postgresAddress();
  const server = { home: site.home, cwd: site.repo, env: { PAWL_STORE: address } };
  writeFileSync(site.path("hold"), "");
  const worker = startPawl(["worker"], server);
  expectCode(await pawl(["run", ...slowWork(site), "--detach"], server), 0);
  await until(() => linesOf(site, "begun").length === 1);
  const copy = ["store", "copy", withoutPassword(address), `sqlite:${site.path("back.db")}`];
  const refused = await pawl(copy, server);
  expectCode(refused, 6);
  expect(refused.stderr).toMatch(/is in use: process \d+ works on a run of it\nhint: /);
  expect(existsSync(site.path("back.db"))).toBe(false);
  worker.child.kill("SIGKILL");
  await worker.ended;
  expectCode(await pawl(copy, server), 0);
  rmSync(site.path("hold"));
  const file = { ...server, env: { PAWL_STORE: `sqlite:${site.path("back.db")}` } };
  const resumed = await pawl(["resume", "1", "--json"], file);
  expectCode(resumed, 0);
  const { run, steps } = JSON.parse(resumed.stdout) as StatusDocument;
  expect(run.status).toBe("done");
  expect(steps.map(({ id, attempts }) => `${id}:${attempts}`)).toEqual(["first:2", "second:1"]);
});

test("[SO84 SO86 SO87] on a server, the one damaged run of several is named, and a store of a newer Pawl is refused", async () => {
  const site = newSite();
  for (let count = 0; count < 3; count += 1) await held(site);
  const address = postgresAddress();
  const label = withoutPassword(address);
  const server = { home: site.home, env: { PAWL_STORE: address } };
  const back = `sqlite:${site.path("back.db")}`;
  expectCode(await pawl(["store", "copy", home(site), label], server), 0);
  const damage = "update events set body = '{' where seq = 3 and run_id = (select id from runs where number = 2)";
  await queryAt(address, (db) => sql.raw(damage).execute(db));
  const checked = await pawl(["store", "check"], server);
  expectCode(checked, 1);
  expect(checked.stdout).toMatch(
    /: 3 runs, \d+ events\. 1 problem:\n {2}run #2 \(\w+\): event 3: .* cannot be read\n$/,
  );
  const refused = await pawl(["store", "copy", label, back], server);
  expectCode(refused, 1);
  expect(refused.stderr).toMatch(
    /^error\[STORE_DAMAGED\].*\n {2}run #2 \(\w+\): event 3: .*\nhint: nothing was copied/m,
  );
  expect(queryFile(site.path("back.db"), "select id from runs")).toEqual([]);
  await queryAt(address, (db) => sql`insert into migrations select 999, 'later', 1`.execute(db));
  for (const call of [
    ["copy", label, back],
    ["copy", home(site), label],
    ["check", label],
  ]) {
    const newer = await pawl(["store", ...call], server);
    expect(newer).toMatchObject({ code: 4, stderr: expect.stringContaining(`[STORE_NEWER]: the store ${label} has`) });
  }
});
