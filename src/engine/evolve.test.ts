// Replay: a run is what its log says.

import { describe, expect, test } from "vitest";
import { Driver } from "../../test/support/engine/driver.ts";
import { passed, unfinished } from "../../test/support/engine/reports.ts";
import {
  agent,
  ask,
  atMost,
  backTo,
  fail,
  featureDev,
  goTo,
  insert,
  workflow,
} from "../../test/support/engine/workflow.ts";
import type { Event } from "../domain/event.ts";
import { stepId } from "../domain/ids.ts";
import { evolve, replay, runState } from "./evolve.ts";
import { IllegalTransition } from "./tables.ts";

/** A run in which nearly everything happens. */
function eventful(): Driver {
  const definition = featureDev();
  const review = agent("review", {
    on: {
      rejected: atMost(1, backTo("implement"), ask({ more: insert("test"), end: goTo("end"), no: fail() })),
    },
  });
  const run = new Driver({
    ...definition,
    steps: [...definition.steps.slice(0, 4), review, agent("extra"), agent("end")],
  });
  run.lose("plan");
  run.plan("plan", "US-1", "US-2");
  run.claim("US-1/implement");
  run.begin("US-1/implement", "c0");
  run.pass("US-1/implement", { outputs: { changes: "one" }, usage: { costUsd: 1, inputTokens: 2, outputTokens: 3 } });
  run.reject("US-1/verify", "no tests", null, { outputs: { issues: "none" } });
  run.pass("US-1/implement");
  const late = run.claim("US-1/verify");
  run.must(run.finishing(late, passed()));
  run.refused(run.finishing(late, unfinished("failed")));
  run.pause();
  run.resume();
  run.fails("US-2/implement");
  run.fails("US-2/implement");
  run.retry();
  run.pass("US-2/implement");
  run.pass("US-2/verify");
  run.pass("test");
  run.pass("pr");
  run.reject("review", "1. names");
  run.pass("FIX-1/implement");
  run.pass("FIX-1/verify");
  run.pass("test");
  run.pass("pr");
  run.reject("review", "2. more names");
  run.answer("review", "more", { note: "test it" });
  run.pass("test~2");
  run.reject("review", "3. still");
  run.pass("FIX-2/implement");
  run.pass("FIX-2/verify");
  for (const step of ["test", "pr", "test~2"]) run.pass(step);
  run.reject("review", "4. enough");
  return run;
}

test("[RE1 B11] folding the log gives the state, after every command", () => {
  const run = eventful();
  expect(replay(run.events)).toStrictEqual(run.run);
  expect(new Set(run.events.map(({ type }) => type)).size).toBeGreaterThanOrEqual(20);
});

test("[RE1] any prefix of a log can be folded, and continuing from there gives the same", () => {
  const { events, run } = eventful();
  for (const cut of [1, 5, 20, 50, events.length - 1]) {
    let state = replay(events.slice(0, cut));
    for (const event of events.slice(cut)) state = evolve(state, event);
    expect(state).toStrictEqual(run);
  }
  expect(replay([])).toBeNull();
});

test("[RE2] events survive being written as JSON", () => {
  const { events, run } = eventful();
  const read = JSON.parse(JSON.stringify(events)) as Event[];
  expect(read).toStrictEqual(events);
  expect(replay(read)).toStrictEqual(run);
});

describe("a log that is wrong", () => {
  const said = { at: 1, author: "nobody", story: null };
  const run = () => new Driver(workflow([agent("a"), agent("b")]));

  test("[RE3] no event comes before run_started", () => {
    expect(() => replay([{ ...said, type: "run_paused" }])).toThrow(IllegalTransition);
  });

  test.each<Event>([
    { ...said, type: "step_done", step: stepId("a") },
    { ...said, type: "step_done", step: stepId("b") },
    { ...said, type: "step_done", step: stepId("nowhere") },
    { ...said, type: "run_resumed" },
    { ...said, type: "run_reopened" },
    { ...said, type: "attempt_began", attempt: "a9" as never, workspace: null, base: null },
    { ...said, type: "gate_voided", gate: "g9" as never, reason: "" },
    { ...said, type: "story_opened", of: "each" as never, chain: [] },
    { ...said, story: "US-1" as never, type: "step_done", step: stepId("a") },
    { ...said, type: "story_adopted", of: "each" as never, chain: [] },
    { ...said, story: "US-1" as never, type: "story_adopted", of: "each" as never, chain: [] },
    { ...said, type: "steps_inserted", before: stepId("nowhere"), steps: [] },
    { ...said, type: "step_amended", step: stepId("nowhere"), description: "" },
    { ...said, type: "steps_reordered", order: [stepId("b")] },
    { ...said, type: "steps_reordered", order: [stepId("a"), stepId("a")] },
    { ...said, type: "steps_reordered", order: [stepId("a"), stepId("a"), stepId("b")] },
    { ...said, type: "steps_reordered", order: [stepId("a"), stepId("b"), stepId("c")] },
  ])("[RE3 X5] $type of $step is refused where the tables do not have it", (event) => {
    expect(() => evolve(run().run, event)).toThrow(IllegalTransition);
  });

  test("[RE3 X5] a run ends once", () => {
    const ended = evolve(run().run, { ...said, type: "run_ended", status: "done", reason: "" });
    expect(runState(ended.header)).toBe("done");
    expect(() => evolve(ended, { ...said, type: "run_ended", status: "failed", reason: "" })).toThrow(
      IllegalTransition,
    );
  });

  test("[RE3 AT6] an ended attempt does not end again", () => {
    const driven = run();
    driven.pass("a");
    const ended = driven.happened("attempt_ended")[0];
    if (!ended) throw new Error("nothing ended");
    expect(() => evolve(driven.run, ended)).toThrow(IllegalTransition);
  });

  test("[RE3] a done story does not change", () => {
    const { run: state } = eventful();
    const event: Event = { ...said, type: "story_changed", of: "US-1" as never, status: "running", reason: "" };
    expect(() => evolve(state, event)).toThrow(IllegalTransition);
  });
});

test("[RE4 ED8] the record of an applied or refused edit is in the log and changes nothing", () => {
  const { run } = new Driver(workflow([agent("a")]));
  const said = { at: 1, author: "nobody", story: null };
  const operation = { op: "skip", step: stepId("a"), reason: "" } as const;
  const record = { by: null, operation, added: [], before: [], after: [], notes: [] };
  expect(evolve(run, { ...said, ...record, type: "chain_edited" })).toBe(run);
  expect(evolve(run, { ...said, type: "edit_refused", by: stepId("a"), why: "", notes: [] })).toBe(run);
});

test("[RE4 X8] a refused report is only in the log", () => {
  const run = new Driver(workflow([agent("a"), agent("b")]));
  const attempt = run.claim("a");
  run.must(run.finishing(attempt, passed()));
  const before = run.run;
  run.refused(run.finishing(attempt, passed()), "agent:ghost");
  expect(run.events.at(-1)).toMatchObject({ type: "report_refused", attempt: attempt.id, author: "agent:ghost" });
  expect(replay(run.events)).toStrictEqual(before);
});

test("[RE5] decide does not change its input", () => {
  // The test driver freezes every state, so a change would also throw.
  const run = eventful();
  const given = run.run;
  const before = structuredClone(given);
  run.cancel();
  expect(run.run).not.toBe(given);
  expect(given).toStrictEqual(before);
});

test("[RE1 RT9] continuing to the end from there replays too", () => {
  const run = eventful();
  run.answer("review", "end");
  run.pass("end");
  expect(run.status).toBe("done");
  expect(run.states()).toMatchObject({ extra: "skipped", end: "done" });
  expect(replay(run.events)).toStrictEqual(run.run);
});
