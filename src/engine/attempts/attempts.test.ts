// Attempts: when one may start, and which result counts.

import { describe, expect, test } from "vitest";
import { Driver } from "../../../test/support/engine/driver.ts";
import { passed, rejected, unfinished } from "../../../test/support/engine/reports.ts";
import { agent, backTo, featureDev, gate, workflow } from "../../../test/support/engine/workflow.ts";
import { attemptId, stepId, storyId, token } from "../../domain/ids.ts";
import { decide } from "../decide.ts";
import { replay } from "../evolve.ts";

const line = () => new Driver(workflow([agent("a"), agent("b"), agent("c")]));

describe("starting", () => {
  test("[AT1 A22] a ready step can be started", () => {
    const run = line();
    const attempt = run.claim("a");
    expect(run.step("a").state).toEqual({ status: "running", attempt: attempt.id });
    expect(attempt).toMatchObject({ name: "a", visit: 1, number: 1, state: { phase: "dispatched" } });
    expect(run.run.header.totals.attempts).toBe(1);
  });

  test("[AT1] a step that waits, is over, or does not exist cannot", () => {
    const run = line();
    run.pass("a");
    expect(run.refused(run.starting("a"))).toMatchObject({ code: "illegal", why: "step a is done, not ready" });
    expect(run.refused(run.starting("c"))).toMatchObject({ code: "illegal", why: "step c is waiting, not ready" });
    expect(run.refused(run.starting("d"))).toMatchObject({ code: "unknown" });
    expect(run.refused({ ...run.starting("a"), story: storyId("US-1") })).toMatchObject({ code: "unknown" });
  });

  test("[AT1] a gate cannot", () => {
    const run = new Driver(workflow([gate("review")]));
    expect(run.refused(run.starting("review"))).toMatchObject({ code: "illegal" });
  });

  test("[AT1 AT10 B14] a rate-limited step waits until its time", () => {
    const run = line();
    run.finish("a", unfinished("rate_limited", "429", { retryAt: run.at + 5_000 }));
    expect(run.status).toBe("running");
    run.at += 4_999;
    expect(run.refused(run.starting("a"))).toMatchObject({ code: "illegal", why: "step a is not due yet" });
    run.at += 1;
    run.pass("a");
    expect(run.states()).toMatchObject({ a: "done" });
  });

  test("[AT18] a clock that is put back delays no step that has no pause", () => {
    const run = line();
    run.at -= 3_600_000;
    run.pass("a");
    run.at -= 3_600_000;
    run.pass("b");
    expect(run.states()).toMatchObject({ a: "done", b: "done", c: "ready" });
  });

  test("[AT18] a clock that is put back by more than a pause ends it; by less, it prolongs it by that", () => {
    const run = line();
    const { at } = run;
    run.finish("a", unfinished("failed", "it crashed", { retryAt: at + 5_000 }));
    run.at = at - 4_999;
    expect(run.refused(run.starting("a"))).toMatchObject({ why: "step a is not due yet" });
    run.at = at - 5_000;
    run.pass("a");
    expect(run.states()).toMatchObject({ a: "done" });
  });

  test("[AT18] a step that an older Pawl made ready waits until its time", () => {
    const run = line();
    const [started, readied] = run.events;
    if (started === undefined || readied?.type !== "step_readied") throw new Error("a run begins with a ready step");
    const { pauseMs: _, ...old } = readied;
    const before = replay([started, old]);
    if (before === null) throw new Error("its events begin a run");
    const startAt = (at: number) => decide(before, { ...run.starting("a"), at, author: "driver" });
    expect(startAt(run.at - 3_600_000)).toMatchObject({ accepted: false, why: "step a is not due yet" });
    expect(startAt(run.at)).toMatchObject({ accepted: true });
  });

  test("[AT10] a time in the past means now", () => {
    const run = line();
    run.finish("a", unfinished("rate_limited", "429", { retryAt: 1 }));
    expect(run.step("a").state).toEqual({ status: "ready", notBefore: run.at, pauseMs: 0 });
  });

  test("[AT15] a failure that only a person can fix asks them, uses up no limit, and continues with the answer", () => {
    const run = line();
    for (let times = 0; times < 5; times += 1) {
      run.finish("a", unfinished("failed", "not logged in", { asks: "Log in. Continue?" }));
      expect(run.status).toBe("held");
      expect(run.gates("a").at(-1)).toMatchObject({
        question: "Log in. Continue?",
        options: { again: { to: "again" } },
      });
      run.answer("a", "again");
    }
    run.pass("a");
    expect(run.states()).toMatchObject({ a: "done" });
    const stopped = line();
    stopped.finish("a", unfinished("failed", "not logged in", { asks: "Log in. Continue?" }));
    stopped.answer("a", "stop");
    expect(stopped.status).toBe("failed");
  });

  test("[AT15] the feedback for the step is kept after the answer", () => {
    const run = new Driver(workflow([agent("a"), agent("b", { on: { rejected: backTo("a") } })]));
    run.pass("a");
    run.reject("b", "the button is green");
    run.finish("a", unfinished("failed", "not logged in", { asks: "Log in. Continue?" }));
    run.answer("a", "again");
    expect(run.step("a").feedback).toContain("the button is green");
  });

  test("[AT16] an agent that asks has completed without a verdict, uses up no limit, and gets the answer", () => {
    const run = line();
    for (let times = 0; times < 5; times += 1) {
      const asked = { question: "Which database?", options: ["SQLite", "Postgres", "stop", "a:b", ""] };
      run.finish("a", unfinished("failed", "it asks", { asked }));
      expect(run.status).toBe("held");
      const gate = run.gates("a").at(-1);
      expect(gate).toMatchObject({ question: "Which database?", cause: "asked", deadline: null });
      expect(Object.keys(gate?.options ?? {})).toEqual(["SQLite", "Postgres", "stop"]);
      run.answer("a", "Postgres", { note: "version 17" });
      expect(run.step("a").feedback).toContain("You asked: Which database?\nThe answer: Postgres\n\nversion 17");
    }
    expect(run.attempts("a").at(-1)?.state).toMatchObject({ outcome: "completed", verdict: null, discards: false });
    expect(run.events.filter(({ type }) => type === "limits_renewed")).toEqual([]);
    run.pass("a");
    expect(run.states()).toMatchObject({ a: "done" });
  });

  test("[AT16] an open question is answered in the person's own words; `stop` fails the step", () => {
    const run = line();
    run.finish("a", unfinished("failed", "it asks", { asked: { question: "How?", options: [] } }));
    expect(Object.keys(run.gates("a").at(-1)?.options ?? {})).toEqual(["answer", "stop"]);
    expect(run.refused(run.answering("a", "answer")).why).toContain("add it with --note TEXT");
    run.answer("a", "stop");
    expect(run.status).toBe("failed");
  });

  test("[AT2 AT5 A32] of two workers that start the same ready step, exactly one is accepted", () => {
    const run = line();
    const decisions = [run.ask(run.starting("a"), "driver:1"), run.ask(run.starting("a"), "driver:2")];
    expect(decisions.map(({ accepted }) => accepted)).toEqual([true, false]);
    expect(run.attempts("a")).toHaveLength(1);
  });

  test("[AT2 A32] of two decisions on the same state the first one written wins, and the other is decided again", () => {
    const run = line();
    const seen = run.run;
    const [first, second] = [run.starting("a"), run.starting("a")];
    const at = { at: run.at, author: "driver" };
    expect(decide(seen, { ...first, ...at }).accepted).toBe(true);
    expect(decide(seen, { ...second, ...at }).accepted).toBe(true);
    run.must(first);
    expect(run.refused(second).why).toBe("step a is running, not ready");
  });

  test("[AT9] attempts are numbered over all visits of their step", () => {
    const run = line();
    run.fails("a");
    run.lose("a");
    run.claim("a");
    expect(run.attempts("a").map(({ number }) => number)).toEqual([1, 2, 3]);
  });
});

describe("phases", () => {
  test("[AT7 AT9] dispatched, started, ended; its workspace stays known", () => {
    const run = line();
    run.claim("a");
    run.begin("a", "c0ffee");
    expect(run.attempts("a")[0]?.state).toEqual({ phase: "started", workspace: "/w", base: "c0ffee" });
    run.pass("a");
    expect(run.attempts("a")[0]?.state).toMatchObject({ phase: "ended", workspace: "/w", base: "c0ffee" });
  });

  test("[AT7] an attempt begins once, and not after its end", () => {
    const run = line();
    const attempt = run.claim("a");
    const begin = { type: "begin_attempt", story: null, attempt: attempt.id, workspace: null, base: null } as const;
    run.must(begin);
    expect(run.refused(begin)).toMatchObject({ code: "stale" });
    run.pass("a");
    expect(run.refused(begin)).toMatchObject({ code: "stale" });
    expect(run.refused({ ...begin, attempt: attemptId("nobody") })).toMatchObject({ code: "unknown" });
  });

  test("[AT7] an attempt may end without having begun", () => {
    const run = line();
    const attempt = run.claim("a");
    run.must(run.finishing(attempt, unfinished("lost"), null));
    expect(run.attempts("a")[0]?.state).toMatchObject({ phase: "ended", outcome: "lost", workspace: null });
  });
});

describe("which result counts", () => {
  test("[AT3 X8 antfarm I] the same result twice: the second is recorded and changes nothing", () => {
    const run = line();
    const finish = run.finishing(run.claim("a"), passed());
    run.must(finish);
    expect(run.refused(finish)).toMatchObject({ code: "stale", events: [{ type: "report_refused" }] });
    expect(run.states()).toEqual({ a: "done", b: "ready", c: "waiting" });
  });

  test("[AT12 CH1 antfarm I] a waiting step cannot be completed, so no later step starts out of order", () => {
    const run = line();
    const report = passed();
    const asking = { type: "finish_attempt", story: null, attempt: attemptId("b"), token: token("b"), report } as const;
    expect(run.refused(asking)).toMatchObject({ code: "unknown" });
    expect(run.states()).toEqual({ a: "ready", b: "waiting", c: "waiting" });
  });

  test("[AT12 RU8] a result for a story that is not at work is refused", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1", "US-2");
    const attempt = run.claim("US-1/implement");
    const story = storyId("US-2");
    expect(run.refused({ ...run.finishing(attempt, passed()), story } as never)).toMatchObject({ code: "unknown" });
  });

  test("[AT4 X8] a report with a foreign token is refused", () => {
    const run = line();
    const attempt = run.claim("a");
    expect(run.refused(run.finishing(attempt, passed(), "stolen"))).toMatchObject({ code: "stale" });
    expect(run.step("a").state.status).toBe("running");
    run.must(run.finishing(attempt, passed()));
  });

  test("[AT4 X8] a worker that was presumed dead cannot overwrite its successor", () => {
    const run = line();
    const dead = run.claim("a");
    run.must(run.finishing(dead, unfinished("lost"), null));
    const successor = run.claim("a");
    expect(run.refused(run.finishing(dead, passed({ outputs: { notes: "late" } })))).toMatchObject({ code: "stale" });
    expect(run.refused(run.finishing({ ...successor, token: dead.token }, passed()))).toMatchObject({ code: "stale" });
    run.must(run.finishing(successor, passed({ outputs: { notes: "right" } })));
    expect(run.context()).toEqual({ notes: "right" });
  });

  test("[AT4] the supervisor reports without a token", () => {
    const run = line();
    run.must(run.finishing(run.claim("a"), unfinished("timed_out"), null), "driver");
    expect(run.attempts("a")[0]?.state).toMatchObject({ outcome: "timed_out" });
    expect(run.step("a").state.status).toBe("ready");
  });

  test("[AT3 RU6 antfarm J] a failure after the completion changes nothing: a done run stays done", () => {
    const run = new Driver(workflow([agent("a")]));
    const attempt = run.claim("a");
    run.must(run.finishing(attempt, passed()));
    expect(run.refused(run.finishing(attempt, unfinished("failed")))).toMatchObject({ code: "stale" });
    expect(run.status).toBe("done");
  });

  test("[AT3 AT4 LC4 antfarm J3] a completion after the cancel changes nothing", () => {
    const run = new Driver(featureDev());
    run.plan("plan", "US-1");
    const attempt = run.claim("US-1/implement", "pull");
    run.cancel();
    const before = run.run;
    expect(run.refused(run.finishing(attempt, passed()))).toMatchObject({ code: "stale" });
    expect(run.run).toBe(before);
    expect(run.states("US-1")).toEqual({ implement: "cancelled", verify: "cancelled" });
    expect(run.status).toBe("cancelled");
  });

  test("[AT6] attempts of earlier visits stay as they were", () => {
    const run = line();
    run.fails("a", "exit 1");
    const [first] = run.attempts("a");
    run.pass("a");
    run.pass("b");
    expect(run.attempts("a")[0]).toEqual(first);
  });
});

describe("stopping", () => {
  const stopped = () => {
    const run = line();
    const attempt = run.claim("a");
    run.begin("a", "c0");
    run.cancel("enough");
    return { run, attempt };
  };

  test("[AT8 LC4] it keeps its step until its end is recorded, and its token is void", () => {
    const { run, attempt } = stopped();
    expect(run.attempts("a")[0]?.state).toEqual({ phase: "stopping", reason: "enough", workspace: "/w", base: "c0" });
    expect(run.step("a").state.status).toBe("running");
    expect(run.refused(run.finishing(attempt, passed()))).toMatchObject({
      code: "stale",
      why: `attempt ${attempt.id} is being stopped: enough`,
    });
  });

  test("[AT8] whatever it then reports, its outcome is cancelled and its outputs are dropped", () => {
    const { run, attempt } = stopped();
    run.must(run.finishing(attempt, passed({ outputs: { notes: "I made it" } }), null), "driver");
    expect(run.attempts("a")[0]?.state).toMatchObject({ outcome: "cancelled", verdict: null, taken: null });
    expect(run.states()).toEqual({ a: "cancelled", b: "cancelled", c: "cancelled" });
    expect(run.context()).toEqual({});
    expect(run.refused(run.finishing(attempt, rejected("no"), null))).toMatchObject({ code: "stale" });
  });

  test("[AT8] the step of an attempt that reports itself cancelled is ready again", () => {
    const run = line();
    run.finish("a", unfinished("cancelled"));
    expect(run.step("a").state.status).toBe("ready");
    expect(run.attempts("a")[0]?.state).toMatchObject({ outcome: "cancelled", taken: null });
  });
});

describe("what it leaves behind", () => {
  const left = (onFailure: "keep" | "reset", end: (run: Driver) => void) => {
    const run = new Driver(workflow([agent("a", { on: { rejected: backTo("a") } })], { onFailure }));
    end(run);
    const { state } = run.attempts("a")[0] ?? {};
    return state?.phase === "ended" ? state.discards : null;
  };

  test.each(["keep", "reset"] as const)("[AT13] a lost or stopped attempt leaves no work behind (%s)", (policy) => {
    expect(left(policy, (run) => run.lose("a"))).toBe(true);
    expect(left(policy, (run) => run.finish("a", unfinished("cancelled")))).toBe(true);
    const stop = (run: Driver) => {
      const attempt = run.claim("a");
      run.cancel();
      run.must(run.finishing(attempt, passed(), null));
    };
    expect(left(policy, stop)).toBe(true);
    const pulled = (run: Driver) => {
      run.claim("a", "pull");
      run.cancel();
    };
    expect(left(policy, pulled)).toBe(true);
  });

  test.each(["failed", "timed_out", "invalid_output", "rate_limited"] as const)(
    "[AT13] %s keeps its work for the next attempt, unless the workflow asks for a clean start",
    (outcome) => {
      expect(left("keep", (run) => run.finish("a", unfinished(outcome)))).toBe(false);
      expect(left("reset", (run) => run.finish("a", unfinished(outcome)))).toBe(true);
    },
  );

  test.each(["keep", "reset"] as const)(
    "[AT13] a completed attempt keeps its work, even if it is rejected (%s)",
    (policy) => {
      expect(left(policy, (run) => run.pass("a"))).toBe(false);
      expect(left(policy, (run) => run.reject("a"))).toBe(false);
    },
  );

  test("[AT13 RT2] an attempt with unreadable output has not completed", () => {
    expect(left("reset", (run) => run.say("a", "perhaps"))).toBe(true);
    expect(left("keep", (run) => run.say("a", "perhaps"))).toBe(false);
  });
});

test("[AT11 X37] the usage of all attempts adds up", () => {
  const run = line();
  const usage = { costUsd: 0.5, inputTokens: 100, outputTokens: 20 };
  run.finish("a", unfinished("failed", "exit 1", { usage }));
  run.pass("a", { usage });
  run.pass("b", { usage });
  expect(run.run.header.totals).toEqual({
    attempts: 3,
    steps: 3,
    unreported: 0,
    cacheReadTokens: 0,
    estimatedUsd: 0,
    costUsd: 1.5,
    inputTokens: 300,
    outputTokens: 60,
  });
});

test("[AT12] steps are matched by id, not by name", () => {
  const run = line();
  run.pass("a");
  expect(run.refused({ ...run.starting("b"), step: stepId("B") })).toMatchObject({ code: "unknown" });
});
