// Projects that another orchestrator, or a run whose store is gone, left in the middle of a story.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { agenticProject } from "../../../test/support/agentic-project.ts";
import { addStory } from "./add-story.ts";
import { approveStory } from "./answers.ts";

const samples = fileURLToPath(
  new URL("../../../../shared/samples/agentic-coding-framework/generated-by-aco-0.8.3/", import.meta.url),
);

type Fields = Readonly<Record<string, unknown>>;

const fieldsIn = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Fields;

const left = (more: Fields): Fields => ({
  project: "A",
  story: "US-005",
  step: "impl",
  attempt: 2,
  max_attempts: 5,
  status: "failing",
  reason: null,
  dispatched_at: "2026-11-15T20:27:28.811Z",
  completed_at: null,
  timeout_min: 10,
  tests: null,
  failing_tests: [],
  lint_pass: null,
  files_changed: [],
  blocked_by: [],
  human_note: null,
  own: { kept: true },
  ...more,
});

/** A project without stories, whose `.ai/` has this file. */
async function leftProject(level: "1" | "2", text: string, stories: readonly string[] = []) {
  const project = await agenticProject(level, stories);
  const state = join(project.root, ".ai/STATE.json");
  writeFileSync(state, text);
  return {
    ...project,
    state: () => fieldsIn(state),
    write: (fields: Fields) => writeFileSync(state, JSON.stringify(fields)),
  };
}

/** Stage, what `continue` does, and the step and attempt that STATE.json shows then. */
const stages: readonly (readonly [string, "dispatched" | "needs_human" | "done", string, number])[] = [
  ["01-start", "dispatched", "bdd", 1],
  ["02-bdd-running", "dispatched", "bdd", 2],
  ["03-bdd-pass", "dispatched", "sdd-delta", 1],
  ["04-contract-alias-applied", "needs_human", "review", 1],
  ["05-review-needs_human", "needs_human", "review", 1],
  ["06-review-approved", "dispatched", "scaffold", 1],
  ["07-scaffold-failing-red", "dispatched", "scaffold", 2],
  ["08-impl-failing-1", "dispatched", "impl", 2],
  ["09-impl-running-attempt2", "dispatched", "impl", 3],
  ["11-routed-to-sdd-delta", "dispatched", "sdd-delta", 2],
  ["13-blocked-max-attempts", "dispatched", "impl", 6],
  ["15-done", "done", "done", 1],
  ["16-reopened-impl", "dispatched", "impl", 1],
  ["17-custom", "dispatched", "bdd", 1],
];

test.for(stages)(
  "[PJ15 AG17 D15 D17] the recorded stage $0 goes on: $1 at $2, attempt $3",
  async ([name, type, step, attempt], { skip }) => {
    const file = join(samples, name, "STATE.json");
    skip(!existsSync(file), `the recorded stage is not at ${file}`);
    const text = readFileSync(file, "utf8");
    const before = JSON.parse(text) as Fields;
    const { root, go, state } = await leftProject("1", text);
    const notes: string[] = [];
    const { result, prompt } = await go({ executor: undefined, onNote: (note) => notes.push(note) });
    const after = state();
    expect({ type: result.type, ...after }).toMatchObject({ type, story: before["story"], step, attempt });
    expect(result).toMatchObject(type === "dispatched" ? { type, step, attempt } : { type });
    expect(Object.keys(after)).toEqual(expect.arrayContaining(Object.keys(before)));
    for (const key of ["last_error", "task_type", "agent_teams", "reopened_from"])
      expect(after[key]).toEqual(before[key]);
    expect(prompt ?? "").toContain(attempt > 1 ? `(Attempt ${attempt} of ` : "");
    expect(prompt ?? "").toContain((before["human_note"] as string | null) ?? "");
    expect(notes.join("\n")).toContain(String(before["story"]));
    // What is done starts no run, and nothing is written.
    const log = join(root, ".ai/hook.log");
    expect(existsSync(log) && readFileSync(log, "utf8").includes("import: ")).toBe(type !== "done");
  },
);

test("[PJ15 AG17 AG21 D47 D50 D69 D74] a story goes on to its end by sessions that copy their attempt from STATE.json", async () => {
  const project = await leftProject("2", JSON.stringify(left({ step: "contract", human_note: "one owner" })), [
    "US-001",
    "US-009",
  ]);
  const { app, root, go, sessions, prompt, state, write } = project;
  mkdirSync(join(root, ".ai/states"), { recursive: true });
  writeFileSync(
    join(root, ".ai/states/US-001.json"),
    JSON.stringify(left({ story: "US-001", step: "done", status: "pass" })),
  );
  project.report("US-005 contract 3", "failing null");
  expect((await go()).report).toContain("US-005 needs your review");
  expect(sessions()).toEqual(["US-005 contract 3", "US-005 contract 4"]);
  expect(prompt("US-005 contract 3")).toContain("one owner");
  expect(state()).toMatchObject({
    step: "review",
    status: "needs_human",
    own: { kept: true },
    files_changed: ["US-005.txt"],
  });
  await approveStory(app, {});
  // Written by hand, just before the story goes on.
  write({ ...state(), human_note: "mind the time zone" });
  await go();
  expect(prompt("US-005 scaffold 1")).toContain("mind the time zone");
  expect(sessions().slice(2)).toEqual([
    ...["scaffold", "impl", "verify", "update-memory"].map((step) => `US-005 ${step} 1`),
    ...["bdd", "sdd-delta", "contract"].map((step) => `US-009 ${step} 1`),
  ]);
});

test("[PJ15 AG18 AG19 D25 D42 D75] a session that may be at work is refused unless it is taken over, and so is what cannot be read", async () => {
  const running = left({ status: "running", dispatched_at: new Date().toISOString() });
  const { root, go, write, sessions } = await leftProject("2", JSON.stringify(running));
  const refused = async () => await go().catch((error: unknown) => error);
  expect(await refused()).toMatchObject({
    code: "REFUSED",
    message: expect.stringContaining("at work for another 10 min"),
  });
  write({ ...running, step: "banana", status: "pass" });
  expect(await refused()).toMatchObject({ code: "INPUT_INVALID", message: expect.stringContaining('step "banana"') });
  expect(existsSync(join(root, ".ai/stories.json"))).toBe(false);
  write({ ...running, step: "update-memory" });
  expect((await go({ takeOver: true })).result.type).toBe("done");
  expect(sessions()).toEqual(["US-005 update-memory 3"]);
});

test("[PJ15 PJ23 AG17 D15] stories whose own files show them in the middle go on there, and what cannot be used is said", async () => {
  const project = await leftProject("2", JSON.stringify(left({ story: "US-001", step: "done", status: "pass" })), [
    "US-001",
    "US-002",
    "US-003",
    "US-004",
  ]);
  const { root, go, sessions } = project;
  mkdirSync(join(root, ".ai/states"), { recursive: true });
  const put = (story: string, text: string) => writeFileSync(join(root, `.ai/states/${story}.json`), text);
  put("US-002", JSON.stringify(left({ story: "US-002", step: "contract", attempt: 1, status: "failing" })));
  put("US-003", '{"project": ');
  put("US-004", JSON.stringify(left({ story: "US-004", step: "bdd", attempt: 1, status: "pending" })));
  const notes: string[] = [];
  await go({ onNote: (note) => notes.push(note) });
  expect(sessions()).toEqual(["US-002 contract 2"]);
  const said = notes.join("\n");
  expect(said).toContain("US-002 goes on at contract");
  expect(said).toMatch(/US-003\.json:1:\d+: not valid JSON.*; US-003 begins anew/);
  expect(said).not.toContain("US-004");
  expect(readFileSync(join(root, ".ai/hook.log"), "utf8")).toContain("import: ");
});

test("[PJ15 PJ23 D25] a story that the store knows is not imported again, which is said, and a refused start changes nothing", async () => {
  const project = await leftProject("2", JSON.stringify(left({})));
  const { app, root, go, write, state } = project;
  await expect(go({ executor: "no-such-agent" })).rejects.toThrow("no-such-agent");
  expect(existsSync(join(root, ".ai/stories.json"))).toBe(false);
  expect(existsSync(join(root, ".ai/hook.log"))).toBe(false);
  await go();
  expect(state()).toMatchObject({ story: "US-005", step: "done" });
  write({ ...state(), step: "impl", status: "failing" });
  await addStory(app, { dir: root, story: "US-006", title: "x" });
  const notes: string[] = [];
  await go({ onNote: (note) => notes.push(note) });
  expect(notes.join("\n")).toContain("STATE.json shows US-005 in the middle, but a run of this store had it (done)");
  expect(state()).toMatchObject({ story: "US-006", step: "review" });
});
