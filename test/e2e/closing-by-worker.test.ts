// A run that a worker closes, to which nobody listens: what people should know of it is said by the commands that look.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventLines, expectCode, newSite, type Site, startPawl, writeAt } from "../support/pawl.ts";

const workflow = "pawl: 1\nid: small\nagents: { worker: {} }\nsteps: [{ id: work, agent: worker }]\n";
const keptNote = "the hook before_remove failed in";

/** One run, performed and closed by a worker alone. */
async function closedByWorker(site: Site, agent: string, config = ""): Promise<void> {
  mkdirSync(site.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(site.home, "config.yml"), config);
  const file = writeAt(site, "small.yml", workflow);
  const program = writeAt(site, "agent.sh", `${agent}\necho STATUS: done\n`);
  expectCode(await site.pawl("run", file, "Do it", "--executor", `command: sh ${program}`, "--detach"), 0);
  const worker = startPawl(["worker", "--drain", "--json"], { home: site.home, cwd: site.repo });
  expect(await worker.ended).toMatchObject({ code: 0 });
}

test("[RC44] what a closing leaves to people is an event, and status, why and a command that follows say it, whoever closed the run", async () => {
  const site = newSite();
  await closedByWorker(
    site,
    "echo work > work.txt",
    "workspace: { hooks: { before_remove: 'echo no network; exit 1' } }\n",
  );
  const noted = expect.stringMatching(new RegExp(`^${keptNote} .*no network`, "s"));
  expect(await site.json(["status", "1"])).toMatchObject({ run: { status: "done" }, unfinished: [], closing: [noted] });
  expect(await site.json(["why", "1"])).toMatchObject({ closing: [noted] });
  for (const command of ["status", "why"]) expect((await site.pawl(command, "1")).stdout).toContain(`! ${keptNote}`);
  const events = eventLines((await site.pawl("events", "1", "--json")).stdout);
  expect(events.filter(({ type }) => type === "closing_noted")).toMatchObject([{ notes: [noted] }]);
  expect((await site.pawl("resume", "1")).stderr).toContain(`note: ${keptNote}`);
});

test("[RC41] a closing by a worker that fails is said by status, why and the doctor", async () => {
  const site = newSite();
  await closedByWorker(site, "git worktree add -q --detach inner");
  const why = "has 1 uncommitted file";
  const told = async () => await site.json<{ unfinished: readonly string[] }>(["why", "1"]);
  expect((await told()).unfinished).toEqual([expect.stringContaining(why)]);
  expect((await site.pawl("status", "1")).stdout).toContain("! run #1 is over, but could not be closed: ");
  expect((await site.pawl("why", "1")).stdout).toContain("! run #1 is over, but could not be closed: ");
  expect((await site.pawl("doctor")).stdout).toMatch(/run #1 .*could not be closed/);
});
