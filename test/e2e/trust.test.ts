// Commands of a repository's own configuration: they run only after the user has agreed to them.

import { existsSync, mkdirSync } from "node:fs";
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

  // The user's own configuration, and what `init` wrote.
  writeAt(site, "repo/.pawl/config.yml", "{}\n");
  writeAt(site, "home/config.yml", "project: { test: 'true' }\n");
  expectCode(await run(), 0);
  writeAt(site, "repo/package.json", '{ "scripts": { "test": "true" } }');
  expectCode(await call("init", "--force"), 0);
  expect(JSON.parse((await call("trust", "--print", "--json")).stdout)).toMatchObject({ trusted: true });
});
