// The one sentence that says what a run is doing or what it waits for.

import { describe, expect, test } from "vitest";
import { Driver } from "../../test/support/engine/driver.ts";
import { unfinished } from "../../test/support/engine/reports.ts";
import { agent, fail, gate, next, stories, workflow } from "../../test/support/engine/workflow.ts";
import { why } from "./why.ts";

const line = () => new Driver(workflow([agent("work"), gate("review"), agent("ship")]));
const say = (run: Driver) => why(run.run, run.at);

describe("a run that is over", () => {
  test("[WY1] done, and how long it took", () => {
    const run = new Driver(workflow([agent("work")]));
    run.at += 125_000;
    run.pass("work");
    run.at += 9_000;
    expect(say(run)).toBe("Done in 2 min.");
  });

  test("[WY1 LI10] failed or cancelled, and why", () => {
    const failed = new Driver(workflow([agent("work", { onError: fail("broken") })]));
    failed.fails("work", "exit 3");
    expect(say(failed)).toBe("The run failed: broken: exit 3.");
    const known = new Driver(workflow([agent("work", { onError: fail("broken") })]));
    known.fails("work", "exit 3 (a hint)");
    expect(say(known)).toBe("The run failed: broken: exit 3 (a hint).");
    const cancelled = line();
    cancelled.cancel("not needed");
    expect(say(cancelled)).toBe("The run was cancelled: not needed.");
  });
});

describe("a run at work", () => {
  test("[WY2] a ready step waits for a worker", () => {
    expect(say(line())).toContain("work is ready and waits for a worker");
  });

  test("[WY2] a step that is ready again says how its last attempt ended", () => {
    const run = line();
    run.lose("work");
    expect(say(run)).toContain("work is ready again (its last attempt was lost)");
    run.fails("work");
    expect(say(run)).toContain("(its last attempt failed)");
    run.finish("work", unfinished("invalid_output"));
    expect(say(run)).toContain("(its last attempt had no readable answer)");
  });

  test("[WY2] a running step says which story, which attempt, which executor and for how long", () => {
    const run = new Driver(workflow([agent("plan"), stories("each", [agent("code")])]));
    run.plan("plan", "US-1");
    run.claim("US-1/code");
    run.at += 3_600_000;
    expect(say(run)).toBe("US-1: code is running (attempt 1, scripted, for 1 h 0 min).");
  });

  test("[WY2 AT10] a step that waits for a time says until when", () => {
    const run = line();
    run.finish("work", unfinished("rate_limited", "429", { retryAt: 60_000 }));
    expect(say(run)).toBe("work waits until 1970-01-01T00:01:00.000Z (its last attempt was rate limited: 429).");
  });

  test("[WY3] an attempt whose driver is dead is not shown as running, and the sentence says what detects it", () => {
    const run = line();
    const { id } = run.claim("work");
    expect(why(run.run, run.at, { orphans: new Set([id]), waitsFor: () => null })).toContain(
      "work was running when its driver died; `pawl resume`",
    );
    expect(why(run.run, run.at, { orphans: new Set(["another" as never]), waitsFor: () => null })).toContain(
      "work is running",
    );
  });
});

test("[WY8 D12] an attempt that another program performs says where its report is waited for, and until when", () => {
  const run = line();
  const { id } = run.claim("work");
  const awaited = new Map([[id, { file: "/p/.ai/HANDOFF.md", until: 60_000 }]]);
  const known = { orphans: new Set<typeof id>(), waitsFor: () => null, awaited };
  const sentence =
    "work waits for another program's report in /p/.ai/HANDOFF.md, until 1970-01-01T00:01:00.000Z (attempt 1)";
  expect(why(run.run, run.at, known)).toContain(`${sentence}.`);
  expect(why(run.run, run.at, { ...known, orphans: new Set([id]) })).toContain(
    `${sentence}; its driver died, and \`pawl resume\` waits on`,
  );
});

test("[WY6] a ready step whose accounts are all held says what it waits for", () => {
  const run = line();
  const waitsFor = (_story: unknown, step: { name: string }) => (step.name === "work" ? "the account claude" : null);
  expect(why(run.run, run.at, { orphans: new Set(), waitsFor })).toBe("work waits for the account claude.");
});

describe("a run that waits for a person", () => {
  test("[WY4 GA10 X30] says for how long, what is asked and how to answer", () => {
    const run = line();
    run.pass("work");
    run.at += 59_000;
    const said = say(run);
    expect(said).toContain("The run waits for a person (asked 59 s ago): review?");
    expect(said).toContain("`pawl answer run-1.1 OPTION` (approve or reject)");
    expect(said).not.toContain("without an answer");
  });

  test("[WY4 GA11] names options, not the routes of their reasons", () => {
    const run = new Driver(workflow([gate("review", { approve: next, reject: fail(), "reject:unclear": next })]));
    expect(say(run)).toContain("(approve or reject)");
  });

  test("[WY4 GA12] says what is taken without an answer, and when", () => {
    const deadline = { afterMs: 59_000, option: "approve" };
    const run = new Driver(workflow([gate("review", { approve: next, reject: fail() }, deadline)]));
    expect(say(run)).toContain("without an answer, approve at 1970-01-01T00:01:00.000Z.");
  });

  test("[WY4 ST12] says which story asks", () => {
    const run = new Driver(workflow([agent("plan"), stories("each", [gate("look")])]));
    run.plan("plan", "US-1");
    expect(say(run)).toMatch(/US-1: look\?.*`pawl answer run-1\.US-1\.1 OPTION`/);
  });
});

describe("a paused run", () => {
  test("[WY5 LC1] says so, and what still runs", () => {
    const run = line();
    run.claim("work");
    run.pause();
    expect(say(run)).toMatch(/^Paused; `pawl resume` continues it\. Meanwhile work is running/);
  });

  test("[WY5 GA13] says which question is open: a resume alone moves nothing", () => {
    const run = line();
    run.pass("work");
    run.pause();
    expect(say(run)).toMatch(/^Paused; .* waits for a person .*`pawl answer run-1\.1 OPTION`/);
  });
});

describe("[WY7] the next command, and the time of this machine", () => {
  const known = { orphans: new Set<never>(), waitsFor: () => null, number: 3, localTime: () => "14:05" };
  const told = (run: Driver, more = {}) => why(run.run, run.at, { ...known, ...more });

  test("a run that is over", () => {
    const done = new Driver(workflow([agent("work")]));
    done.pass("work");
    expect(told(done)).toBe("Done in 0 s. `pawl status 3` shows what it did.");
    const failed = new Driver(workflow([agent("work", { onError: fail("broken") })]));
    failed.fails("work", "exit 3");
    expect(told(failed)).toBe("The run failed: broken: exit 3. Try again with `pawl retry 3`, then `pawl resume 3`.");
    const cancelled = line();
    cancelled.cancel("not needed");
    expect(told(cancelled)).toBe("The run was cancelled: not needed. `pawl status 3` shows what it did.");
  });

  test("a run that a process drives, and one that none does", () => {
    const run = line();
    run.claim("work");
    expect(told(run, { isDriven: true })).toBe(
      "work is running (attempt 1, scripted, for 0 s). `pawl logs 3 --follow` shows the work.",
    );
    run.lose("work");
    expect(told(run, { isDriven: true })).toMatch(
      /ready .* and waits for a free slot, or for an agent that pulls \(`pawl worker list` shows who works\)\. /,
    );
    expect(told(run, { isDriven: false, hasWorker: true })).toMatch(
      /a worker takes it if it has its executor, and `pawl resume 3` continues it here\.$/,
    );
    run.claim("work");
    run.finish("work", unfinished("rate_limited", "429", { retryAt: 60_000 }));
    expect(told(run, { isDriven: false })).toBe(
      "work waits until 14:05 (its last attempt was rate limited: 429). No process drives it: `pawl resume 3` continues.",
    );
  });

  test("a run that is paused, and what a person should know beside it", () => {
    const run = line();
    run.pause();
    expect(told(run, { caveats: ["The cap cannot be kept"] })).toMatch(
      /^Paused; `pawl resume 3` continues it\. Meanwhile work is ready .*\)\. The cap cannot be kept\.$/,
    );
  });
});
