import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { agenticProject, type TestProject } from "../../../test/support/agentic-project.ts";
import { abortAttempt, approveStory } from "./answers.ts";
import { hookSession } from "./hook.ts";

vi.setConfig({ testTimeout: 120_000 });

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
  await vi.waitFor(() => expect(stateOf(project)).toMatchObject({ step: "bdd", status: "running", attempt: 1 }));
  expect((await go({ executor: undefined })).result).toMatchObject({ type: "blocked" });
  await session(project, first.prompt ?? "");
  expect(await hookSession(app, root)).toMatchObject({ ended: true });
  await vi.waitFor(() => expect(stateOf(project)).toMatchObject({ step: "bdd", status: "pass" }));
  expect(await hookSession(app, root)).toMatchObject({ ended: false });
  expect(readFileSync(join(root, ".ai/hook.log"), "utf8")).toContain("a session ended, but nothing runs");
  const second = await go({ executor: undefined });
  expect(second.result).toEqual({ type: "dispatched", step: "sdd-delta", attempt: 1 });
  // The hand-off of the session before does not end this one.
  expect((await hookSession(app, root)).report).toContain("late: the report is for US-001 bdd attempt 1");
  await abortAttempt(app, {});
  expect((await go({ executor: undefined })).result).toEqual({ type: "dispatched", step: "sdd-delta", attempt: 2 });
});

test("[PJ9 D3 D4] a script that knows only the files drives a story at level 2 from bdd to done", async () => {
  const project = await agenticProject("2");
  const { app, go, root, script, sessions } = project;
  const loop = `last=""; while :; do now=$(tr -d ' \\n' < .ai/STATE.json | grep -o '"story".*"status":"running"' || true)
[ -n "$now" ] && [ "$now" != "$last" ] && { last="$now"; echo | "${script}"; }; sleep 0.05; done`;
  const other: ChildProcess = spawn("/bin/sh", ["-c", loop], { cwd: root, stdio: "ignore" });
  onTestFinished(() => void other.kill("SIGKILL"));
  const asked = await go({ executor: undefined, awaits: true });
  expect(asked.report).toContain("US-001 needs your review");
  await approveStory(app, {});
  expect((await go({ executor: undefined, awaits: true })).result.type).toBe("done");
  expect(sessions()).toEqual(
    ["bdd", "sdd-delta", "contract", "scaffold", "impl", "verify", "update-memory"].map((step) => `US-001 ${step} 1`),
  );
});
