import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { agenticProject, type TestProject } from "../../../test/support/agentic-project.ts";
import { abortAttempt, approveStory } from "./answers.ts";
import { hookSession } from "./hook.ts";
import { watchProject } from "./watch.ts";

/** One session in the project's folder, by a program that Pawl did not start. */
async function session({ script, root }: TestProject, prompt: string): Promise<void> {
  const child = spawn(script, { cwd: root, stdio: ["pipe", "ignore", "ignore"] });
  child.stdin.end(prompt);
  await new Promise((resolve) => child.on("close", resolve));
}

function stateOf({ root }: TestProject): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(join(root, ".ai/STATE.json"), "utf8")) as Readonly<Record<string, unknown>>;
}

test("[PJ9 D9 D62 D66 D69 D75] level 1 hands out a prompt, the hook ends it, and a late hook changes nothing", async () => {
  const project = await agenticProject("1");
  const { app, go, root } = project;
  const first = await go({ executor: undefined });
  expect(first.result).toEqual({ type: "dispatched", step: "bdd", attempt: 1 });
  expect(first.prompt).toMatch(/^You are executing step BDD for US-001\./);
  await expect.poll(() => stateOf(project)).toMatchObject({ step: "bdd", status: "running", attempt: 1 });
  expect((await go({ executor: undefined })).result).toMatchObject({ type: "blocked" });
  await session(project, first.prompt ?? "");
  expect(await hookSession(app, root)).toMatchObject({ ended: true });
  await expect.poll(() => stateOf(project)).toMatchObject({ step: "bdd", status: "pass" });
  expect(await hookSession(app, root)).toMatchObject({ ended: false });
  expect(readFileSync(join(root, ".ai/hook.log"), "utf8")).toContain("a session ended, but nothing runs");
  const second = await go({ executor: undefined });
  expect(second.result).toEqual({ type: "dispatched", step: "sdd-delta", attempt: 1 });
  // The hand-off of the session before does not end this one.
  expect((await hookSession(app, root)).report).toContain("late: the report is for US-001 bdd attempt 1");
  await abortAttempt(app, {});
  expect((await go({ executor: undefined })).result).toEqual({ type: "dispatched", step: "sdd-delta", attempt: 2 });
});

test("[PJ9 AG15 D3 D4 D47] a script that knows only the files drives a story at level 2 from bdd to done, and reads a note once", async () => {
  const project = await agenticProject("2");
  const { app, go, root, script, sessions } = project;
  const loop = `last=""; while :; do now=$(tr -d ' \\n' < .ai/STATE.json | grep -o '"story".*"status":"running"' || true)
[ -n "$now" ] && [ "$now" != "$last" ] && { last="$now"; grep human_note .ai/STATE.json >> notes.log; echo | "${script}"; }; sleep 0.05; done`;
  const other: ChildProcess = spawn("/bin/sh", ["-c", loop], { cwd: root, stdio: "ignore" });
  onTestFinished(() => void other.kill("SIGKILL"));
  const asked = await go({ executor: undefined, awaits: true });
  expect(asked.report).toContain("US-001 needs your review");
  await approveStory(app, { note: "30 seconds" });
  const { result } = await go({ executor: undefined, awaits: true });
  expect(result).toMatchObject({ type: "done", summary: expect.stringContaining(`The work is in ${root}.`) });
  const notes = readFileSync(join(root, "notes.log"), "utf8").match(/"human_note": .*/g);
  expect(notes?.map((line) => line.includes("30 seconds"))).toEqual([false, false, false, true, false, false, false]);
  expect(sessions()).toEqual(
    ["bdd", "sdd-delta", "contract", "scaffold", "impl", "verify", "update-memory"].map((step) => `US-001 ${step} 1`),
  );
});

test("[PJ9 AG15 D12 D42 D51 D69] level 1 past its time: watch says and records it, a late hook changes nothing, and the next attempt counts", async () => {
  const project = await agenticProject("1");
  const { app, go, root } = project;
  writeFileSync(join(root, ".ai/step-rules.yaml"), "steps: { bdd: { timeout_min: 0.02, max_attempts: 2 } }\n");
  const { prompt } = await go({ executor: undefined });
  const watching = new AbortController();
  const said: string[] = [];
  const onReport = (report: string) => {
    said.push(report);
    if (report.includes("timed out")) watching.abort();
  };
  await watchProject(app, { everyMs: 50, signal: watching.signal, onReport });
  expect(said.at(-1)).toMatch(/^US-001's bdd timed out \(\d+ seconds?\)/);
  expect(stateOf(project)).toMatchObject({ step: "bdd", status: "timeout", attempt: 1 });
  await session(project, prompt ?? "");
  const before = stateOf(project);
  expect(await hookSession(app, root)).toMatchObject({ ended: false });
  expect(stateOf(project)).toEqual(before);
  expect((await go({ executor: undefined })).result).toEqual({ type: "dispatched", step: "bdd", attempt: 2 });
  await expect.poll(() => stateOf(project)).toMatchObject({ status: "running", attempt: 2, max_attempts: 2 });
});

test("[LI22 PJ5 AG15 D12 D42 D51 D72] level 2 past its time: it asks, and each time counts until the step is stuck", async () => {
  const project = await agenticProject("2");
  const { go, root } = project;
  writeFileSync(join(root, ".ai/step-rules.yaml"), "steps: { bdd: { timeout_min: 0.01, max_attempts: 2 } }\n");
  const awaited = { executor: undefined, awaits: true };
  const first = await go(awaited);
  expect(first.result).toMatchObject({ type: "needs_human" });
  expect(first.report).toMatch(/^US-001's bdd timed out \(\d+ seconds?\)/);
  expect(stateOf(project)).toMatchObject({ step: "bdd", status: "timeout", attempt: 1 });
  const second = await go(awaited);
  expect(second.report).toContain("US-001 stuck at bdd (2 attempts)");
  expect(stateOf(project)).toMatchObject({ step: "bdd", status: "failing", attempt: 2, max_attempts: 2 });
  expect((await go(awaited)).result).toMatchObject({ type: "needs_human" });
  expect(stateOf(project)).toMatchObject({ attempt: 2 });
});

test("[PJ9 D75] two that continue one project: the second says that it is at work, and dispatches nothing", async () => {
  const project = await agenticProject("2");
  const { go } = project;
  const leaving = new AbortController();
  const awaited = { executor: undefined, awaits: true };
  const first = go({ ...awaited, signal: leaving.signal });
  await expect.poll(() => stateOf(project)).toMatchObject({ step: "bdd", status: "running" });
  const before = stateOf(project);
  const second = await go(awaited);
  expect(second.result).toMatchObject({ type: "blocked", reason: expect.stringContaining("bdd is still running") });
  expect(stateOf(project)).toEqual(before);
  leaving.abort();
  expect((await first).result.type).toBe("blocked");
});

test("[AG4 PJ7 D19 D49 D70 D76] every reason without a route of its own follows the default, and an unknown one as well", async () => {
  const project = await agenticProject("2");
  const { app, go, report, sessions, root } = project;
  const rows = [
    ["bdd 1", "test_timeout", "bdd 2"],
    ["bdd 2", "moon_phase", "bdd 3"],
    ["impl 1", "nfr_missing", "impl 2"],
    ["impl 2", "test_timeout", "impl 3"],
    // The way of this reason is the review.
    ["impl 3", "scope_warning", "scaffold 2"],
  ] as const;
  for (const [of, reason] of rows) report(`US-001 ${of}`, `failing ${reason}`);
  await go();
  await approveStory(app, {});
  expect((await go()).report).toContain("US-001 needs your review");
  expect(stateOf(project)).toMatchObject({ step: "review", status: "needs_human", reason: null });
  await approveStory(app, {});
  expect((await go()).result.type).toBe("done");
  for (const [of, , next] of rows) expect(sessions()[sessions().indexOf(`US-001 ${of}`) + 1]).toBe(`US-001 ${next}`);
  const { parts } = await app.read();
  const [run] = await parts.store.runsAt({ shared: join(root, ".ai"), source: null });
  const events = run === undefined ? [] : await parts.store.events(run.id, 0, 1_000);
  const reasons = events.flatMap(({ event }) =>
    event.type === "attempt_ended" && event.verdict?.kind === "rejected" ? [event.verdict.reason] : [],
  );
  expect(reasons).toEqual(["test_timeout", null, "nfr_missing", "test_timeout", "scope_warning"]);
});
