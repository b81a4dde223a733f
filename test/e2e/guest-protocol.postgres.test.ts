// Dynamic Ralph by a guest: what agents leave in files is read where they work, and what shows the run is written where the project is.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startGuest } from "../support/machines.ts";
import { expectCode, pawl, type StatusDocument, startPawl } from "../support/pawl.ts";
import { onPostgres, postgresAddress } from "../support/postgres.ts";
import { type PrdSite, prdSite } from "../support/prd.ts";
import { log, runGit } from "../support/repository.ts";
import { until } from "../support/until.ts";

onPostgres();

/** Skips the steps that the test does not need. */
const skips = ["step-003", "step-004", "step-007", "step-008", "step-009"].map((target_step_id) => ({
  operation: "skip",
  target_step_id,
  reason: "small",
}));

/** A host that drives, integrates and performs nothing, and a guest. */
async function hostAndGuest(site: PrdSite) {
  mkdirSync(site.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(site.home, "config.yml"), "worker: { executors: [] }\n");
  const env = { PAWL_STORE: postgresAddress() };
  const options = { home: site.home, cwd: site.repo, env };
  const call = async (...words: readonly string[]) => await pawl(words, options);
  expectCode(await call("runs"), 0);
  const host = startPawl(["worker"], options);
  onTestFinished(async () => {
    host.child.kill("SIGKILL");
    await host.ended;
  });
  const identity = ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "two"],
    [`GIT_${who}_EMAIL`, "two@example.com"],
  ]);
  const guest = await startGuest(
    { site, env: { ...env, ...Object.fromEntries(identity) }, name: "two" },
    "--slots",
    "2",
  );
  const ended = async () => {
    const status = async () => JSON.parse((await call("status", "1", "--json")).stdout) as StatusDocument;
    await until(async () => (await status()).run.status !== "running");
    return (await status()).run;
  };
  return { call, guest, ended };
}

test("[WK69 WK53 WK56] a guest prepares and collects for a protocol, shared texts travel, and the files of the run are written on the host alone", async () => {
  const site = prdSite([{ id: "US-001" }]);
  const where = `pwd >> '${site.path("where")}'`;
  site.act({
    planning: `${where}; echo "found by planning" >> "$PAWL_SHARED/scratch.md"; edits '${JSON.stringify(skips)}'`,
    coding: `${where}; cp "$PAWL_SHARED/scratch.md" '${site.path("seen")}'; work`,
    "*": where,
  });
  const { call, guest, ended } = await hostAndGuest(site);
  expectCode(await call("prd", "run", site.prd, "--executor", site.executor, "--detach"), 0);
  const run = await ended();
  expect(run.status).toBe("done");
  const places = readFileSync(site.path("where"), "utf8").trim().split("\n");
  expect(places.filter((place) => !place.startsWith(`${guest.home}/worktrees/`))).toEqual([]);
  const skipped = site.story("US-001").steps.filter((step) => step.status === "skipped");
  expect(skipped.map(({ id }) => id)).toEqual(skips.map(({ target_step_id }) => target_step_id));
  expect(log(site.repo, "main")[0]).toContain("US-001");
  expect(JSON.parse(readFileSync(site.prd, "utf8"))).toMatchObject({ userStories: [{ passes: true }] });
  for (const file of [site.path("seen"), site.shared("scratch.md")])
    expect(readFileSync(file, "utf8")).toContain("found by planning");
  expect(existsSync(join(guest.home, "shared", run.id, "workflow_state.json"))).toBe(false);
});

test("[PO7 WK42 WK44] the folder that Pawl chose for a run goes with it, also where a guest has sent the logs for it", async () => {
  const site = prdSite([], { acts: { planning: `edits '${JSON.stringify(skips)}'` } });
  const { call, ended } = await hostAndGuest(site);
  expectCode(await call("agent", "run", "Fix", "it", "--executor", site.executor, "--detach"), 0);
  expect((await ended()).status).toBe("done");
  await until(() => readdirSync(join(site.home, "shared")).length === 0);
  await until(() => runGit(site.repo, "for-each-ref", "refs/pawl").trim() === "");
  expect(readdirSync(join(site.home, "shared"))).toEqual([]);
});
