// What people and other programs do to the files of a project between two commands: never overwritten unseen, never believed, always said.

import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agenticProject, type TestProject } from "../../../test/support/agentic-project.ts";
import { addStory, importStories } from "./add-story.ts";
import { approveStory, noteStory, rejectStory } from "./answers.ts";
import { sayFound } from "./found.ts";
import { hookSession } from "./hook.ts";
import { initProject } from "./init.ts";
import { projectAt } from "./place.ts";
import { openRun } from "./project-runs.ts";
import { projectPrompt } from "./prompts.ts";
import { watchProject } from "./watch.ts";

type State = Readonly<Record<string, unknown>>;

function read({ root }: TestProject, file = "STATE.json"): string {
  return readFileSync(join(root, ".ai", file), "utf8");
}

function stateOf(project: TestProject): State {
  return JSON.parse(read(project)) as State;
}

function change(project: TestProject, more: object): void {
  writeFileSync(join(project.root, ".ai/STATE.json"), JSON.stringify({ ...stateOf(project), ...more }));
}

/** What a command that changes nothing says. */
async function look({ app, root }: TestProject): Promise<readonly string[]> {
  return await sayFound(app, await projectAt(app, root));
}

/** The changes in files that the run has recorded. */
async function recorded({ app, root }: TestProject): Promise<readonly string[]> {
  const { store } = (await app.read()).parts;
  const run = await openRun(store, { ai: join(root, ".ai") });
  const events = run === null ? [] : await store.events(run.id, 0, 1_000);
  return events.flatMap(({ event }) =>
    event.type === "file_change_adopted" || event.type === "file_change_refused"
      ? [`${event.type === "file_change_adopted" ? "adopted" : "refused"} ${event.field ?? "file"}`]
      : [],
  );
}

function filesIn(root: string): readonly string[] {
  return globSync(".ai/**/*", { cwd: root, withFileTypes: false }).toSorted();
}

test("[AG21 FC1 D25 D74] a file changed at a review: looking says it and changes nothing, the next command records it once", async () => {
  const project = await agenticProject("2", ["US-001", "US-002", "US-003"]);
  const { app, go, root, prompt } = project;
  await go();
  expect(stateOf(project)).toMatchObject({ step: "review", status: "needs_human" });
  change(project, { status: "pass", human_note: "use UTC", story: "US-003", owner: "ann" });
  const forged = read(project);
  const said = [
    expect.stringContaining("human_note is a note for the next session: use UTC"),
    "STATE.json: story US-003 comes next, when US-001 is done",
    expect.stringContaining('status "pass" is not taken: answers are given with `pawl project approve`'),
    expect.stringContaining("owner stays in the file"),
  ];
  expect(await look(project)).toEqual(said);
  expect((await projectPrompt(app, { dir: root })).step).toBe("scaffold");
  expect(read(project)).toBe(forged);
  expect(await recorded(project)).toEqual([]);

  await noteStory(app, { dir: root, text: "and metres" });
  const taken = ["adopted human_note", "adopted story", "refused status", "adopted owner"];
  expect(await recorded(project)).toEqual(taken);
  expect(await look(project)).toEqual([]);
  expect(stateOf(project)).toMatchObject({
    story: "US-001",
    step: "review",
    status: "needs_human",
    human_note: "use UTC\n\nand metres",
    owner: "ann",
  });
  for (const why of ["human_note is a note", "story US-003 comes next", "is not taken"])
    expect(read(project, "hook.log")).toContain(why);

  await approveStory(app, { dir: root });
  await go();
  expect(prompt("US-001 scaffold 1").match(/use UTC/g)).toHaveLength(1);
  // The chosen story, and what others added stays when another story is shown.
  expect(stateOf(project)).toMatchObject({ story: "US-003", step: "review", owner: "ann" });
  expect(await recorded(project)).toEqual(taken);
});

test("[AG21 AG24 D25] what only Pawl writes is refused field by field with the command that does it", async () => {
  const project = await agenticProject("2");
  const { app, go, root } = project;
  await go();
  const before = stateOf(project);
  change(project, {
    step: "verify",
    attempt: 9,
    story: "US-009",
    human_note: 5,
    blocked_by: ["US-000"],
    tests: { pass: 44, fail: 0, skip: 0, flaky: 3 },
  });
  await expect(rejectStory(app, { dir: root, reason: "nonsense" })).rejects.toThrow("is no reason");
  expect(await recorded(project)).toEqual([
    "refused human_note",
    "refused story",
    "refused step",
    "refused attempt",
    "refused blocked_by",
    "adopted tests.flaky",
  ]);
  expect(stateOf(project)).toEqual({ ...before, tests: { pass: 44, fail: 0, skip: 0, flaky: 3 } });
  const log = read(project, "hook.log");
  expect(log).toContain("US-009 is not a story of this project: pawl project add US-009 TITLE");
  expect(log).toContain("attempt 9 is not taken: attempts are counted; `pawl project retry` renews the limit");
});

test("[AG25 PJ2 PJ21 D25 D93] another tool's STATE.json: every command says it, and none writes beside it", async () => {
  const project = await agenticProject("2");
  const { app, go, root } = project;
  const foreign = '{"tasks": [], "version": 3}\n';
  rmSync(join(root, ".ai"), { recursive: true });
  await initProject(app, { dir: root, level: "2" });
  writeFileSync(join(root, ".ai/STATE.json"), foreign);
  const files = filesIn(root);
  const says = "is not of this protocol (it has tasks, version); nothing was changed";
  expect(await look(project)).toEqual([expect.stringContaining(says)]);
  await expect(addStory(app, { dir: root, story: "US-009", title: "x" })).rejects.toThrow(says);
  writeFileSync(join(root, "prd.json"), "[]");
  await expect(importStories(app, { dir: root, file: "prd.json" })).rejects.toThrow(says);
  await expect(go()).rejects.toThrow(says);
  expect(await hookSession(app, root)).toMatchObject({ ended: false, report: expect.stringContaining(says) });
  expect(filesIn(root)).toEqual(files);
  expect(read(project)).toBe(foreign);
});

test("[PJ21] a folder that was made anew, or copied, is said, and only --take-over works there", async () => {
  const project = await agenticProject("2");
  const { app, go, root } = project;
  await go();
  const copy = `${root}-copy`;
  cpSync(root, copy, { recursive: true });
  const copied = expect.stringContaining(`is a copy of ${join(root, ".ai")}, where run 1 works; nothing was changed`);
  const place = await projectAt(app, copy);
  expect(await sayFound(app, place)).toEqual([copied]);
  await expect(approveStory(app, { dir: copy })).rejects.toThrow("is a copy of");
  expect((await hookSession(app, copy)).report).toContain("is a copy of");
  expect((await go({ dir: copy, takeOver: true })).report).toContain("US-001 needs your review");
  const { store } = (await app.read()).parts;
  expect((await openRun(store, place))?.number).toBe(2);
  // Each folder has its own run.
  expect(await look(project)).toEqual([]);
  expect(await sayFound(app, place)).toEqual([]);

  rmSync(join(root, ".ai"), { recursive: true });
  await initProject(app, { dir: root, level: "2" });
  await addStory(app, { dir: root, story: "US-009", title: "x" }).then(
    () => expect.unreachable(),
    (error: unknown) => expect(String(error)).toContain("was made anew, and run 1 still works on this project"),
  );
  expect(await look(project)).toEqual([expect.stringContaining("`pawl cancel 1` ends it")]);
  expect(existsSync(join(root, ".ai/stories.json"))).toBe(false);
  expect((await go({ takeOver: true })).report).toContain("US-001 needs your review");
  expect(await look(project)).toEqual([]);
});

test("[AG22 AG25 D25] a half-written file is said by those who look, and restored by the next that writes, with its text kept", async () => {
  const project = await agenticProject("2");
  const { app, go, root } = project;
  await go();
  const before = stateOf(project);
  writeFileSync(join(root, ".ai/STATE.json"), '{"project": "A", "human_note": "use U');
  expect(await look(project)).toEqual([expect.stringMatching(/STATE\.json:1:\d+: not valid JSON/)]);
  expect(read(project)).toBe('{"project": "A", "human_note": "use U');
  // An editor that goes on writing is not interrupted.
  setTimeout(
    () => writeFileSync(join(root, ".ai/STATE.json"), JSON.stringify({ ...before, human_note: "use UTC" })),
    300,
  );
  writeFileSync(join(root, ".ai/STATE.json"), '{"project": "A"');
  const seen = new AbortController();
  await watchProject(app, { dir: root, everyMs: 50, signal: seen.signal, onReport: () => seen.abort() });
  expect(stateOf(project)).toEqual({ ...before, human_note: "use UTC" });
  expect(existsSync(join(root, ".ai/STATE.json.broken"))).toBe(false);
  writeFileSync(join(root, ".ai/STATE.json"), "");
  await approveStory(app, { dir: root });
  expect(stateOf(project)).toMatchObject({ step: "scaffold", human_note: "use UTC" });
  expect(read(project, "STATE.json.broken")).toBe("");
});
