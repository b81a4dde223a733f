// What a project shows between two sessions: which fields change and who changes them, what is asked, and what waits for something else.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agenticProject, type TestProject } from "../../../test/support/agentic-project.ts";
import { makeRepository, tempDir } from "../../../test/support/repository.ts";
import { Application } from "../application.ts";
import { addStory } from "./add-story.ts";
import { approveStory, rejectStory, retryStory } from "./answers.ts";
import { projectBudget } from "./budget.ts";
import { continueProject } from "./continue.ts";
import { hookSession } from "./hook.ts";
import { initProject } from "./init.ts";
import { projectPrompt } from "./prompts.ts";

type Fields = Readonly<Record<string, unknown>>;

const stateOf = ({ root }: Pick<TestProject, "root">) =>
  JSON.parse(readFileSync(join(root, ".ai/STATE.json"), "utf8")) as Fields;

const changed = (before: Fields, after: Fields) =>
  Object.keys(after).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));

/** One session that Pawl did not start. */
const work = ({ root, script }: TestProject, prompt: string | null) =>
  spawnSync(script, { cwd: root, input: prompt ?? "" });

const signal = new AbortController().signal;
const unattended = { executor: undefined };

test("[AG15 D16 D52 D66] a dispatch and the end of a session change the fields that are theirs, and no others", async () => {
  const project = await agenticProject("1");
  const { app, root, go } = project;
  const first = stateOf(project);
  const { prompt } = await go(unattended);
  const running = stateOf(project);
  expect(changed(first, running)).toEqual(["story", "status", "dispatched_at"]);
  work(project, prompt);
  await hookSession(app, root);
  const passed = stateOf(project);
  expect(changed(running, passed)).toEqual(["status", "completed_at", "tests", "files_changed"]);
  expect(passed).toMatchObject({
    status: "pass",
    tests: { pass: 44, fail: 0, skip: 0 },
    files_changed: ["US-001.txt"],
  });
  await go(unattended);
  const next = stateOf(project);
  expect(changed(passed, next)).toEqual(["step", "status", "dispatched_at", "completed_at", "tests", "files_changed"]);
  expect(next).toMatchObject({ step: "sdd-delta", completed_at: null, tests: null, files_changed: [] });
});

test("[PJ4 D5 D9 D10 D11] the same project at level 0, 1 and 2: a prompt, one session, and all of them up to the review", async () => {
  const { app, root, executor, sessions } = await agenticProject("1");
  const go = async () => await continueProject(app, { signal, executor });
  await initProject(app, { level: "0" });
  expect(await go().catch((error: unknown) => error)).toMatchObject({ code: "REFUSED" });
  expect((await projectPrompt(app, {})).prompt).toMatch(/^You are executing step BDD for US-001\./);
  expect(sessions()).toEqual([]);
  await initProject(app, { level: "1" });
  expect((await go()).result).toEqual({ type: "dispatched", step: "bdd", attempt: 1 });
  expect(sessions()).toEqual(["US-001 bdd 1"]);
  await initProject(app, { level: "2" });
  expect((await go()).report).toContain("US-001 needs your review");
  expect(sessions()).toEqual(["US-001 bdd 1", "US-001 sdd-delta 1", "US-001 contract 1"]);
  expect(stateOf({ root })).toMatchObject({ step: "review", status: "needs_human" });
});

test("[AG9 PJ6 D51 D104] a session that asks a person is heard, and the answer is in its next prompt", async () => {
  const project = await agenticProject("1");
  const { app, root, go, report } = project;
  report("US-001 bdd 1", "needs_human needs_clarification");
  work(project, (await go(unattended)).prompt);
  expect((await hookSession(app, root)).report).toContain("how many items?");
  expect(stateOf(project)).toMatchObject({ step: "bdd", attempt: 1, status: "needs_human" });
  // Only a person goes on.
  expect((await go(unattended)).result).toMatchObject({
    type: "needs_human",
    message: expect.stringContaining("how many items?"),
  });
  await approveStory(app, { note: "ten items" });
  const again = await go(unattended);
  expect(again.result).toEqual({ type: "dispatched", step: "bdd", attempt: 2 });
  expect(again.prompt).toContain("ten items");
  report("US-001 bdd 2", "needs_human null");
  work(project, again.prompt);
  await hookSession(app, root);
  await retryStory(app, {});
  expect((await go(unattended)).result).toEqual({ type: "dispatched", step: "bdd", attempt: 3 });
});

test.each([
  ["needs_clarification", "bdd 1"],
  ["constitution_violation", "sdd-delta 1"],
  ["scope_warning", "sdd-delta 1"],
  ["default", "bdd 1"],
])("[PJ7 D33 D45] a review that is rejected with %s goes on at %s", async (reason, then) => {
  const project = await agenticProject("1", []);
  const { app, root, go } = project;
  const reviewed = { ...stateOf(project), story: "US-009", step: "review", status: "needs_human" };
  writeFileSync(join(root, ".ai/STATE.json"), JSON.stringify(reviewed));
  expect((await go(unattended)).report).toContain("US-009 needs your review");
  await rejectStory(app, { reason, note: "not like this" });
  const { result, prompt } = await go(unattended);
  expect(result.type === "dispatched" && `${result.step} ${result.attempt}`).toBe(then);
  expect(prompt).toContain("not like this");
});

test("[PJ9 AG8 D69] one hand-off ends one session: neither a second and third hook nor a way back to its step uses it again", async () => {
  const project = await agenticProject("1");
  const { app, root, go, report, sessions } = project;
  report("US-001 bdd 1", "failing null");
  work(project, (await go(unattended)).prompt);
  expect(await hookSession(app, root)).toMatchObject({ ended: true });
  const after = stateOf(project);
  for (const _ of [2, 3]) expect(await hookSession(app, root)).toMatchObject({ ended: false });
  expect(stateOf(project)).toEqual(after);
  // The step is at work again, and the hand-off of its first session is still there.
  expect((await go(unattended)).result).toEqual({ type: "dispatched", step: "bdd", attempt: 2 });
  expect(await hookSession(app, root)).toMatchObject({ ended: false, report: expect.stringContaining("late") });
  expect(stateOf(project)).toMatchObject({ step: "bdd", attempt: 2, status: "running" });
  expect(sessions()).toEqual(["US-001 bdd 1"]);
});

test("[PJ3 PJ5 D53] a story waits for the stories that it is blocked by", async () => {
  const project = await agenticProject("2");
  const { app, go, root, report, sessions } = project;
  await addStory(app, { story: "US-002", title: "Second", after: ["US-001"] });
  for (const attempt of [1, 2, 3]) report(`US-001 bdd ${attempt}`, "failing null");
  await go({ story: "US-002" });
  const second = JSON.parse(readFileSync(join(root, ".ai/states/US-002.json"), "utf8")) as Fields;
  expect(second).toMatchObject({ story: "US-002", status: "pending", blocked_by: ["US-001"], dispatched_at: null });
  expect(sessions().filter((session) => session.startsWith("US-002"))).toEqual([]);
  expect((await go({ story: "US-002" })).report).toContain("US-001 stuck at bdd");
});

test("[PJ9 D75] two projects of one person: each has its own state, and one at work keeps no other from starting", async () => {
  const env = { ...process.env, PAWL_HOME: join(tempDir(), "home") };
  const roots = [makeRepository({ "README.md": "a\n" }), makeRepository({ "README.md": "b\n" })];
  const results: unknown[] = [];
  for (const root of [...roots, ...roots]) {
    const app = new Application({ cwd: root, env });
    if (results.length < 2) {
      await initProject(app, { level: "1" });
      await addStory(app, { story: "US-001", title: "First" });
    }
    results.push((await continueProject(app, { signal })).result.type);
    await app.close();
  }
  expect(results).toEqual(["dispatched", "dispatched", "blocked", "blocked"]);
  for (const root of roots) expect(stateOf({ root })).toMatchObject({ step: "bdd", status: "running", attempt: 1 });
});

test("[PJ13 D13] the tokens that sessions report are compared with the table, by step and by story", async () => {
  const { app, root, go } = await agenticProject("2");
  const script = join(tempDir(), "script.yml");
  const handoff = "---\nstory: {{story}}\nstep: STEP\nattempt: {{attempt}}\nstatus: pass\n---\n";
  const act = (step: string, input: number, output: number) => [
    { write: { ".ai/HANDOFF.md": handoff.replace("STEP", step) }, usage: { input, output }, say: "STATUS: done" },
  ];
  const steps = {
    bdd: act("bdd", 3_000, 1_000),
    "sdd-delta": act("sdd-delta", 9_000, 3_000),
    contract: act("contract", 100, 10),
  };
  writeFileSync(script, JSON.stringify({ steps }));
  expect((await go({ executor: undefined, script })).report).toContain("needs your review");
  const budget = await projectBudget(app, root);
  const used = budget.steps.map(({ step, used: of, verdict }) => [
    step,
    of === null ? null : of.read + of.output,
    verdict,
  ]);
  expect(used.slice(0, 4)).toEqual([
    ["bdd", 4_000, "within"],
    ["sdd-delta", 12_000, "over"],
    ["contract", 110, "under"],
    ["review", null, null],
  ]);
  expect(budget.stories).toEqual([{ story: "US-001", tokens: 16_110, verdict: "within" }]);
});
