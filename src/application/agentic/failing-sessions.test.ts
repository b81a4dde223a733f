// Sessions that fail at level 1: what the files, the hook and the next prompt say of them.

import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agenticProject, type TestProject } from "../../../test/support/agentic-project.ts";
import type { ProjectState } from "../../protocols/agentic/adapter.ts";
import { trust } from "../setup/trust.ts";
import { approveStory, rejectStory } from "./answers.ts";
import { hookSession } from "./hook.ts";
import { projectAt } from "./place.ts";
import { projectPrompt } from "./prompts.ts";
import { viewProject } from "./view.ts";

const pulled = { executor: undefined };

function stateOf({ root }: TestProject): ProjectState {
  return JSON.parse(readFileSync(join(root, ".ai/STATE.json"), "utf8")) as ProjectState;
}

/** A session that only writes its report: `status: failing`, and more lines of the front matter. */
function handOff(project: TestProject, lines: readonly string[], body = ""): void {
  const { story, step, attempt } = stateOf(project);
  const about = [`story: ${story}`, `step: ${step}`, `attempt: ${attempt}`];
  writeFileSync(join(project.root, ".ai/HANDOFF.md"), ["---", ...about, ...lines, "---", body].join("\n"));
}

async function passTo(project: TestProject, step: string): Promise<string> {
  for (;;) {
    const { result, prompt } = await project.go(pulled);
    if (result.type !== "dispatched" || result.step === step) return prompt ?? "";
    handOff(project, ["status: pass"]);
    await hookSession(project.app, project.root);
  }
}

test("[AG35 AG36 AG37 PJ9 D49 D55 D66] level 1: a failed attempt is shown as one, and the next prompt says why it begins again", async () => {
  const project = await agenticProject("1");
  const { app, root, go } = project;
  await go(pulled);
  const said = "## Not yet resolved\n- the gateway has no sandbox\n";
  handOff(
    project,
    ["status: failing", "reason: nfr_missing", "tests_pass: 42", "tests_fail: 2", "failing_tests: [T1, T2]"],
    said,
  );
  const { report } = await hookSession(app, root);
  expect(report).toBe(
    [
      "US-001 bdd did not pass (attempt 1 of 3). Reason: nfr_missing. 2 of 44 tests fail. Failing: T1, T2.",
      "- the gateway has no sandbox",
      "Next is bdd again, continue?",
      "Next: pawl project continue",
    ].join("\n"),
  );
  expect(stateOf(project)).toMatchObject({
    step: "bdd",
    status: "failing",
    reason: "nfr_missing",
    attempt: 1,
    max_attempts: 3,
    tests: { pass: 42, fail: 2, skip: 0 },
    failing_tests: ["T1", "T2"],
  });
  const log = readFileSync(join(root, ".ai/hook.log"), "utf8");
  expect(log).toContain("hook: US-001 bdd attempt 1 ended: failing (nfr_missing)");
  const block = [
    "(Attempt 2 of 3)",
    "=== Previous Attempt ===\nbdd attempt 1 did not pass. Reason: nfr_missing",
    "Failing tests: 2 of 44\n- T1\n- T2",
    "- the gateway has no sandbox",
    "story US-001, step bdd, attempt 2",
  ];
  const forwarded = (await projectPrompt(app, {})).prompt;
  const { prompt } = await go(pulled);
  for (const part of block) for (const text of [prompt, forwarded]) expect(text).toContain(part);
  expect(stateOf(project)).toMatchObject({ step: "bdd", status: "running", reason: null, attempt: 2, max_attempts: 3 });
  // While it runs, its prompt is the one to forward.
  expect((await projectPrompt(app, {})).prompt).toBe(prompt);
  handOff(project, ["status: pass"]);
  await hookSession(app, root);
  expect(stateOf(project)).toMatchObject({ step: "bdd", status: "pass", reason: null });
  expect((await go(pulled)).prompt).not.toContain("Previous Attempt");
});

test("[AG35 AG36 D67] level 1: a red check is told, and what it printed is in the next prompt", async () => {
  const project = await agenticProject("1");
  const { app, root, go } = project;
  const check = "test -e fixed || { echo the-lint-is-red; exit 1; }";
  writeFileSync(join(root, ".ai/step-rules.yaml"), `steps: { bdd: { post_check: "${check}" } }\n`);
  await trust(app, { repo: root, act: "agree" });
  await go(pulled);
  handOff(project, ["status: pass"]);
  const { report } = await hookSession(app, root);
  expect(report).toMatch(/^US-001 bdd did not pass \(attempt 1 of 3\)\. Lint fails\.\nA check is red\./);
  expect(report).toContain("the-lint-is-red");
  expect(stateOf(project)).toMatchObject({ step: "bdd", status: "failing", reason: null, lint_pass: false });
  const { prompt } = await go(pulled);
  expect(prompt).toMatch(
    /=== Previous Attempt ===\nbdd attempt 1 did not pass\.\n\nA check is red\.[^=]*the-lint-is-red/,
  );
  // A failure of its own keeps its reason, and the check is told all the same.
  handOff(project, ["status: failing", "reason: test_timeout"], "## Not yet resolved\n- slow\n");
  await hookSession(app, root);
  expect(stateOf(project)).toMatchObject({ status: "failing", reason: "test_timeout", lint_pass: false });
  expect((await go(pulled)).prompt).toMatch(/Reason: test_timeout\n\n- slow\n\nA check is red\.[^=]*the-lint-is-red/);
});

test("[AG36 PJ7 D19 D45 D47] a rejected review is `failing` with its reason until the next session, which hears it once", async () => {
  const project = await agenticProject("1");
  const { app, root } = project;
  await passTo(project, "never");
  expect(stateOf(project)).toMatchObject({ step: "review", status: "needs_human" });
  const decided = await rejectStory(app, { reason: "constitution_violation", note: "no eval" });
  expect(decided.view.report).toBe(
    "US-001 review was rejected. Reason: constitution_violation.\nNext is sdd-delta, continue?\nNext: pawl project continue",
  );
  const rejected = { step: "review", status: "failing", reason: "constitution_violation", human_note: "no eval" };
  expect(stateOf(project)).toMatchObject(rejected);
  const { prompt } = await project.go(pulled);
  expect(prompt).toContain("=== Human Instruction ===\nno eval\n===");
  expect(prompt).toContain("A person rejected the review. Reason: constitution_violation\n===");
  expect(prompt?.split("no eval")).toHaveLength(2);
  expect(prompt?.split("constitution_violation")).toHaveLength(4);
  handOff(project, ["status: pass"]);
  await hookSession(app, root);
  await passTo(project, "never");
  // A reason without a way of its own follows the default.
  await rejectStory(app, { reason: "nfr_missing" });
  expect(stateOf(project)).toMatchObject({
    step: "review",
    status: "failing",
    reason: "nfr_missing",
    human_note: null,
  });
  expect((await project.go(pulled)).result).toMatchObject({ step: "bdd" });
  handOff(project, ["status: pass"]);
  await hookSession(app, root);
  await passTo(project, "never");
  await approveStory(app, {});
  expect(stateOf(project)).toMatchObject({ step: "review", status: "pass", reason: null });
});

/** What a hook of another program writes when a session has ended. */
function writeFields({ root }: TestProject, fields: object): void {
  const file = join(root, ".ai/STATE.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...fields }));
}

test("[AG33 D16 D62] level 1: what the hook of another program writes into STATE.json ends the session", async () => {
  const project = await agenticProject("1");
  const { app, root, go } = project;
  await go(pulled);
  const tests = { pass: 3, fail: 1, skip: 0 };
  writeFields(project, { status: "failing", reason: "nfr_missing", tests, failing_tests: ["T9"], completed_at: "now" });
  const { result, prompt } = await go(pulled);
  expect(result).toEqual({ type: "dispatched", step: "bdd", attempt: 2 });
  expect(prompt).toContain("bdd attempt 1 did not pass. Reason: nfr_missing\n\nFailing tests: 1 of 4\n- T9");
  // By our hook as well, and a hand-off counts more.
  writeFields(project, { status: "pass" });
  handOff(project, ["status: failing", "reason: scope_warning"]);
  expect((await hookSession(app, root)).report).toContain("Reason: scope_warning");
  await go(pulled);
  writeFields(project, { status: "pass" });
  expect((await hookSession(app, root)).report).toContain("US-001 bdd complete");
  expect(stateOf(project)).toMatchObject({ step: "bdd", status: "pass", attempt: 3 });
  const log = readFileSync(join(root, ".ai/hook.log"), "utf8");
  expect(log).not.toContain("[WARN]");
});

test("[AG33 AG12 D4 D16] level 2: an awaited program that writes only STATE.json is heard", async () => {
  const project = await agenticProject("2");
  const leaving = new AbortController();
  const driving = project.go({ executor: undefined, awaits: true, signal: leaving.signal });
  const running = async (step: string) =>
    await expect.poll(() => stateOf(project)).toMatchObject({ step, status: "running" });
  await running("bdd");
  writeFields(project, { status: "complete" });
  await running("sdd-delta");
  leaving.abort();
  await driving;
});

test("[AG34 D16] level 2: our own executor that writes STATE.json itself is not believed, and everybody hears it", async () => {
  const project = await agenticProject("2");
  const { app, root } = project;
  const forge = `sed -i.bak 's/"status": "running"/"status": "pass"/' .ai/STATE.json && rm .ai/STATE.json.bak`;
  writeFileSync(join(root, ".ai/step-rules.yaml"), "steps: { bdd: { max_attempts: 1 } }\n");
  const { report } = await project.go({ executor: `command: sh -c '${forge.replaceAll("'", `'\\''`)}'` });
  const words = /\.ai\/STATE\.json was changed while the session ran \(status "pass"\): that is not believed/;
  expect(report).toContain("US-001 stuck at bdd (1 attempt)");
  expect(report).toMatch(/left no \.ai\/HANDOFF\.md\. Write/);
  expect(report).toMatch(words);
  expect(readFileSync(join(root, ".ai/hook.log"), "utf8")).toMatch(words);
  expect(stateOf(project)).toMatchObject({ step: "bdd", status: "needs_human" });
  expect((await viewProject(app, await projectAt(app, root))).report).toMatch(words);
});

test("[AG30 AG31 PJ9 D65 D69] level 1: hand-offs that do not count, and what everybody hears of them", async () => {
  const project = await agenticProject("1");
  const { app, root, go } = project;
  const file = join(root, ".ai/HANDOFF.md");
  const rows: readonly (readonly [string, (prompt: string) => void, RegExp])[] = [
    ["none at all", () => rmSync(file, { force: true }), /left no \.ai\/HANDOFF\.md\. Write \.ai\/HANDOFF\.md with/],
    [
      "half a file",
      () => writeFileSync(file, "---\nstory: US-001\nstatus: pa"),
      /has no end: .* Write \.ai\/HANDOFF\.md/,
    ],
    ["the prompt again", (prompt) => writeFileSync(file, prompt), /names no reason\. Write \.ai\/HANDOFF\.md/],
    ["a link", () => symlinkSync("/etc/hostname", file), /is a link.* Write \.ai\/HANDOFF\.md/],
    ["a folder", () => mkdirSync(file), /is a directory.* Write \.ai\/HANDOFF\.md/],
  ];
  writeFileSync(join(root, ".ai/step-rules.yaml"), "steps: { bdd: { max_attempts: 9 } }\n");
  for (const [name, leave, words] of rows) {
    const { prompt } = await go(pulled);
    const { attempt } = stateOf(project);
    if (existsSync(file)) rmSync(file, { recursive: true });
    leave(prompt ?? "");
    const { ended, report } = await hookSession(app, root);
    expect([name, ended]).toEqual([name, true]);
    expect(report).toMatch(words);
    expect(stateOf(project)).toMatchObject({ step: "bdd", status: "failing", reason: null, attempt });
    expect(readFileSync(join(root, ".ai/hook.log"), "utf8")).toMatch(words);
    expect((await viewProject(app, await projectAt(app, root))).report).toMatch(words);
    rmSync(file, { recursive: true, force: true });
  }
  // Of another attempt: what runs goes on, and a person hears what to do.
  const { prompt } = await go(pulled);
  expect(prompt).toMatch(/bdd attempt 5 left no report that counts\.\n\n.*is a directory/);
  writeFileSync(file, "---\nstory: US-001\nstep: bdd\nattempt: 1\nstatus: pass\n---\n");
  const { ended, report } = await hookSession(app, root);
  expect(ended).toBe(false);
  expect(report).toMatch(
    /^late: the report is for US-001 bdd attempt 1, not for US-001 bdd attempt 6, which goes on\. Write/,
  );
  expect(stateOf(project)).toMatchObject({ step: "bdd", status: "running", attempt: 6 });
});
