// STATE.json files of another orchestrator: they load, lose no field when they are shown again, and their stories go on.

import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { StateFields } from "../../../test/support/other-orchestrator.ts";
import type { Definition } from "../../domain/definition.ts";
import { runId, storyId } from "../../domain/ids.ts";
import { startRun } from "../../engine/decide.ts";
import { packageFile } from "../../system/package-root.ts";
import { loadWorkflow } from "../../workflows/load.ts";
import { factsOf, withDefaults } from "../complete-protocol.ts";
import { agentic } from "./agentic.ts";
import { stateKeys } from "./first-state.ts";
import { type ImportRequest, importStory } from "./imported-state.ts";
import { storyDocument } from "./state-document.ts";

const samples = fileURLToPath(new URL("../../../../shared/samples/agentic-coding-framework/", import.meta.url));
const recorded = existsSync(samples) ? globSync(`${samples}generated-by-aco-0.8.3/*/STATE.json`).toSorted() : [];

const definition = bundled();
const body = definition.steps.flatMap((step) => (step.kind === "stories" ? step.body : []));
const afterwards = Date.parse("2026-11-16T00:00:00Z");
const request: ImportRequest = { file: ".ai/STATE.json", body, known: [], now: afterwards, takeOver: false };

function bundled(): Definition {
  const file = packageFile("workflows/agentic-coding/step-rules.yml");
  const loaded = loadWorkflow(readFileSync(file, "utf8"), file, [factsOf(withDefaults(agentic))]);
  if (loaded.definition === null) throw new Error(JSON.stringify(loaded.problems));
  return loaded.definition;
}

/** The run that starts from a file, and what it shows of its story. */
function started(text: string, more: Partial<ImportRequest> = {}) {
  const { story, ...imported } = importStory(text, { ...request, ...more });
  if (story === null) return { ...imported, run: null, document: null };
  const { run } = startRun({
    type: "start_run",
    at: afterwards,
    author: "test",
    run: runId("k3x"),
    definition,
    task: "work",
    place: { repo: "/p", kind: "worktree", base: "a", baseName: "main", branch: "b", shared: "/p/.ai" },
    executor: null,
    context: {},
    waits: "none",
    stories: [story.spec],
    adopted: [story.adopted],
  });
  const [entry] = run.header.stories;
  if (entry === undefined) throw new Error("no story");
  const found = JSON.parse(text) as Record<string, unknown>;
  const document = storyDocument({ run, project: imported.project, entry, facts: new Map(), imported: found });
  return { ...imported, run, document };
}

const state = (more: object = {}) =>
  JSON.stringify({
    project: "cart-app",
    story: "US-005",
    step: "impl",
    attempt: 2,
    max_attempts: 5,
    status: "failing",
    reason: "scope_warning",
    dispatched_at: "2026-11-15T20:27:28.811Z",
    completed_at: "2026-11-15T20:28:28.811Z",
    timeout_min: 10,
    tests: { pass: 42, fail: 2, skip: 1 },
    failing_tests: ["T1"],
    lint_pass: true,
    files_changed: ["a.go"],
    blocked_by: [],
    human_note: null,
    ...more,
  });

test("[AG17 D15] a story goes on at its step, and what other orchestrators know of it stays in the file", () => {
  const { document, notes } = started(state({ reason: null, last_error: "x", task_type: "story", own: [1] }));
  expect(document).toMatchObject({
    step: "impl",
    attempt: 3,
    status: "pending",
    tests: { pass: 42, fail: 2, skip: 1 },
    failing_tests: ["T1"],
    lint_pass: true,
    files_changed: ["a.go"],
    dispatched_at: "2026-11-15T20:27:28.811Z",
    last_error: "x",
    task_type: "story",
    own: [1],
  });
  expect(notes).toContain("2 attempts were made before; limits count anew");
  for (const attempt of [1.5, "2", -1, null])
    expect(started(state({ reason: null, attempt })).document).toMatchObject({ step: "impl", attempt: 1 });
  expect(started(state({ status: "needs_human" })).notes).toContain("it was waiting for a person at impl");
  expect(started(state({ step: "review", status: "needs_human" })).notes.join()).not.toContain("waiting for a person");
});

test.each([
  ["impl", "pass", "verify", "pending"],
  ["review", "pass", "scaffold", "pending"],
  ["review", "needs_human", "review", "needs_human"],
  ["review", "pending", "review", "needs_human"],
  ["bdd", "needs_human", "bdd", "pending"],
  ["api-contract", "timeout", "contract", "pending"],
  ["done", "pass", "done", "pass"],
])("[AG17 D17 D18] %s with status %s is shown at %s as %s", (step, status, shown, word) => {
  expect(started(state({ step, status, attempt: 1 })).document).toMatchObject({ step: shown, status: word });
});

test.each([
  ["review", "constitution_violation", "sdd-delta"],
  ["review", "needs_clarification", "bdd"],
  ["review", null, "bdd"],
  ["impl", "constitution_violation", "sdd-delta"],
  ["impl", "scope_warning", "review"],
  ["impl", "moon_phase", "impl"],
  ["verify", null, "impl"],
])("[AG17 D45 D49] %s that failed with %s goes on where the table says: %s", (step, reason, shown) => {
  const { document, notes, run } = started(state({ step, reason, attempt: 1, max_attempts: 2 }));
  expect(document).toMatchObject({ step: shown, attempt: step === shown ? 2 : 1 });
  expect(notes.some((note) => note.includes(`which leads to ${shown}`))).toBe(step !== shown);
  const chain = run?.stories["US-005" as never]?.chain ?? [];
  expect(chain.find(({ name }) => name === step)?.attemptsBefore).toBe(1);
});

test.each(["pending", "failing", "pass"])(
  "[AG17 D17] a story whose commit is %s goes on with its memory: everything before is done",
  (status) => {
    const { document, notes } = started(state({ step: "commit", status, attempt: 2, reason: null }));
    expect(document).toMatchObject({ step: "update-memory", status: "pending", attempt: 1 });
    expect(notes).toContain("step commit is not in this project's table; the story goes on at update-memory");
  },
);

test("[AG17 D48] a step whose attempts are used up is a failed story, which a retry brings back", () => {
  const { run, document } = started(state({ attempt: 5 }));
  expect(run?.header.stories[0]?.status).toBe("failed");
  expect(document).toMatchObject({ step: "impl", status: "failing", reason: "scope_warning", attempt: 5 });
});

test("[AG18 D42] a story that another orchestrator has running is refused until its time is over, or it is taken over", () => {
  const text = state({ status: "running" });
  const during = Date.parse("2026-11-15T20:30:00Z");
  expect(() => started(text, { now: during })).toThrow("a session is at work for another 8 min");
  expect(started(text, { now: during, takeOver: true }).document).toMatchObject({ step: "impl", status: "pending" });
  expect(started(text).notes).toContain("its last session was left running; it is dispatched again");
});

test("[AG19 D25] what is not a STATE.json of this protocol is refused with what it is", () => {
  const refused = (text: string) => () => importStory(text, request);
  expect(refused('{"a":1,\n "b" 2}')).toThrow(/STATE\.json:2:6/);
  for (const text of ["null", "3", "[]"]) expect(refused(text)).toThrow("not of this protocol (it has no fields)");
  expect(refused('{"project":"x","status":"pass"}')).toThrow("not of this protocol (it has project, status)");
  expect(refused('{"version":1,"tasks":[]}')).toThrow(
    "is not of this protocol (it has version, tasks); nothing was changed",
  );
  expect(refused("[]")).toThrow("is not of this protocol (it has no fields)");
  expect(refused(state({ step: "banana" }))).toThrow('step "banana" is not in the table');
  expect(refused(state({ status: "sleeping" }))).toThrow('status "sleeping" is not a status');
  expect(refused(state({ story: "../x" }))).toThrow('story "../x" is not an id');
});

test("[AG17 D53 D74] blocked_by becomes dependencies on known stories, and the human's note is for the next session", () => {
  const text = state({ blocked_by: ["US-001", "US-099"], human_note: "use UTC" });
  const imported = importStory(text, { ...request, known: [storyId("US-001")] });
  expect(imported.story?.spec.dependsOn).toEqual(["US-001"]);
  expect(imported.humanNote).toBe("use UTC");
  expect(imported.notes).toContainEqual(expect.stringContaining("US-099, which this project does not have"));
  expect(importStory(state({ story: null }), request).story).toBeNull();
});

const { cases } = JSON.parse(
  readFileSync(new URL("../../../test/fixtures/agentic/other-orchestrator.json", import.meta.url), "utf8"),
) as { readonly cases: readonly { readonly name: string; readonly state: object; readonly then: object }[] };

test.each(cases)("[AG17 D15 D18] $name is taken over from another orchestrator", (taken) => {
  const { document, humanNote } = started(JSON.stringify(taken.state));
  expect(document).toMatchObject(taken.then);
  expect(Object.keys(document ?? {})).toEqual(expect.arrayContaining(Object.keys(taken.state)));
  const { project, story, human_note, last_error, task_type, agent_teams, reopened_from } = taken.state as StateFields;
  expect(document).toMatchObject({ project, story, last_error, task_type, agent_teams, reopened_from });
  expect(humanNote).toBe(human_note);
});

test("[AG17 D15 D93] the documented examples load: a story at work, and a project without one", ({ skip }) => {
  const read = (name: string) => readFileSync(`${samples}from-seed/${name}`, "utf8");
  skip(!existsSync(samples), `the examples are not at ${samples}`);
  const example = JSON.parse(read("STATE.example.json")) as StateFields;
  const { story, step, project } = example;
  expect(started(read("STATE.example.json"), { takeOver: true }).document).toMatchObject({ story, step, project });
  expect(started(read("STATE.init.json")).run).toBeNull();
});

test("[AG17 D15] every recorded stage loads, is shown again without losing a field, and goes on", ({ skip }) => {
  skip(recorded.length === 0, `recorded stages are not at ${samples}`);
  expect(recorded.length).toBe(14);
  for (const file of recorded) {
    const text = readFileSync(file, "utf8");
    const name = basename(dirname(file));
    const before = JSON.parse(text) as Record<string, unknown>;
    const { run, document } = started(text);
    if (run === null || document === null) throw new Error(name);
    expect({ name, keys: Object.keys(document) }).toEqual({ name, keys: expect.arrayContaining(Object.keys(before)) });
    const own = Object.keys(before).filter((key) => !stateKeys.includes(key));
    expect({ name, own: own.length }).not.toEqual({ name, own: 0 });
    for (const key of ["project", "story", "tests", "failing_tests", "lint_pass", "files_changed", ...own])
      expect({ name, key, value: document[key] }).toEqual({ name, key, value: before[key] });
    const { chain } = run.stories[storyId(String(before["story"]))] ?? { chain: [] };
    const goesOn = chain.some(({ state: { status } }) => status === "ready" || status === "held");
    expect({ name, goesOn }).toEqual({ name, goesOn: before["step"] !== "done" });
  }
});
