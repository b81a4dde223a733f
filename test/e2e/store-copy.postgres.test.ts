// Moving a store from a file to a server and back, by the command line.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { withoutPassword } from "../../src/system/store-address.ts";
import { queryFile } from "../support/database.ts";
import { expectCode, newSite, pawl, type Site, startPawl, writeAt } from "../support/pawl.ts";
import { onPostgres, postgresAddress, queryAt } from "../support/postgres.ts";
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
  const { hostname, port, pathname, username } = new URL(address);
  const passfile = site.path("pgpass");
  writeFileSync(passfile, `${hostname}:${port}:${pathname.slice(1)}:${username}:${password}\n`, { mode: 0o600 });
  const back = ["store", "copy", label, `sqlite:${site.path("back.db")}`];
  const called = await pawl(back, { home: site.home, env: { PGPASSFILE: passfile } });
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

test("[SO87 SO82] a server that cannot be used and a schema without a store are refused, and nothing is made", async () => {
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
  const missing = await call(address, to, address);
  expect(missing).toMatchObject({ code: 4, stderr: expect.stringContaining("there is no store") });
  const schema = new URL(address).searchParams.get("schema");
  const found = await queryAt(address, (db) => sql`select from pg_namespace where nspname = ${schema}`.execute(db));
  expect(found.rows).toEqual([]);
  expect(existsSync(site.path("copy.db"))).toBe(false);
});
