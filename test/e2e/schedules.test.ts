// `pawl schedule` as a person types it. Its documents are in documents.test.ts.

import { expect, test } from "vitest";
import { expectCode, newSite, writeAt } from "../support/pawl.ts";

const workflow = `pawl: 1
id: audit
agents: { worker: {} }
steps: [{ id: look, agent: worker, input: "{{task}}" }]
schedule: { cron: "30 9 * * *", zone: Asia/Tokyo, task: Audit it }
`;

test("[SD6 SD7 SD8] a schedule is added, listed, run, paused and removed, and says what it waits for", async () => {
  const site = newSite();
  expectCode(await site.pawl("workflow", "install", writeAt(site, "audit.yml", workflow)), 0);
  const added = await site.pawl("schedule", "add", "audit", "--executor", "command: cat");
  expectCode(added, 0);
  expect([added.stdout, added.stderr]).toEqual(["audit\n", expect.stringContaining("(09:30 Asia/Tokyo)")]);

  expect(added.stderr).toContain("pawl up --background");

  expectCode(await site.pawl("schedule", "run", "audit"), 0);
  const second = await site.pawl("schedule", "run", "audit");
  expectCode(second, 6);
  expect(second.stderr).toContain("audit: run #1 is not over: it runs");
  const { stdout } = await site.pawl("schedule", "list");
  expect(stdout).toMatch(/^audit +running +.*\(09:30 Asia\/Tokyo\) +run #1 at /m);
  expect(stdout).toContain("audit: run #1 is not over: it runs");

  expect((await site.pawl("schedule", "pause", "audit")).stderr).toContain("pawl schedule resume audit");
  expectCode(await site.pawl("schedule", "remove", "audit"), 0);
  const gone = await site.pawl("schedule", "pause", "audit");
  expectCode(gone, 5);
  expect(gone.stderr).toContain("`pawl schedule list` lists them");
});
