// A home whose store is on a PostgreSQL server, by the command line.

import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Called, expectCode, newSite, pawl, type StatusDocument, startPawl } from "../support/pawl.ts";
import { onPostgres, postgresAddress } from "../support/postgres.ts";
import { featureScript, implementing, story, writeScript } from "../support/scripts.ts";
import { until } from "../support/until.ts";

onPostgres();

test("[SO68 SO67] a run is started, killed and resumed on PostgreSQL, and its password is nowhere", async () => {
  const site = newSite();
  const address = postgresAddress("pawl");
  const options = { home: site.home, cwd: site.repo, env: { PAWL_STORE: address, PAWL_LOG: "json" } };
  const slow = { ...implementing(), attempt: 1, run: ["env > ../../agents-env; touch ../../half-done; sleep 600"] };
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
  const files = globSync("**", { cwd: site.home }).filter((file) => statSync(join(site.home, file)).isFile());
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => readFileSync(join(site.home, file), "utf8").includes(password))).toEqual([]);
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
