// Pawl and another orchestrator on the files of one project: what Pawl projects can be read by the other, and what the other writes goes on
// here. The program itself takes part where PAWL_OTHER_ORCHESTRATOR names it; the same is always shown by the words of the protocol.

import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { agenticProject, type TestProject } from "../../../test/support/agentic-project.ts";
import {
  absentOrchestrator,
  faultsIn,
  type OtherOrchestrator,
  otherOrchestrator,
  readBy,
  type StateFields,
} from "../../../test/support/other-orchestrator.ts";
import { tempDir } from "../../../test/support/repository.ts";
import { AgenticFiles } from "../../protocols/agentic/state-file.ts";
import { abortAttempt, approveStory, noteStory, rejectStory, retryStory } from "./answers.ts";
import { hookSession } from "./hook.ts";
import { skipStep } from "./skip.ts";
import { watchProject } from "./watch.ts";

/** Every text of a STATE.json that is projected from now on. */
function projected(): ReadonlySet<string> {
  const texts = new Set<string>();
  const { files } = AgenticFiles.prototype;
  const spy = vi.spyOn(AgenticFiles.prototype, "files").mockImplementation(function (this: AgenticFiles, run) {
    const shown = files.call(this, run);
    for (const [file, text] of Object.entries(shown)) if (basename(file) !== ".pawl.json") texts.add(text);
    return shown;
  });
  onTestFinished(() => spy.mockRestore());
  return texts;
}

/** One session by a program that Pawl did not start; then the hook. */
async function turn({ app, go, root, script }: TestProject): Promise<string> {
  const { result, prompt } = await go({ executor: undefined });
  if (prompt !== null) {
    spawnSync(script, { cwd: root, input: prompt });
    await hookSession(app, root);
  }
  return result.type;
}

test("[AG15 D15 D17 D18 D19] every STATE.json of a story with failures, rejections, a question, a time-out and a skip can be read by another orchestrator", async () => {
  const texts = projected();
  const project = await agenticProject("1", ["US-001", "US-002"]);
  const { app, root, go, report } = project;
  const file = join(root, ".ai/STATE.json");
  const seen: string[] = [];
  const look = () => {
    const { step, status, attempt } = JSON.parse(readFileSync(file, "utf8")) as StateFields;
    seen.push(`${String(step)} ${String(attempt)} ${String(status)}`);
  };
  const turns = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      await turn(project);
      look();
    }
  };
  writeFileSync(join(root, ".ai/step-rules.yaml"), "steps: { update-memory: { timeout_min: 0.02 } }\n");
  report("US-001 bdd 1", "failing nfr_missing");
  report("US-001 sdd-delta 1", "needs_human needs_clarification");
  report("US-001 scaffold 1", "failing test_timeout");
  report("US-001 scaffold 2", "failing scope_warning");
  report("US-001 impl 1", "failing scope_warning");
  report("US-001 verify 1", "failing null");
  report("US-001 verify 2", "failing needs_clarification");
  look();
  await turns(3);
  await approveStory(app, { note: "ten items" });
  await turns(2);
  await rejectStory(app, { reason: "constitution_violation", note: "one owner" });
  await turns(3);
  await approveStory(app, { note: "others OK" });
  look();
  await turns(2);
  await noteStory(app, { text: "red tests first" });
  await retryStory(app, {});
  await turns(2);
  await approveStory(app, {});
  await turns(6);
  await skipStep(app, {});
  // Nobody works on this one.
  await go({ executor: undefined });
  look();
  const watching = new AbortController();
  const onReport = (text: string) => void (text.includes("timed out") && watching.abort());
  await watchProject(app, { everyMs: 20, signal: watching.signal, onReport });
  look();
  await go({ executor: undefined });
  await abortAttempt(app, {});
  look();
  await skipStep(app, {});
  look();
  await turns(1);
  expect(seen.join(", ")).toBe(
    "bdd 1 pending, bdd 1 failing, bdd 2 pass, sdd-delta 1 needs_human, sdd-delta 2 pass, review 1 needs_human, " +
      "sdd-delta 3 pass, review 1 needs_human, review 1 needs_human, review 1 pass, scaffold 1 failing, " +
      // The implementation asks for the review; then verify sends it back.
      "scaffold 2 failing, scaffold 3 pass, review 1 needs_human, scaffold 4 pass, impl 2 pass, verify 1 failing, " +
      "impl 3 pass, verify 2 failing, verify 2 failing, update-memory 1 running, update-memory 1 timeout, " +
      "update-memory 2 needs_human, bdd 1 pending, bdd 1 pass",
  );
  readByOther(texts);
});

test("[AG15 D10 D15] level 2 with trees of stories: everything that is projected can be read by another orchestrator", async () => {
  const texts = projected();
  const { app, go, report, sessions } = await agenticProject("2");
  report("US-001 sdd-delta 1", "failing scope_warning");
  report("US-001 impl 1", "failing needs_clarification");
  await go();
  await approveStory(app, { note: "ten items" });
  await go();
  expect(sessions()).toHaveLength(6);
  await approveStory(app, {});
  expect((await go()).result.type).toBe("done");
  readByOther(texts);
});

function readByOther(texts: ReadonlySet<string>): void {
  expect(texts.size).toBeGreaterThan(15);
  expect([...texts].flatMap((text) => faultsIn(text).map((fault) => `${fault} in ${text}`))).toEqual([]);
  const program = otherOrchestrator();
  if (program === null) return;
  for (const text of texts) {
    const outlook = readBy(program, text);
    expect({ text, outlook }).toMatchObject({ outlook: nextOf(JSON.parse(text) as StateFields) });
  }
}

/** What the other orchestrator does with a state, by the table of the protocol. */
function nextOf({ step, status, attempt, max_attempts }: StateFields): object {
  if (step === "done") return { type: "done" };
  if (step === "review") return status === "pass" ? { type: "dispatched", step: "scaffold" } : { type: "needs_human" };
  if (status === "pass")
    return expect.objectContaining({ type: expect.stringMatching(/^(dispatched|needs_human|done)$/) });
  if (status === "failing" && attempt === max_attempts) return { type: "blocked", step };
  // Where a failure leads is in the table of each.
  if (status === "failing") return { type: expect.stringMatching(/^(dispatched|needs_human)$/) };
  return { type: "dispatched", step, attempt };
}

/** The life of a story by the other orchestrator: what it writes, and what `continue` does with a copy of it here. */

interface Stage {
  readonly name: string;
  write(other: Other): unknown;
  /** The session that `continue` hands out here, or what it says. */
  readonly then: string | RegExp;
  /** In the prompt. */
  readonly says?: string;
}

interface Other {
  readonly program: OtherOrchestrator;
  readonly root: string;
  /** One session with this report. */
  leave(status: string, reason?: string): void;
}

const dispatched = /a session is at work/;

/** The life of a story by the other orchestrator, and what `continue` makes here of each file that it writes. */
const life: readonly Stage[] = [
  { name: "a story", write: ({ program, root }) => program.startStory(root, "US-021"), then: "bdd 1" },
  { name: "a session", write: ({ program, root }) => program.dispatch(root), then: dispatched },
  { name: "its pass", write: ({ leave }) => leave("pass"), then: "sdd-delta 1" },
  { name: "a failure", write: ({ leave }) => leave("failing", "nfr_missing"), then: "sdd-delta 2" },
  { name: "its repetition", write: ({ leave }) => leave("complete"), then: "contract 1" },
  { name: "a contract", write: ({ leave }) => leave("pass"), then: /needs your review/ },
  { name: "a review", write: ({ program, root }) => program.dispatch(root), then: /needs your review/ },
  {
    name: "a rejection",
    write: ({ program, root }) => program.rejectReview(root, "scope_warning", "no coupons"),
    then: "sdd-delta 1",
    says: "no coupons",
  },
  {
    name: "an approval",
    write: ({ program, root }) => program.approveReview(root, "ten items"),
    then: "scaffold 1",
    says: "ten items",
  },
  { name: "red tests", write: ({ leave }) => leave("pass"), then: "impl 1" },
  { name: "a violation", write: ({ leave }) => leave("failing", "constitution_violation"), then: "sdd-delta 1" },
  { name: "its way back", write: ({ program, root }) => program.dispatch(root), then: dispatched },
  { name: "a new delta", write: ({ leave }) => leave("pass"), then: "contract 1" },
  {
    name: "the rest up to verify",
    write({ program, root, leave }) {
      leave("pass");
      program.dispatch(root);
      program.approveReview(root);
      for (const _ of ["scaffold", "impl"]) leave("pass");
      leave("failing");
    },
    then: "impl 1",
  },
  {
    name: "a verified story",
    write: ({ leave }) => ["impl", "verify"].forEach(() => leave("pass")),
    then: "update-memory 1",
  },
  { name: "its commit", write: ({ leave }) => leave("pass"), then: "update-memory 1" },
  {
    name: "its memory",
    write: ({ program, root, leave }) => [leave("pass"), program.dispatch(root)],
    then: /choose a story/,
  },
  {
    name: "a story that is open again",
    write: ({ program, root }) => program.reopen(root, "impl", { humanNote: "too early" }),
    then: "impl 1",
    says: "too early",
  },
  { name: "a rollback", write: ({ program, root }) => program.rollback(root, "bdd"), then: "bdd 1" },
  {
    name: "a task of its own",
    write: ({ program, root }) => program.startCustom(root, "use the logger", { label: "C-1" }),
    then: "bdd 1",
    says: "use the logger",
  },
];

test("[AG17 AG18 D4 D15 D45 D49] what another orchestrator writes in the life of a story goes on here", async ({
  skip,
}) => {
  const program = otherOrchestrator();
  if (program === null) return skip(absentOrchestrator);
  const root = tempDir("pawl-other-");
  const file = join(root, ".ai/STATE.json");
  const state = () => JSON.parse(readFileSync(file, "utf8")) as StateFields;
  const leave = (status: string, reason = "null") => {
    if (state()["status"] !== "running") program.dispatch(root);
    const { story, step, attempt } = state();
    const fields = { story, step, attempt, status, reason, tests_pass: 3, tests_fail: 0 };
    const lines = Object.entries(fields).map(([key, value]) => `${key}: ${String(value)}`);
    writeFileSync(join(root, ".ai/HANDOFF.md"), ["---", ...lines, "---", "", "# HANDOFF", ""].join("\n"));
    expect(program.applyHandoff(root)).toMatchObject({ type: "applied" });
  };
  for (const { name, write, then, says = "" } of life) {
    write({ program, root, leave });
    const project = await agenticProject("1", []);
    cpSync(join(root, ".ai"), join(project.root, ".ai"), { recursive: true });
    const { prompt, report } = await project
      .go({ executor: undefined })
      .catch((error: unknown) => ({ prompt: null, report: String(error) }));
    const shown = JSON.parse(readFileSync(join(project.root, ".ai/STATE.json"), "utf8")) as StateFields;
    const handedOut = `${String(shown["step"])} ${String(shown["attempt"])}`;
    expect({ name, now: prompt === null ? report : handedOut }).toEqual({ name, now: expect.stringMatching(then) });
    expect(prompt ?? "").toContain(says);
    // Back to the program that began it, where it takes up what was handed out.
    expect(prompt === null || readBy(program, JSON.stringify(shown)).type).toBe(prompt === null || "dispatched");
  }
});

test("[AG21 PJ9 D3 D4 D69 D75] both on one project: a session ends once, and only what a person noted is taken from the other", async ({
  skip,
}) => {
  const program = otherOrchestrator();
  if (program === null) return skip(absentOrchestrator);
  const project = await agenticProject("1");
  const { app, go, root, script } = project;
  const state = () => JSON.parse(readFileSync(join(root, ".ai/STATE.json"), "utf8")) as StateFields;
  const { prompt } = await go({ executor: undefined });
  expect(program.dispatch(root)).toMatchObject({ type: "already_running", step: "bdd" });
  spawnSync(script, { cwd: root, input: prompt ?? "" });
  expect(program.applyHandoff(root)).toMatchObject({ type: "applied" });
  expect(await hookSession(app, root)).toMatchObject({ ended: true });
  expect(state()).toMatchObject({ step: "bdd", status: "pass", files_changed: ["US-001.txt"] });
  expect(program.dispatch(root)).toMatchObject({ type: "dispatched", step: "sdd-delta", attempt: 1 });
  // Both begin the same session; one report ends it here.
  expect((await go({ executor: undefined })).result).toEqual({ type: "dispatched", step: "sdd-delta", attempt: 1 });
  for (const step of ["sdd-delta", "contract"]) {
    expect(state()).toMatchObject({ step, status: "running" });
    spawnSync(script, { cwd: root, input: "" });
    expect(await hookSession(app, root)).toMatchObject({ ended: true });
    await go({ executor: undefined });
  }
  expect(program.approveReview(root, "ten items")).toMatchObject({ type: "ok" });
  expect((await go({ executor: undefined })).report).toContain("needs your review");
  expect(state()).toMatchObject({ step: "review", status: "needs_human", human_note: "ten items" });
  await approveStory(app, {});
  expect((await go({ executor: undefined })).prompt).toContain("ten items");
});
