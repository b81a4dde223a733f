import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/repository.ts";
import { compare, plannedFor } from "../../protocols/agentic/budget.ts";
import { Application } from "../application.ts";
import { projectBudget } from "./budget.ts";
import { readSessionReport } from "./read-report.ts";

test("[PJ13 D13 D84] the table of tokens is data, also where no run is", async () => {
  const app = new Application({ cwd: tempDir(), env: { PAWL_HOME: join(tempDir(), "home") } });
  const { steps, story, team, orchestrator, stories } = await projectBudget(app, undefined);
  await app.close();
  expect(steps.map(({ step, read, output }) => [step, read.from, read.to, output.from, output.to])).toEqual([
    ["bdd", 2_000, 4_000, 500, 1_500],
    ["sdd-delta", 3_000, 6_000, 800, 2_000],
    ["contract", 2_000, 4_000, 500, 1_000],
    ["review", 0, 0, 0, 0],
    ["scaffold", 2_000, 4_000, 1_000, 3_000],
    ["impl", 4_000, 10_000, 2_000, 8_000],
    ["verify", 3_000, 6_000, 200, 500],
    ["update-memory", 1_000, 2_000, 200, 500],
  ]);
  expect([story, team]).toEqual([
    { from: 15_000, to: 40_000 },
    { from: 40_000, to: 100_000 },
  ]);
  expect(orchestrator.story).toEqual({ from: 500, to: 2_000 });
  expect(stories).toEqual([]);
  expect(steps.every(({ used }) => used === null)).toBe(true);
});

test("[TM13 D84] what a story has used is compared with the budget of a team where it had one", () => {
  const [alone, inTeam] = [
    [{}, {}],
    [{}, { part: "backend" }],
  ];
  expect([compare(60_000, plannedFor(alone)), compare(60_000, plannedFor(inTeam))]).toEqual(["over", "within"]);
});

test("[PJ14 D65] a hand-off whose status is no word has none", () => {
  const dir = tempDir();
  mkdirSync(join(dir, ".ai"));
  const app = new Application({ cwd: dir, env: { PAWL_HOME: join(tempDir(), "home") } });
  const front =
    "---\nstory: US-1\nstep: impl\nattempt: 2\nstatus: STATUS\ntests_pass: 3\ntests_fail: 0\ntests_skip: 1\n---\n";
  writeFileSync(join(dir, ".ai/HANDOFF.md"), front.replace("STATUS", "pass"));
  expect(readSessionReport(app, ".ai/HANDOFF.md")).toEqual({
    story: "US-1",
    step: "impl",
    attempt: 2,
    status: "pass",
    reason: null,
    tests: { pass: 3, fail: 0, skip: 1 },
    source: "front_matter",
    notes: [],
  });
  writeFileSync(join(dir, ".ai/HANDOFF.md"), front.replace("STATUS", "purple"));
  expect(readSessionReport(app, ".ai/HANDOFF.md")).toMatchObject({ status: null });
});
