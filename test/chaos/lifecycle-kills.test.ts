// A lifecycle from an empty directory to its last milestone, whose drivers are killed by SIGKILL in every phase: while a skill works, and
// around each decision. Each phase is a fact that a skill or the store tells, not a time.

import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lifecycleStatus } from "../../src/application/lifecycle/execute.ts";
import { hasEnded } from "../../src/domain/attempt.ts";
import {
  type LifecycleTestProject,
  lifecycleProject,
  milestoneCalls as milestone,
  phaseCalls as phase,
  planned,
} from "../support/lifecycle-project.ts";
import { campaignMs } from "../support/patience.ts";
import { expectCode, type RunningPawl, startPawl } from "../support/pawl.ts";
import { until } from "../support/until.ts";

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** A driver that is killed while this skill works. */
async function killedAt(project: LifecycleTestProject, skill: string, drive: () => RunningPawl): Promise<void> {
  const begun = () => project.calls("begin").filter((call) => call.split(" ")[0] === skill).length;
  const before = begun();
  project.hold(skill);
  const { child } = drive();
  await until(() => begun() > before);
  await kill(child);
  // Pawl's watchdog ends it, too: only then may it go on.
  await until(() => !project.isWorking());
  project.release(skill);
}

/** A driver that is killed as soon as the store has the word to evaluate the decision. */
async function killedAfterAnswer(project: LifecycleTestProject, drive: () => RunningPawl): Promise<void> {
  const { view } = await lifecycleStatus(project.app, undefined);
  const gate = view.stop?.gate.id;
  const { child } = drive();
  await until(async () => (await lifecycleStatus(project.app, undefined)).view.stop?.gate.id !== gate);
  await kill(child);
}

const fix = ["maestro-plan --gaps 1", "maestro-execute 1"];

test("[LE16 LD5 E53 E71 E74] killed in every phase, in the project itself: every skill ends once, in order", {
  timeout: campaignMs,
}, async () => {
  const project = lifecycleProject();
  const { home, root, executor } = project;
  project.milestones({ id: "M1", name: "First", status: "active", phases: [1] });
  project.plan({ "maestro-verify 1": ["fix"], "quality-review 1": ["fix"], "quality-test 1": ["fix"] });
  const pawl = (...args: readonly string[]) => startPawl(["lifecycle", ...args], { home, cwd: root });
  const execute = () => pawl("execute");
  const stops = async () => expectCode(await execute().ended, 3);

  await killedAt(project, "maestro-brainstorm", () => pawl("Build a shop", "--yes", "--executor", executor));
  for (const skill of ["maestro-roadmap", "maestro-analyze", "maestro-execute", "maestro-verify"])
    await killedAt(project, skill, execute);
  await stops();
  // post-verify finds gaps: around the decision, and in its fix round.
  await killedAfterAnswer(project, execute);
  await killedAt(project, "quality-debug", execute);
  await killedAt(project, "maestro-verify", execute);
  await stops();
  await killedAt(project, "quality-business-test", execute);
  await stops();
  await killedAfterAnswer(project, execute);
  await killedAt(project, "quality-review", execute);
  await stops();
  // post-review is blocked.
  await killedAt(project, "maestro-plan", execute);
  await stops();
  await killedAt(project, "quality-test-gen", execute);
  await killedAt(project, "quality-test", execute);
  await stops();
  // post-test fails: the longest round.
  await killedAfterAnswer(project, execute);
  let code: number | null = 3;
  for (let round = 0; code === 3; round += 1) {
    if (round === 4) await killedAt(project, "maestro-milestone-complete", execute);
    ({ code } = await execute().ended);
    expect(round).toBeLessThan(20);
  }
  expect(code).toBe(0);

  const intent = '"Build a shop"';
  const setUp = [`maestro-brainstorm ${intent}`, "maestro-init", `maestro-roadmap ${intent}`];
  const debug = (words: RegExp) => expect.stringMatching(words) as string;
  expect(project.calls()).toEqual([
    ...setUp,
    ...phase.slice(0, 4),
    debug(/^quality-debug "passed is false/),
    ...fix,
    "maestro-verify 1",
    ...phase.slice(4, 6),
    debug(/^quality-debug "verdict is BLOCK/),
    ...fix,
    "quality-review 1",
    ...phase.slice(6),
    "quality-debug --from-uat 1",
    ...fix,
    ...phase.slice(3),
    ...milestone,
  ]);
  const { view } = await lifecycleStatus(project.app, undefined);
  expect(view.status).toMatchObject({ status: "completed" });
  expect(project.status()).toEqual(view.status);
  const { header, stories } = view.session.run;
  const attempts = [header, ...Object.values(stories)].flatMap((scope) => scope.attempts);
  expect(attempts.filter((attempt) => !hasEnded(attempt))).toEqual([]);
  const waves = readdirSync(view.session.folder).filter((name) => /^wave-\d+-results\.csv$/.test(name));
  expect(waves.length).toBeGreaterThanOrEqual(project.calls().length);
  expect(existsSync(join(home, "worktrees")) ? readdirSync(join(home, "worktrees")) : []).toEqual([]);
});

test("[LE16 LE12 E53 E71] killed in the tree of its run: every skill ends once, in order, and the checkout stays as it is", {
  timeout: campaignMs,
}, async () => {
  const project = lifecycleProject({ ...planned(), "shop.txt": "tea\n" });
  const { home, root, executor } = project;
  const pawl = (...args: readonly string[]) => startPawl(["lifecycle", ...args], { home, cwd: root });
  const execute = () => pawl("execute");
  await killedAt(project, "maestro-execute", () => pawl("Build a shop", "--yes", "--executor", executor));
  await killedAt(project, "maestro-verify", execute);
  expectCode(await execute().ended, 3);
  await killedAfterAnswer(project, execute);
  expectCode(await execute().ended, 3);
  expect(project.calls()).toEqual(phase.slice(0, 5));
  const { view } = await lifecycleStatus(project.app, undefined);
  expect(view.stop).toMatchObject({ kind: "decision", step: "post-business-test" });
  expect(project.status()).toEqual(view.status);
  expect(JSON.parse(project.file(".workflow/state.json"))).toMatchObject({ artifacts: [] });
});
