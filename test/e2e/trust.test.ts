// Commands of a repository's own configuration: they run only after the user has agreed to them.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openPawl } from "../../src/index.ts";
import { expectCode, newSite, pawl, writeAt } from "../support/pawl.ts";

const workflow =
  "pawl: 1\nid: small\nagents: { worker: {} }\nsteps: [{ id: work, agent: worker, checks: [project.test] }]\n";

test("[CM82] nothing of a repository's configuration runs before its user agreed to that text; the user's own runs", async () => {
  const site = newSite();
  const ran = site.path("ran");
  mkdirSync(site.path("repo/.pawl"));
  const file = writeAt(site, "small.yml", workflow);
  const config = (text: string) => writeAt(site, "repo/.pawl/config.yml", `project: { test: '${text}' }\n`);
  config(`touch ${ran}`);
  const call = (...args: readonly string[]) => pawl(args, { home: site.home, cwd: site.repo, distrusts: true });
  const run = (...more: readonly string[]) =>
    call("run", file, "Do it", "--executor", "command: echo STATUS: done", ...more);

  const refused = await run();
  expectCode(refused, 6);
  expect(refused.stderr).toContain(`project.test: touch ${ran}`);
  expect(refused.stderr).toContain("`pawl trust` agrees for this repository and this text");
  expect((await call("runs")).stdout).not.toContain("Do it");
  await expect(
    openPawl({ home: site.home, cwd: site.repo }).then(async (opened) => {
      try {
        await opened.start({ workflow: file, task: "x", repo: site.repo, executor: "command: echo STATUS: done" });
      } finally {
        await opened.close();
      }
    }),
  ).rejects.toMatchObject({ code: "UNTRUSTED" });
  expect(existsSync(ran)).toBe(false);

  // For one run, then for the text.
  expectCode(await run("--trust"), 0);
  expect(existsSync(ran)).toBe(true);
  expectCode(await run(), 6);
  expect(JSON.parse((await call("trust", "--print", "--json")).stdout)).toMatchObject({ trusted: false });
  const agreed = await call("trust");
  expectCode(agreed, 0);
  expect(agreed.stdout).toBe(`project.test: touch ${ran}\n`);
  expectCode(await run(), 0);
  config(`touch ${ran}; true`);
  expectCode(await run(), 6);
  expectCode(await call("trust"), 0);
  expectCode(await call("trust", "--revoke"), 0);
  expectCode(await run(), 6);

  // Programs of its executors are commands, too.
  const program = `executors: { theirs: { command: [touch, '${ran} 2'] } }\n`;
  writeAt(site, "repo/.pawl/config.yml", program);
  const named = await call("run", file, "Do it", "--executor", "theirs");
  expectCode(named, 6);
  expect(named.stderr).toContain(`executors.theirs.command: touch "${ran} 2"`);
  expectCode(await call("executor", "test", "theirs"), 6);
  expect(existsSync(`${ran} 2`)).toBe(false);

  // The user's own configuration, and what `init` wrote.
  writeAt(site, "repo/.pawl/config.yml", "{}\n");
  writeAt(site, "home/config.yml", "project: { test: 'true' }\n");
  expectCode(await run(), 0);
  writeAt(site, "repo/package.json", '{ "scripts": { "test": "true" } }');
  expectCode(await call("init", "--force"), 0);
  expect(JSON.parse((await call("trust", "--print", "--json")).stdout)).toMatchObject({ trusted: true });
});

/** Gives a program a terminal. */
const terminals = "/usr/bin/script";
const hasTerminals = spawnSync(terminals, ["--version"]).status === 0;

test.skipIf(!hasTerminals)("[CM82] on a terminal `run` asks once, and only a yes counts", async () => {
  const site = newSite();
  mkdirSync(site.path("repo/.pawl"));
  writeAt(site, "repo/.pawl/config.yml", `project: { test: 'touch ${site.path("ran")}' }\n`);
  const words = [
    process.execPath,
    join(import.meta.dirname, "../../bin/pawl"),
    "run",
    writeAt(site, "s.yml", workflow),
  ];
  const command = [...words, "x", "--executor", "'command: echo STATUS: done'"].join(" ");
  const answer = (text: string) => {
    const env = { ...process.env, PAWL_HOME: site.home };
    const options = { cwd: site.repo, env, input: text, encoding: "utf8", timeout: 60_000 } as const;
    return spawnSync(terminals, ["-qec", command, "/dev/null"], options);
  };
  const no = answer("\n");
  expect([no.status, no.stdout]).toEqual([6, expect.stringMatching(/project\.test: touch[^]*\[y\/N\]/)]);
  expect(existsSync(site.path("ran"))).toBe(false);
  expect(answer("y\n").status).toBe(0);
  expect(existsSync(site.path("ran"))).toBe(true);
  const again = answer("");
  expect([again.status, again.stdout.includes("[y/N]")]).toEqual([0, false]);
});
