// A home whose store is on a PostgreSQL server, by the command line.

import { chmodSync, existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Called, expectCode, newSite, pawl, type StatusDocument, startPawl, writeAt } from "../support/pawl.ts";
import { onPostgres, postgresAddress } from "../support/postgres.ts";
import { featureScript, implementing, story, writeScript } from "../support/scripts.ts";
import { until } from "../support/until.ts";

onPostgres();

/** What the agent of an attempt sees: its environment, and the command lines of all processes. */
const look = "env > ../../agents-env; ps -Aww -o args > ../../command-lines";

test("[SO68 SO67] a run is started, killed and resumed on PostgreSQL, and its password is nowhere", async () => {
  const site = newSite();
  const address = postgresAddress("pawl");
  const options = { home: site.home, cwd: site.repo, env: { PAWL_STORE: address, PAWL_LOG: "json" } };
  const slow = { ...implementing(), attempt: 1, run: [look, "touch ../../half-done; sleep 600"] };
  const script = writeScript(site, featureScript([story("US-001")], { implement: [slow, implementing()] }));
  const driver = startPawl(["run", "feature-dev", "One thing", "--script", script], options);
  await until(() => existsSync(join(site.home, "half-done")));
  driver.child.kill("SIGKILL");
  const said: Called[] = [await driver.ended];
  const resumed = await pawl(["resume", "1", "--json"], options);
  said.push(resumed);
  expectCode(resumed, 0);
  const status = JSON.parse(resumed.stdout) as StatusDocument;
  expect(status.run.status).toBe("done");
  expect(status.stories.map(({ id, attempts }) => `${id}:${attempts}`)).toEqual(["US-001:2"]);
  expect(existsSync(join(site.home, "pawl.db"))).toBe(false);

  const { password } = new URL(address);
  for (const { stdout, stderr } of said) expect(`${stdout}${stderr}`).not.toContain(password);
  expect(readFileSync(join(site.home, "agents-env"), "utf8")).not.toMatch(/PAWL_STORE|postgres:/);
  // With its own, that of the driver among them.
  expect(readFileSync(join(site.home, "command-lines"), "utf8")).toContain("feature-dev");
  const files = globSync("**", { cwd: site.home }).filter((file) => statSync(join(site.home, file)).isFile());
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => readFileSync(join(site.home, file), "utf8").includes(password))).toEqual([]);
});

test("[SO67 WK55] with the password in the file of PGPASSFILE, commands and a worker use the store, and an agent has neither", async () => {
  const site = newSite();
  const address = new URL(postgresAddress("pawl_by_file"));
  const { hostname, port, username, password } = address;
  const file = writeAt(site, "passwords", `${hostname}:${port}:*:${username}:${password}\n`);
  chmodSync(file, 0o600);
  address.password = "";
  const options = { home: site.home, cwd: site.repo, env: { PAWL_STORE: address.href, PGPASSFILE: file } };
  const acts = { plan: [{ run: [look], say: "STATUS: failed\nREASON: that was all" }] };
  const run = ["run", "feature-dev", "One thing", "--script", writeScript(site, acts), "--detach"];
  const said = [await pawl(run, options), await startPawl(["worker", "--drain"], options).ended];
  for (const called of said) expectCode(called, 0);
  const seen = ["agents-env", "command-lines"].map((name) => readFileSync(join(site.home, name), "utf8"));
  expect(seen[0]).not.toMatch(/PAWL_STORE|PGPASS|postgres:/);
  expect(seen[1]).toContain("worker --drain");
  for (const text of [...seen, ...said.flatMap(({ stdout, stderr }) => [stdout, stderr])])
    expect(text).not.toContain(password);
});

test("[SO65 SO67] another home, a password on the command line, and an unknown kind of store are refused", async () => {
  const [site, other] = [newSite(), newSite()];
  const address = postgresAddress("taken");
  const { password } = new URL(address);
  expectCode(await pawl(["runs"], { home: site.home, env: { PAWL_STORE: address } }), 0);
  const refused = await pawl(["runs"], { home: other.home, env: { PAWL_STORE: address } });
  expectCode(refused, 4);
  expect(refused.stderr).toContain(`belongs to another home: ${site.home}`);
  const visible = await pawl(["runs", "--store", address], { home: site.home });
  expectCode(visible, 2);
  expect(visible.stderr).toContain("PGPASSFILE");
  const unknown = await pawl(["runs"], {
    home: site.home,
    env: { PAWL_STORE: address.replace("postgres:", "mysql:") },
  });
  expectCode(unknown, 2);
  expect(unknown.stderr).toContain('"mysql://…" is not a store this version knows');
  for (const { stderr } of [refused, visible, unknown]) expect(stderr).not.toContain(password);
});

test("[SO120] an address that is empty or names no user is named as such", async () => {
  const { home } = newSite();
  const empty = await pawl(["runs"], { home, env: { PAWL_STORE: "" } });
  expectCode(empty, 2);
  expect(empty.stderr).toContain("the address of the store is empty");
  const address = new URL(postgresAddress("nameless"));
  Object.assign(address, { username: "", password: "" });
  const nameless = await pawl(["runs"], { home, env: { PAWL_STORE: address.href, USER: "" } });
  expectCode(nameless, 4);
  expect(nameless.stderr).toContain("name the user in the address: postgres://USER@HOST/DATABASE");
});
