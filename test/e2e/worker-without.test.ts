// Workers of machines on which something is missing.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { expectCode, newSite, pawl, startPawl, writeAt } from "../support/pawl.ts";

test("[WK68] a worker of the host without the program of an executor: its run fails as its workflow says, and names the program", async () => {
  const site = newSite();
  for (const dir of [site.home, site.path("bin")]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(writeAt(site, "bin/special-agent", "#!/bin/sh\necho STATUS: done\n"), 0o755);
  writeFileSync(site.path("home", "config.yml"), "executors: { mine: { command: [special-agent] } }\n");
  const step = "{ id: work, agent: worker, on_error: { again, at_most: 1 } }";
  const file = writeAt(site, "small.yml", `pawl: 1\nid: small\nagents: { worker: {} }\nsteps: [${step}]\n`);
  const where = { home: site.home, cwd: site.repo };
  const env = { PATH: `${site.path("bin")}:${process.env["PATH"]}` };
  expectCode(await pawl(["run", file, "Do it", "--executor", "mine", "--detach"], { ...where, env }), 0);
  const worker = await startPawl(["worker", "--drain"], where).ended;
  expectCode(worker, 0);
  expect(worker.stderr).toContain("`special-agent` is not installed or not on PATH");
  const why = await site.pawl("why", "1");
  expect(why.stdout).toMatch(/failed after|still failing after 1 retry: .*special-agent.* not on PATH.*`pawl retry 1`/);
});
