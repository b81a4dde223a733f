// Moving a store to another file and checking one, by the command line. Servers are in store-copy.postgres.test.ts.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { queryFile } from "../support/database.ts";
import { expectCode, newSite, pawl, type Site, type StatusDocument, writeAt } from "../support/pawl.ts";
import { linesOf, slowWork, startService } from "../support/service.ts";
import { until } from "../support/until.ts";

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
const another = (site: Site, name = "copy.db") => `sqlite:${site.path(name)}`;
const rowsIn = (address: string, table: string) =>
  queryFile(address.replace("sqlite:", ""), `select * from ${table} order by 1, 2`);

async function held(site: Site): Promise<void> {
  const call = ["run", writeAt(site, "asking.yml", asking), "Do it", "--executor", "command: echo STATUS: done"];
  expectCode(await site.pawl(...call), 3);
}

test("[SO85 SO88 SO86] a run that waits at a gate is answered and ends in the copy, and its store stays as it was", async () => {
  const site = newSite();
  await held(site);
  const before = rowsIn(home(site), "events");
  const copy = await site.pawl("store", "copy", home(site), another(site));
  expectCode(copy, 0);
  expect(copy.stdout).toBe(`${another(site)}\n`);
  expect(copy.stderr).toContain("Copied 1 run (1 open)");
  expect(copy.stderr).toContain(`export PAWL_STORE='${another(site)}'`);
  const options = { home: site.home, cwd: site.repo, env: { PAWL_STORE: another(site) } };
  expectCode(await pawl(["approve", "1"], options), 0);
  expectCode(await pawl(["resume", "1"], options), 0);
  const checked = await pawl(["store", "check"], options);
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining(`${another(site)}: 1 run, `) });
  expect((await site.status()).run.status).toBe("held");
  expect(rowsIn(home(site), "events")).toEqual(before);
  const back = { ...options, env: { PAWL_STORE: another(site, "back.db") } };
  const there = await pawl(["store", "copy", another(site), another(site, "back.db"), "--json"], back);
  expectCode(there, 0);
  expect(JSON.parse(there.stdout)).toMatchObject({ runs: 1, open: 0, use: null });
});

test("[SO83 SO85] a store that is driven is refused; when its driver was killed, the run ends in the copy", async () => {
  const site = newSite();
  writeFileSync(site.path("hold"), "");
  const driver = site.start("run", ...slowWork(site));
  await until(() => linesOf(site, "begun").length === 1);
  const refused = await site.pawl("store", "copy", home(site), another(site));
  expectCode(refused, 6);
  expect(refused.stderr).toContain(`process ${driver.child.pid} works on a run of it`);
  expect(existsSync(site.path("copy.db"))).toBe(false);
  driver.child.kill("SIGKILL");
  await driver.ended;
  expectCode(await site.pawl("store", "copy", home(site), another(site)), 0);
  expect(rowsIn(another(site), "leases")).toHaveLength(1);
  rmSync(site.path("hold"));
  const options = { home: site.home, cwd: site.repo, env: { PAWL_STORE: another(site) } };
  const resumed = await pawl(["resume", "1", "--json"], options);
  expectCode(resumed, 0);
  const { run, steps } = JSON.parse(resumed.stdout) as StatusDocument;
  expect(run.status).toBe("done");
  expect(steps.map(({ id, attempts }) => `${id}:${attempts}`)).toEqual(["first:2", "second:1"]);
});

test("[SO83] a service on either store is refused, until it is stopped", async () => {
  const site = newSite();
  await held(site);
  const service = await startService(site);
  for (const call of [
    [home(site), another(site)],
    [another(site, "other.db"), home(site)],
  ]) {
    const refused = await site.pawl("store", "copy", ...call);
    expectCode(refused, 6);
    expect(refused.stderr).toContain(`the service (process ${service.pid}) works on ${home(site)}`);
    expect(refused.stderr).toContain("pawl down");
  }
  // From another home, the service of the home in which the file is.
  const stranger = await newSite().pawl("store", "copy", home(site), another(site));
  expect(stranger).toMatchObject({ code: 6, stderr: expect.stringContaining("pawl down") });
  expectCode(await site.pawl("down"), 0);
  expectCode(await site.pawl("store", "copy", home(site), another(site)), 0);
});

test("[SO83] a store that has runs is refused, and keeps them", async () => {
  const site = newSite();
  await held(site);
  expectCode(await site.pawl("store", "copy", home(site), another(site)), 0);
  const again = await site.pawl("store", "copy", home(site), another(site));
  expectCode(again, 6);
  expect(again.stderr).toContain(`${another(site)} is not empty: it has 1 run`);
  expect(rowsIn(another(site), "events")).toEqual(rowsIn(home(site), "events"));
});

test("[SO84 SO86] a damaged event is named by copy and check, and no copy is left", async () => {
  const site = newSite();
  await held(site);
  const { id } = (await site.status()).run;
  queryFile(join(site.home, "pawl.db"), "update events set body = '{' where seq = 4");
  const checked = await site.pawl("store", "check", home(site));
  expectCode(checked, 1);
  expect(checked.stdout).toContain(`run #1 (${id}): event 4: event 4 of run ${id} cannot be read`);
  const document = await site.json<{ ok: boolean; problems: readonly object[] }>(["store", "check"], 1);
  expect(document).toMatchObject({ ok: false, problems: [{ run: { number: 1 }, field: "event 4" }] });
  const refused = await site.json<{ error: object }>(["store", "copy", home(site), another(site)], 1);
  expect(refused.error).toMatchObject({
    code: "STORE_DAMAGED",
    details: [expect.stringContaining(`run #1 (${id}): event 4`)],
    hint: expect.stringContaining(`${another(site)} is an empty store`),
  });
  expect(rowsIn(another(site), "runs")).toEqual([]);
});

test("[SO87 SO82] wrong addresses are refused, and nothing is made", async () => {
  const site = newSite();
  await held(site);
  const cases: readonly (readonly [code: number, words: string, from: string, to: string])[] = [
    [2, "is not the address of a store", "pawl.db", another(site)],
    [2, "is not the address of a store", home(site), "mysql://ada:secret@db/pawl"],
    [2, "name the same store", home(site), `sqlite:${join(site.repo, "..", "home", "pawl.db")}`],
    [2, "has a password in it", home(site), "postgres://ada:secret@127.0.0.1:1/pawl"],
    [4, "there is no store", another(site, "nowhere.db"), another(site)],
    [4, "cannot be reached", home(site), "postgres://ada@127.0.0.1:1/pawl"],
    [4, "damaged or not a Pawl store", `sqlite:${writeAt(site, "words.txt", "words".repeat(1000))}`, another(site)],
  ];
  for (const [code, words, from, to] of cases) {
    const called = await site.pawl("store", "copy", from, to);
    expect({ from, to, ...called }).toMatchObject({ code, stderr: expect.stringContaining(words) });
    expect(called.stderr).not.toContain("secret");
  }
  expect(["nowhere.db", "copy.db"].map((name) => existsSync(site.path(name)))).toEqual([false, false]);
  expect(await site.pawl("store", "check", another(site, "nowhere.db"))).toMatchObject({ code: 4 });
  expect(existsSync(site.path("nowhere.db"))).toBe(false);
  expectCode(await site.pawl("store", "copy", home(site), another(site), "--store", another(site)), 2);
});

test("[SO87] the store of an older Pawl is migrated and copied, that of a newer one refused", async () => {
  const site = newSite();
  const old = new DatabaseSync(site.path("old.db"));
  old.exec(readFileSync(join(import.meta.dirname, "../../src/store/migrations/old/schema-2.sql"), "utf8"));
  old.close();
  const copy = await site.pawl("store", "copy", another(site, "old.db"), another(site));
  expectCode(copy, 0);
  expect(rowsIn(another(site), "runs")).toHaveLength(2);
  queryFile(site.path("copy.db"), "insert into migrations select 999, 'later', 1");
  const refused = await site.pawl("store", "copy", another(site), another(site, "newer.db"));
  const words = `error[STORE_NEWER]: the store ${site.path("copy.db")} has schema`;
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining(words) });
  expect(existsSync(site.path("newer.db"))).toBe(false);
});
