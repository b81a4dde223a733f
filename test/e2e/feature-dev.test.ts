// The bundled feature-dev workflow, driven to the end by the scripted agent, and the demo that shows it.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type EventDocument, expectCode, newSite, type Site, type StatusDocument, statuses } from "../support/pawl.ts";
import { log, runGit } from "../support/repository.ts";
import { featureScript, implementing, story, writeScript } from "../support/scripts.ts";
import { until } from "../support/until.ts";

/** `US-001/implement` for each step that was performed, in order. */
function pathOf(events: readonly EventDocument[]): string {
  return events
    .filter(({ type }) => type === "attempt_dispatched")
    .map((event) => `${event.story === null ? "" : `${event.story}/`}${String(event["name"])}`)
    .join(" ");
}

const promptOf = (site: Site, run: string, name: string) =>
  readFileSync(join(site.home, "logs", run, `${name}.prompt.md`), "utf8");

test("[A2 A4 A5 A7 A8 A63 A65 CM12 CM13] plan, then implement and verify per story, then test, pr and review, each in its own session", async () => {
  const site = newSite();
  const sessions = { run: ["echo $PPID >> ../../sessions"] };
  const script = writeScript(site, {
    ...featureScript([story("US-001"), story("US-002"), story("US-010", "The third")]),
    implement: [implementing(sessions)],
    verify: [{ ...sessions, say: "STATUS: done\nVERIFIED: yes" }],
  });
  const { run, stories } = await site.json<StatusDocument>(["run", "feature-dev", "Three things", "--script", script]);
  expect(run.status).toBe("done");
  expect(stories.map(({ id }) => id)).toEqual(["US-001", "US-002", "US-010"]);
  expect(pathOf(await site.events())).toBe(
    [
      "plan US-001/implement US-001/verify US-002/implement US-002/verify US-010/implement US-010/verify",
      "test pr review",
    ].join(" "),
  );
  const ids = readFileSync(join(site.home, "sessions"), "utf8").trim().split("\n");
  expect(ids).toHaveLength(6);
  expect(new Set(ids).size).toBe(6);
  expect(log(site.repo, `main..${run.branch}`)).toEqual([
    "feat: US-010 - The third",
    "feat: US-002 - Title of US-002",
    "feat: US-001 - Title of US-001",
  ]);
  expect(promptOf(site, run.id, "run-plan-1")).toContain("Three things");

  const shown = await site.pawl("workflow", "status", "three");
  expect(shown.stdout).toMatch(/3 of 3 stories done/);
  expect(shown.stdout).toMatch(/plan +done[^]*implement +done[^]*test +done[^]*pr +done[^]*review +done/);
  expect((await site.pawl("step", "stories", run.id)).stdout).toBe(
    "US-001 [done] Title of US-001\nUS-002 [done] Title of US-002\nUS-010 [done] The third\n",
  );
});

test("[A6 A9 A43] a rejected story goes back to the developer with the issues, and a review that asks for changes adds a story", async () => {
  const site = newSite();
  const script = writeScript(site, {
    ...featureScript([story("US-001"), story("US-002")]),
    verify: [
      { story: "US-001", attempt: 1, say: "STATUS: retry\nISSUES:\n- no test for zero" },
      { say: "STATUS: done\nVERIFIED: yes" },
    ],
    review: [
      { attempt: 1, say: "STATUS: done\nDECISION: needs_fixes\nREVIEW_ISSUES:\n- rename the file" },
      { say: "STATUS: done\nDECISION: approved" },
    ],
  });
  const { run, stories } = await site.json<StatusDocument>(["run", "feature-dev", "Two things", "--script", script]);
  expect(run.status).toBe("done");
  expect(pathOf(await site.events())).toBe(
    [
      "plan US-001/implement US-001/verify US-001/implement US-001/verify US-002/implement US-002/verify test pr review",
      "FIX-1/implement FIX-1/verify test pr review",
    ].join(" "),
  );
  expect(promptOf(site, run.id, "US-001-implement-2")).toContain("- no test for zero");
  expect(promptOf(site, run.id, "US-002-implement-1")).not.toContain("no test for zero");
  expect(promptOf(site, run.id, "FIX-1-implement-1")).toContain("rename the file");
  expect(promptOf(site, run.id, "run-review-2")).toContain("- rename the file");
  expect(stories.map(({ id, attempts }) => `${id}:${attempts}`)).toEqual(["US-001:2", "US-002:1", "FIX-1:1"]);
  expect((await site.pawl("stories", "1")).stdout).toMatch(/^US-001 \[done\] Title of US-001 \(1 retry\)$/m);
});

test("[A1] a driver killed in the third of three stories: the first two stay done, and resume continues with the third", async () => {
  const site = newSite();
  const slow = {
    ...implementing(),
    story: "US-003",
    attempt: 1,
    run: ["echo half > half-done.txt; touch ../../half-done; sleep 600"],
  };
  const script = writeScript(
    site,
    featureScript([story("US-001"), story("US-002"), story("US-003")], { implement: [slow, implementing()] }),
  );
  const driver = site.start("run", "feature-dev", "Three things", "--script", script);
  await until(() => existsSync(join(site.home, "half-done")));
  driver.child.kill("SIGKILL");
  await driver.ended;
  expect(statuses((await site.status()).stories)).toBe("US-001:done,US-002:done,US-003:running");

  const resumed = await site.json<StatusDocument>(["resume", "1"]);
  expect(resumed.stories.map(({ id, status, attempts }) => `${id}:${status}:${attempts}`)).toEqual([
    "US-001:done:1",
    "US-002:done:1",
    "US-003:done:2",
  ]);
  const branch = resumed.run.branch ?? "";
  expect(log(site.repo, `main..${branch}`)).toHaveLength(3);
  expect(runGit(site.repo, "ls-tree", "--name-only", branch)).not.toContain("half-done.txt");
});

test("[A106 A69 PG15] the demo: planner, stories, verification of each, a log and its archive, all visible afterwards", async () => {
  const site = newSite();
  const demo = await site.pawl("demo");
  expectCode(demo, 0);
  expect(demo.stderr).toContain("In a browser, at any moment of the run: pawl open 1\n");
  const status = await site.status();
  expect(status.run).toMatchObject({ status: "done", workflow: "feature-dev" });
  expect(statuses(status.stories)).toBe("US-001:done,US-002:done,US-003:done");
  expect(log(status.run.repo, `main..${status.run.branch}`)).toEqual([
    "feat: US-003 - Add a command line",
    "feat: US-002 - Add divide",
    "feat: US-001 - Add subtract",
  ]);
  expect((await site.pawl("logs", "1", "US-002/verify")).stdout).toContain("divide(1, 0) returns Infinity");
  expect((await site.pawl("why", "1")).stdout).toMatch(/^Done in /);
  const archive = join(site.home, "agents/feature-dev/developer/archive", status.run.id, "progress.txt");
  expect(readFileSync(archive, "utf8")).toMatch(
    /^# Progress Log\nRun: \S+\nTask: .+\nStarted: .+\n\n## Codebase Patterns\n- .+\n\n---\n\n## \S+ - US-001: Add subtract\n(- .+\n)+- \*\*Learnings:\*\* .+\n---\n/,
  );
});
