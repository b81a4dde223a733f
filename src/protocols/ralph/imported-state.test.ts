import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  attempt,
  began,
  event,
  runOf,
  sha,
  step as stepOf,
  time,
  writtenText,
} from "../../../test/support/ralph-facts.ts";
import type { Attempt } from "../../domain/attempt.ts";
import { AppError } from "../../domain/error.ts";
import type { Run } from "../../domain/run.ts";
import { readState } from "./imported-state.ts";
import {
  type StateDocument,
  stepStateFromFile,
  stepStatusInFile,
  storyStatusFromFile,
  storyStatusInFile,
} from "./state-document.ts";
import { StateProjection } from "./state-file.ts";

const written = (projection: StateProjection, run: Run) => JSON.parse(writtenText(projection, run)) as StateDocument;

const samples = fileURLToPath(new URL("../../../../shared/samples/dynamic-ralph/", import.meta.url));
const absent = !existsSync(samples);
if (absent) console.warn(`skipped: Dynamic Ralph's own files are not at ${samples}`);
const sample = (name: string) => readState(readFileSync(samples + name, "utf8"), name);

const step = { id: "step-001", type: "coding", status: "pending" };
const state = (story: object, more: object = {}) =>
  readState(
    JSON.stringify({ version: 1, created_at: "t", prd_file: "p", stories: { "US-001": story }, ...more }),
    "state.json",
  );

function failure(act: () => unknown): AppError {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

test.skipIf(absent)("[RA35 C102] the example of Dynamic Ralph resumes at the step that was in progress", () => {
  const { prdFile, createdAt, stories } = sample("from-seed/workflow_state.full-example.json");
  expect([prdFile, createdAt]).toEqual(["prd.json", "2025-01-15T10:00:00Z"]);
  expect(stories.map(({ adopted }) => `${adopted.id} ${adopted.status}`)).toEqual(["US-001 done", "US-002 waiting"]);
  expect(stories[1]?.spec).toMatchObject({
    id: "US-002",
    title: "Add profile status API endpoint",
    dependsOn: ["US-001"],
  });
  expect(stories[1]?.adopted.chain.map(({ id, name, state: is }) => `${id} ${name} ${is}`)).toEqual([
    "step-007 initial_testing done",
    "step-011 coding done",
    "step-012 linting done",
    "step-013 initial_testing waiting",
    "step-008 review waiting",
    "step-009 prune_tests waiting",
    "step-010 final_review waiting",
  ]);
  expect(stories[1]?.adopted.chain[0]).toMatchObject({
    description: "Run tests for status endpoint",
    notes: "2 of 4 tests failed: test_invalid_transition and test_unauthorized",
    restarts: 0,
  });
});

test.skipIf(absent)("[RA35 C44] a file that Dynamic Ralph wrote, with failed, blocked and timed-out stories", () => {
  const { stories } = sample("generated-by-5734a6b/workflow_state.json");
  expect(stories.map(({ adopted }) => `${adopted.id} ${adopted.status} ${adopted.chain.length}`)).toEqual([
    "US-001 done 10",
    "US-002 done 13",
    "US-003 failed 10",
    "US-004 blocked 0",
    "US-005 failed 10",
  ]);
  expect(stories[0]?.spec).toMatchObject({ description: "d", acceptanceCriteria: ["Typecheck passes"] });
  expect(stories[0]?.adopted.chain[8]).toMatchObject({ state: "skipped", reason: "nothing to prune" });
  expect(stories[4]?.adopted.chain[2]).toMatchObject({ state: "failed", reason: "Step timed out after 600s" });
});

test("[RA35] optional fields may be missing", () => {
  const { stories } = state({ status: "unclaimed" });
  expect(stories).toMatchObject([
    { spec: { id: "US-001", title: "US-001", dependsOn: [] }, adopted: { status: "waiting", chain: [] } },
  ]);
  const [story] = state({
    status: "in_progress",
    steps: [{ ...step, status: "in_progress", restart_count: 2, notes: null }],
  }).stories;
  expect(story?.adopted.chain).toEqual([
    {
      id: "step-001",
      name: "coding",
      description: "",
      state: "waiting",
      reason: "",
      notes: "",
      restarts: 2,
    },
  ]);
});

test("[RA36 C44] an unknown version is refused with its number", () => {
  for (const [version, shown] of [
    [2, "version 2"],
    ["1", 'version "1"'],
    [undefined, "version none"],
  ] as const) {
    const error = failure(() => state({ status: "unclaimed" }, { version }));
    expect(error.message).toContain(`state.json has ${shown}`);
    expect(error.exitCode).toBe(2);
  }
  expect(failure(() => readState("[]", "state.json")).message).toContain("version none");
});

test("[RA36] unknown step types are refused and listed", () => {
  const steps = [step, { ...step, id: "step-002", type: "deploy" }, { ...step, id: "step-003", type: "pray" }];
  const error = failure(() => state({ status: "in_progress", steps }));
  expect(error.details).toEqual([
    expect.stringContaining('US-001 step-002: unknown step type "deploy"; known types are context_gathering, '),
    expect.stringContaining('US-001 step-003: unknown step type "pray"'),
  ]);
  const source = JSON.stringify({ version: 1, stories: { a: { status: "unclaimed", steps } } });
  expect(readState(source, "state.json", ["coding", "deploy", "pray"]).stories).toHaveLength(1);
});

test("[RA36 C15] an invalid state file is refused with all its problems", () => {
  expect(failure(() => readState("{\n", "state.json")).message).toContain("state.json:2:1: not valid JSON");
  expect(failure(() => state({ status: "sleeping" })).message).toContain("stories.US-001.status");
  expect(failure(() => state({ status: "unclaimed", steps: [step, step] })).message).toContain(
    "step-001 is listed twice",
  );
  expect(failure(() => state({ status: "unclaimed", story_id: "US-002" })).message).toContain('story_id is "US-002"');
  const wrong = { status: "unclaimed", depends_on: ["../x"], steps: [{ ...step, id: "a/b", status: "odd" }] };
  expect(failure(() => state(wrong)).details).toHaveLength(3);
  expect(
    failure(() => readState('{"version": 1, "stories": {"../x": {"status": "unclaimed"}}}', "s")).message,
  ).toContain("../x");
});

test("[RA27 C30 C34] every status of the file maps to a state, and every state to a status of the file", () => {
  // A step in progress starts again, and a cancelled step has failed.
  const written = (words: Readonly<Record<string, string>>, states: Readonly<Record<string, string>>) =>
    Object.entries(states).map(([word, is]) => `${word} -> ${words[is]}`);
  expect(written(stepStatusInFile, stepStateFromFile)).toEqual([
    "pending -> pending",
    "in_progress -> pending",
    "completed -> completed",
    "skipped -> skipped",
    "failed -> failed",
    "cancelled -> failed",
  ]);
  expect(written(storyStatusInFile, storyStatusFromFile)).toEqual([
    "unclaimed -> unclaimed",
    "in_progress -> unclaimed",
    "completed -> completed",
    "failed -> failed",
    "blocked -> blocked",
  ]);
  expect(Object.values(stepStatusInFile).every((word) => word in stepStateFromFile)).toBe(true);
  expect(Object.values(storyStatusInFile).every((word) => word in storyStatusFromFile)).toBe(true);
});

describe("a run that continues from another program's file", () => {
  const name = "from-seed/workflow_state.full-example.json";
  const read = () => readState(readFileSync(samples + name, "utf8"), name);
  const original = () => JSON.parse(readFileSync(samples + name, "utf8")) as StateDocument;

  /** The run right after the import. */
  function adoptedRun(imported: ReturnType<typeof read>, tried: readonly Attempt[] = []): Run {
    return runOf(
      Object.fromEntries(
        imported.stories.map(({ spec, adopted }) => [
          spec.id,
          {
            ...spec,
            status: adopted.status,
            attempts: spec.id === "US-002" ? tried : [],
            chain: adopted.chain.map(({ id, name: type, state, notes, reason, description }) =>
              stepOf(id, type, { status: state, by: "edit", reason } as never, {
                description,
                ...(notes ? { notes } : {}),
              }),
            ),
          },
        ]),
      ),
    );
  }

  test("[RA37 C44] keeps the entries of steps that ran elsewhere, and puts old history before new", () => {
    const ran = {
      id: "step-001",
      type: "coding",
      status: "completed",
      description: "Write it",
      started_at: "2025-01-15T10:00:00Z",
      completed_at: "2025-01-15T10:20:00Z",
      git_sha_at_start: "abc1234",
      notes: "written",
      error: null,
      skip_reason: null,
      restart_count: 0,
      cost_usd: 0.25,
      input_tokens: 10,
      output_tokens: 2,
      log_file: "logs/US-002/step-001.jsonl",
    };
    const history = [{ timestamp: "t", action: "step_started", agent_id: 7, step_id: "step-001", details: {} }];
    const story = {
      story_id: "US-002",
      title: "T",
      status: "in_progress",
      agent_id: 7,
      claimed_at: "t",
      depends_on: [],
    };
    const last = { id: "step-002", type: "final_review", status: "pending", description: "Look" };
    const stories = { "US-002": { ...story, completed_at: null, steps: [ran, last], history } };
    const text = JSON.stringify({ version: 1, created_at: "t", prd_file: "prd.json", stories });
    const imported = readState(text, "state.json");
    const projection = new StateProjection({ prdFile: "prd.json", imported });
    const chain = imported.stories[0]?.adopted.chain ?? [];
    projection.apply(began);
    projection.apply(event(1, "US-002", { type: "story_adopted", of: "stories", chain }));
    projection.apply(event(2, null, { type: "story_changed", of: "US-002", status: "running", reason: "", slot: 1 }));
    const shown = written(projection, adoptedRun(imported)).stories["US-002"];
    expect(shown?.steps[0]).toEqual(ran);
    expect(shown?.history.slice(0, 1)).toEqual(history);
    expect(shown?.history.slice(1)).toMatchObject([{ action: "story_claimed", agent_id: 1 }]);
  });

  test.skipIf(absent)("[RA37 C44 C102] keeps the file's facts about steps that ran before", () => {
    const imported = read();
    const projection = new StateProjection({ prdFile: "prd.json", imported });
    const document = written(projection, adoptedRun(imported));
    const expected = original();
    expect(document.created_at).toBe(expected.created_at);
    expect(document.stories["US-001"]).toEqual(expected.stories["US-001"]);
    // No agent works on it yet.
    const waiting = expected.stories["US-002"];
    const steps = waiting?.steps.map((was) => (was.status === "in_progress" ? { ...was, status: "pending" } : was));
    expect(document.stories["US-002"]).toEqual({ ...waiting, status: "unclaimed", steps });
  });

  test.skipIf(absent)("[RA37 C44 C77] appends new history after the old", () => {
    const imported = read();
    const projection = new StateProjection({ prdFile: "prd.json", imported });
    const usage = { costUsd: 0.5, inputTokens: 5, outputTokens: 1 };
    const chain = imported.stories[1]?.adopted.chain ?? [];
    for (const it of [
      began,
      event(1, "US-001", { type: "story_adopted", of: "stories", chain: [] }),
      event(1, null, { type: "story_changed", of: "US-001", status: "done", reason: "" }),
      event(1, "US-002", { type: "story_adopted", of: "stories", chain }),
      event(2, null, { type: "story_changed", of: "US-002", status: "running", reason: "", slot: 1 }),
      event(3, "US-002", { type: "attempt_dispatched", attempt: "x", step: "step-013", number: 1 }),
    ])
      projection.apply(it);
    const tried = attempt({ step: "step-013", at: 3, usage });
    const { stories } = written(projection, adoptedRun(imported, [tried]));
    const was = original().stories;
    expect(stories["US-001"]?.history).toEqual(was["US-001"]?.history);
    expect(stories["US-002"]).toMatchObject({ agent_id: 1, claimed_at: was["US-002"]?.claimed_at });
    expect(stories["US-002"]?.history.slice(0, 2)).toEqual(was["US-002"]?.history);
    expect(stories["US-002"]?.history.slice(2)).toMatchObject([
      { action: "story_claimed" },
      { action: "step_started", step_id: "step-013" },
    ]);
    expect(stories["US-002"]?.steps[3]).toMatchObject({ started_at: time(3), git_sha_at_start: sha, cost_usd: 0.5 });
  });

  test.skipIf(absent)("[RA37] a cancelled step stays cancelled, and the written file can be read again", () => {
    const file = "generated-by-5734a6b/workflow_state.json";
    const imported = readState(readFileSync(samples + file, "utf8"), file);
    const document = written(new StateProjection({ prdFile: "prd.json", imported }), adoptedRun(imported));
    expect(document.stories["US-005"]?.steps[2]).toMatchObject({
      status: "cancelled",
      error: "Step timed out after 600s",
      log_file: expect.stringContaining("run_ralph/") as string,
    });
    const again = readState(JSON.stringify(document), "again.json");
    expect(again.stories.map(({ adopted }) => adopted)).toEqual(imported.stories.map(({ adopted }) => adopted));
  });
});
