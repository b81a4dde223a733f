// Budgets: what a run, a story and a step may use, what happens then, and that every run ends.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Driver } from "../../test/support/engine/driver.ts";
import { performed, scopesOf } from "../../test/support/engine/invariants.ts";
import { passed, unfinished } from "../../test/support/engine/reports.ts";
import {
  again,
  agent,
  ask,
  atMost,
  backTo,
  decider,
  fail,
  featureDev,
  goTo,
  insert,
  limit,
  next,
  spending,
  stories,
  workflow,
} from "../../test/support/engine/workflow.ts";
import type { Definition } from "../domain/definition.ts";
import { timeLeft } from "./limits.ts";

describe("caps of the run", () => {
  test("[LI8] the attempt that would break the cap does not start, and its step fails", () => {
    const run = new Driver(
      workflow([agent("work", { on: { rejected: atMost(9, again) } })], { caps: { attempts: 2 } }),
    );
    run.reject("work");
    run.reject("work");
    run.must(run.starting("work"));
    expect(run.attempts("work")).toHaveLength(2);
    expect(run.run.header.end?.reason).toContain("the run has used its 2 attempts");
  });

  test("[LI8] retry raises no cap", () => {
    const run = new Driver(
      workflow([agent("work", { on: { rejected: atMost(9, again) } })], { caps: { attempts: 1 } }),
    );
    run.reject("work");
    run.must(run.starting("work"));
    expect(run.retry().accepted).toBe(true);
    expect(run.step("work").state.status).toBe("ready");
    run.must(run.starting("work"));
    expect(run.status).toBe("failed");
    expect(run.attempts("work")).toHaveLength(1);
  });

  test("[LI8] time: when the run's time is over nothing new starts", () => {
    const run = new Driver(workflow([agent("a"), agent("b")], { caps: { wallMs: 60_000 } }));
    run.at += 59_999;
    run.pass("a");
    run.at += 1;
    run.must(run.starting("b"));
    expect(run.run.header.end?.reason).toContain("the run has used its 1 minute");
  });

  test("[LI8] money: spending counts however the attempt ended", () => {
    const run = new Driver(workflow([agent("work")], { caps: { costUsd: 2 } }));
    const spent = { costUsd: 1, inputTokens: 10, outputTokens: 5 };
    run.finish("work", unfinished("lost", "gone", { usage: spent }));
    run.finish("work", unfinished("failed", "exit 1", { usage: spent }));
    run.must(run.starting("work"));
    expect(run.run.header.end?.reason).toContain("the run has spent its 2 USD");
  });

  test("[LI8] steps: a chain that grew beyond the cap starts nothing more", () => {
    const check = decider("check", { fix: atMost(9, insert("a", "a")) });
    const run = new Driver(workflow([agent("a"), check], { caps: { steps: 3 } }));
    run.finish("a", passed());
    run.say("check", "fix");
    run.must(run.starting("a~2"));
    expect(run.run.header.end?.reason).toContain("more than its 3 steps");
  });

  test("[LI8 ST8] at the cap the story fails, and with it the step and the run", () => {
    const run = new Driver({ ...featureDev(), caps: { ...featureDev().caps, attempts: 1 } });
    run.plan("plan", "US-1");
    run.must(run.starting("US-1/implement"));
    expect(run.storyStates()).toEqual({ "US-1": "failed" });
    expect(run.status).toBe("failed");
  });

  test("[LI8 X37] tokens: input and output count together", () => {
    const run = new Driver(workflow([agent("a"), agent("b"), agent("c")], { caps: { tokens: 100 } }));
    run.pass("a", { usage: { costUsd: 0, inputTokens: 60, outputTokens: 39 } });
    run.pass("b", { usage: { costUsd: 0, inputTokens: 0, outputTokens: 1 } });
    run.must(run.starting("c"));
    expect(run.run.header.end?.reason).toContain("the run has used its 100 tokens");
  });

  test("[LI8 X37] money: eight attempts of ten cents use up eighty cents, and no ninth starts", () => {
    const run = new Driver(workflow([agent("work", { onError: atMost(99, again) })], { caps: { costUsd: 0.8 } }));
    const usage = { costUsd: 0.1, inputTokens: 0, outputTokens: 0 };
    for (let time = 0; time < 8; time += 1) run.finish("work", unfinished("failed", "exit 1", { usage }));
    run.must(run.starting("work"));
    expect(run.attempts("work")).toHaveLength(8);
    expect(run.status).toBe("failed");
  });
});

describe("a cap that asks", () => {
  const capped = (caps: object, route = atMost(99, again)) =>
    new Driver(workflow([agent("work", { on: { rejected: route } })], { caps: { ...caps, then: "gate" } }));

  test("[LI11 GA9 X30] the step is held before it starts, and the question says which cap", () => {
    const run = capped({ attempts: 2 });
    run.reject("work");
    run.reject("work");
    run.must(run.starting("work"));
    expect(run.attempts("work")).toHaveLength(2);
    expect(run.states()).toEqual({ work: "held" });
    expect(run.openGate("work")).toMatchObject({
      cause: "cap",
      question: "the run has used its 2 attempts. Continue?",
    });
    expect(Object.keys(run.openGate("work").options)).toEqual(["continue", "stop"]);
  });

  test("[LI11] continue raises the cap by its original value and the step resumes in the same visit; then it asks again", () => {
    const run = capped({ attempts: 2, costUsd: 50 });
    run.reject("work");
    run.reject("work", "still red", null, { usage: { costUsd: 49, inputTokens: 0, outputTokens: 0 } });
    run.must(run.starting("work"));
    run.answer("work", "continue");
    expect(run.happened("caps_raised")).toMatchObject([{ caps: { attempts: 4, costUsd: 50, then: "gate" } }]);
    expect(run.happened("limits_renewed")).toEqual([]);
    expect(run.step("work")).toMatchObject({ visit: 1, state: { status: "ready" } });
    run.reject("work");
    run.reject("work");
    run.must(run.starting("work"));
    expect(run.states()).toEqual({ work: "held" });
    expect(run.attempts("work")).toHaveLength(4);
  });

  test("[LI11] stop fails the step and names the cap", () => {
    const run = capped({ attempts: 1 });
    run.reject("work");
    run.must(run.starting("work"));
    run.answer("work", "stop");
    expect(run.run.header.end?.reason).toBe("the run has used its 1 attempt");
    expect(run.happened("caps_raised")).toEqual([]);
  });

  test.each([
    ["costUsd", 0.5, 1],
    ["costUsd", 0, 1],
    ["tokens", 15, 30],
    ["attempts", 1, 2],
  ] as const)("[LI11] %s: %d becomes %d", (name, was, is) => {
    const run = capped({ [name]: was });
    const usage = { costUsd: was === 0 ? 0 : 0.5, inputTokens: 10, outputTokens: 5 };
    if (was !== 0) run.reject("work", "no", null, { usage });
    run.must(run.starting("work"));
    run.answer("work", "continue");
    expect(run.run.header.caps[name]).toBe(is);
    run.claim("work");
  });

  test("[LI11] time: the same time again from the answer on, however long the answer took", () => {
    const run = capped({ wallMs: 60_000 });
    run.at += 60_000;
    run.must(run.starting("work"));
    run.at += 1_000_000;
    run.answer("work", "continue");
    run.at += 59_999;
    run.reject("work");
    run.at += 1;
    run.must(run.starting("work"));
    expect(run.states()).toEqual({ work: "held" });
  });

  test("[LI11 LC5] pause, resume and retry raise no cap", () => {
    const run = capped({ attempts: 1 });
    run.reject("work");
    run.must(run.starting("work"));
    run.pause();
    run.resume();
    expect(run.retry().accepted).toBe(false);
    expect(run.states()).toEqual({ work: "held" });
    run.answer("work", "stop");
    run.retry();
    run.must(run.starting("work"));
    expect(run.openGate("work")).toMatchObject({ cause: "cap", id: "run-1.2" });
    expect(run.run.header.caps.attempts).toBe(1);
  });

  test("[LI11 ST12] each story that reaches a cap asks; the first answer raises it, the second adds nothing", () => {
    const run = new Driver(
      workflow([agent("plan"), stories("each", [agent("code")], { concurrency: 2 })], {
        caps: { attempts: 1, then: "gate" },
      }),
    );
    run.plan("plan", "US-1", "US-2");
    for (const story of ["US-1", "US-2"]) run.must(run.starting(`${story}/code`));
    expect(run.storyStates()).toEqual({ "US-1": "held", "US-2": "held" });
    run.answer("US-2/code", "continue");
    run.answer("US-1/code", "continue");
    expect(run.happened("caps_raised")).toHaveLength(1);
    expect(run.run.header.caps.attempts).toBe(2);
    run.pass("US-2/code");
    run.must(run.starting("US-1/code"));
    expect(run.storyStates()).toEqual({ "US-1": "held", "US-2": "done" });
  });
});

describe("budgets of money, tokens and time", () => {
  const usage = { costUsd: 1, inputTokens: 70, outputTokens: 30 };
  const budgeted = (...limit: Parameters<typeof spending>) =>
    new Driver(
      workflow([
        agent("work", { on: { rejected: atMost(99, again) }, budget: spending(...limit) }),
        agent("mid"),
        agent("ship"),
      ]),
    );

  test.each([
    ["money", { costUsd: 2 }, "work: its budget of 2 USD is spent"],
    ["tokens", { tokens: 200 }, "work: its budget of 200 tokens is spent"],
    ["time", { wallMs: 10_000 }, "work: its budget of 10 s is spent"],
  ] as const)("[LI12 LI10 X37] %s: what is spent starts nothing more, and the end says so", (_, spend, words) => {
    const run = budgeted(spend);
    for (let time = 0; time < 2; time += 1) {
      run.claim("work");
      run.at += 5_000;
      run.reject("work", "no", null, { usage });
      // Time between two attempts does not count.
      run.at += 100_000;
    }
    run.must(run.starting("work"));
    expect(run.attempts("work")).toHaveLength(2);
    expect(run.run.header.end?.reason).toBe(words);
  });

  test("[LI12] it never applies early", () => {
    const run = budgeted({ costUsd: 2.01, tokens: 201, wallMs: 1 });
    run.reject("work", "no", null, { usage });
    run.reject("work", "no", null, { usage });
    run.claim("work");
    expect(run.status).toBe("running");
  });

  test("[LI12 AT11] usage counts however the attempt ended", () => {
    const run = budgeted({ costUsd: 3 });
    for (const outcome of ["lost", "rate_limited", "failed"] as const) {
      run.finish("work", unfinished(outcome, outcome, { usage }));
    }
    run.must(run.starting("work"));
    expect(run.status).toBe("failed");
  });

  test("[LI12] it is the step's own: spending of other steps does not count", () => {
    const run = budgeted({ costUsd: 1 });
    run.pass("work", { usage });
    run.pass("mid", { usage });
    run.pass("ship", { usage });
    expect(run.status).toBe("done");
  });

  test("[LI12 RT7] with then: next or go_to the chain continues, and the step that could not start is skipped", () => {
    const on = budgeted({ costUsd: 1 }, next);
    on.reject("work", "no", null, { usage });
    on.must(on.starting("work"));
    expect(on.states()).toEqual({ work: "skipped", mid: "ready", ship: "waiting" });
    const past = budgeted({ costUsd: 1 }, goTo("ship"));
    past.reject("work", "no", null, { usage });
    past.must(past.starting("work"));
    expect(past.states()).toEqual({ work: "skipped", mid: "skipped", ship: "ready" });
    expect(past.attempts("work")).toHaveLength(1);
  });

  test("[LI12 LI9 GA9] with then: gate a person is asked; another round starts a new count", () => {
    const run = budgeted({ costUsd: 2 }, ask({ continue: again, stop: fail("stopped") }));
    for (let round = 1; round <= 2; round += 1) {
      run.reject("work", "no", null, { usage });
      run.reject("work", "no", null, { usage });
      run.must(run.starting("work"));
      expect(run.openGate("work").cause).toBe("exhausted");
      run.answer("work", "continue");
    }
    expect(run.attempts("work")).toHaveLength(4);
    expect(run.run.header.caps.costUsd).toBe(1_000);
  });

  test("[LI12 LC5] a retry starts a new count too", () => {
    const run = budgeted({ costUsd: 1 });
    run.reject("work", "no", null, { usage });
    run.must(run.starting("work"));
    run.retry();
    run.claim("work");
    expect(run.status).toBe("running");
  });

  test("[LI12 ST8] a story's budget covers all its steps together, and no other story's", () => {
    const body = [agent("code"), agent("verify", { on: { rejected: atMost(99, backTo("code")) } })];
    const each = stories("each", body, {
      concurrency: 2,
      onStoryFailed: "continue",
      storyBudget: spending({ costUsd: 3 }),
    });
    const run = new Driver(workflow([agent("plan"), each]));
    run.plan("plan", "US-1", "US-2");
    run.pass("US-1/code", { usage });
    run.reject("US-1/verify", "no", null, { usage });
    run.pass("US-1/code", { usage });
    run.must(run.starting("US-1/verify"));
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "running" });
    expect(run.step("US-1/verify").state).toMatchObject({ reason: "story US-1: its budget of 3 USD is spent" });
    run.pass("US-2/code", { usage });
    run.pass("US-2/verify", { usage });
    expect(run.storyStates()).toEqual({ "US-1": "failed", "US-2": "done" });
  });
});

describe("how long an attempt may run", () => {
  const leftOf = (run: Driver, place = "work", story: string | null = null) =>
    timeLeft(run.run, { story: story as never }, performed(run.run, story as never, place), run.at);

  test("[LI14] without a limit if no time limit is hard", () => {
    const run = new Driver(workflow([agent("work", { budget: spending({ wallMs: 10 }) })], { caps: { wallMs: 10 } }));
    expect(leftOf(run)).toBeNull();
  });

  test("[LI14] the time that the run has left", () => {
    const run = new Driver(workflow([agent("work")], { caps: { wallMs: 10_000, hard: true } }));
    run.at += 4_000;
    expect(leftOf(run)).toBe(6_000);
    run.at += 7_000;
    expect(leftOf(run)).toBe(0);
  });

  test("[LI14] the time that the step or its story has left, whichever is less", () => {
    const code = agent("code", {
      on: { rejected: atMost(9, again) },
      budget: spending({ wallMs: 10_000, hard: true }),
    });
    const each = stories("each", [agent("first"), code], { storyBudget: spending({ wallMs: 12_000, hard: true }) });
    const run = new Driver(workflow([agent("plan"), each]));
    run.plan("plan", "US-1");
    const work = (place: string, ms: number, end: () => void) => {
      run.claim(place);
      run.at += ms;
      end();
      run.at += 50_000;
    };
    work("US-1/first", 1_000, () => run.pass("US-1/first"));
    expect(leftOf(run, "code", "US-1")).toBe(10_000);
    work("US-1/code", 3_000, () => run.reject("US-1/code"));
    expect(leftOf(run, "code", "US-1")).toBe(7_000);
    work("US-1/code", 2_000, () => run.reject("US-1/code"));
    expect(leftOf(run, "code", "US-1")).toBe(5_000);
    expect(leftOf(run, "first", "US-1")).toBe(6_000);
  });
});

/** Starts every ready step and ends one attempt after the other until nothing moves; `end` chooses the outcome. */
function carryOn(run: Driver, end: (place: string) => void, pick = 0, most = 5_000): void {
  for (let turn = 0; turn < most; turn += 1) {
    for (const place of placesIn(run, "ready")) run.ask(run.starting(place), "driver");
    const running = placesIn(run, "running");
    const place = running[(pick * (turn + 1)) % (running.length || 1)];
    run.at += 1_000;
    if (place !== undefined) end(place);
    else if (placesIn(run, "ready").length === 0) return;
  }
  throw new Error("it never ends");
}

function placesIn(run: Driver, status: "ready" | "running"): readonly string[] {
  if (run.run.header.end) return [];
  return scopesOf(run.run).flatMap(({ story, scope }) =>
    scope.chain
      .filter(({ state }) => state.status === status && !(state.status === "running" && state.attempt === null))
      .map(({ id }) => (story === null ? id : `${story}/${id}`)),
  );
}

describe("a workflow that never converges", () => {
  test.each([0, 1, 5])("[LI15 LI10 B52 B53] ends at its limit of %i and names it", (times) => {
    const review = decider("review", { ok: next, fix: backTo("work") }, { budget: limit(times, fail("")) });
    const run = new Driver(workflow([agent("work"), review]), { replayEach: false });
    carryOn(run, (place) => (place === "work" ? run.pass(place) : run.say(place, "fix")));
    expect(run.attempts("review")).toHaveLength(times + 1);
    expect(run.run.header.end?.reason).toBe(`review: all routes back together: limit of ${times} reached`);
  });

  test("[LI15 LI10] a step that always fails ends at its own limit, in a story too", () => {
    const run = new Driver(featureDev({ maxRetries: 3 }));
    run.plan("plan", "US-1");
    carryOn(run, (place) => run.fails(place, "exit 1"));
    expect(run.attempts("US-1/implement")).toHaveLength(3);
    expect(run.messages("stuck")).toMatchObject([{ story: "US-1", text: "story US-1: limit of 2 reached" }]);
  });

  test("[LI15 LI8 Y6] loops in loops, each within its limit, end at the run's cap", () => {
    const back = (step: string) => ({ ok: next, fix: atMost(1_000, backTo(step)) });
    const steps = [agent("a"), decider("b", back("a")), decider("c", back("a")), decider("d", back("a"))];
    const run = new Driver(workflow(steps, { caps: { attempts: 200 } }), { replayEach: false });
    let turn = 0;
    carryOn(run, (place) => {
      turn += 1;
      if (place === "a") run.pass(place);
      else run.say(place, place === "d" || turn % 3 === 0 ? "fix" : "ok");
    });
    expect(run.run.header.totals.attempts).toBe(200);
    expect(run.run.header.end?.reason).toContain("the run has used its 200 attempts");
  });

  test("[LI15 LI9] so does one where a person always answers continue", () => {
    const more = ask({ continue: backTo("work"), stop: fail("stopped") });
    const review = decider("review", { ok: next, fix: backTo("work") }, { budget: limit(2, more) });
    const run = new Driver(workflow([agent("work"), review], { caps: { attempts: 50 } }), { replayEach: false });
    const end = (place: string) => (place === "work" ? run.pass(place) : run.say(place, "fix"));
    for (carryOn(run, end); run.status === "held"; carryOn(run, end)) run.answer("review", "continue");
    expect(run.run.header.totals.attempts).toBe(50);
    expect(run.run.header.end?.reason).toContain("the run has used its 50 attempts");
  });

  test("[LI15 LI8] so does one that is kept alive only by inserted steps", () => {
    const check = decider("check", { ok: next, fix: atMost(1_000, insert("debug")) });
    const run = new Driver(workflow([agent("debug"), check], { caps: { steps: 30 } }), { replayEach: false });
    carryOn(run, (place) => (place === "check" ? run.say(place, "fix") : run.pass(place)));
    expect(run.run.header.end?.reason).toContain("the run has more than its 30 steps");
  });
});

describe("a spender", () => {
  const body = [agent("code"), agent("verify", { on: { rejected: atMost(1_000, backTo("code")) } })];
  const spender = (concurrency: number, caps: object): Definition =>
    workflow([agent("plan"), stories("each", body, { concurrency, onStoryFailed: "continue" })], { caps });

  /** Rejects where possible and spends with each attempt; returns how many attempts started before the money was spent. */
  function spend(run: Driver, costUsd: number, pick: number): number {
    const usage = { costUsd, inputTokens: 0, outputTokens: 0 };
    const gone = () => run.run.header.totals.costUsd >= run.run.header.caps.costUsd - 1e-9;
    run.plan("plan", "US-1", "US-2", "US-3", "US-4", "US-5");
    let started: number | null = null;
    carryOn(
      run,
      (place) => {
        if (place.endsWith("verify")) run.reject(place, "no", null, { usage });
        else run.pass(place, { usage });
        if (gone()) started ??= run.run.header.totals.attempts;
      },
      pick,
    );
    return started ?? -1;
  }

  test.each(["fail", "gate"] as const)(
    "[LI13 LI8 X37] stops with the attempts that were running when its money ran out (then: %s)",
    (then) => {
      const cases = fc.record({
        concurrency: fc.integer({ min: 1, max: 4 }),
        cents: fc.integer({ min: 1, max: 40 }),
        costUsd: fc.integer({ min: 1, max: 5 }),
        pick: fc.nat(7),
      });
      const property = fc.property(cases, ({ concurrency, cents, costUsd, pick }) => {
        const run = new Driver(spender(concurrency, { costUsd, then }), { replayEach: false });
        const started = spend(run, cents / 100, pick);
        const { attempts, costUsd: spent } = run.run.header.totals;
        expect(attempts).toBe(started);
        expect(spent).toBeLessThan(costUsd + (concurrency * cents) / 100 + 1e-9);
        expect(run.status).toBe(then === "gate" ? "held" : "failed");
        expect(run.messages("budget").length).toBeGreaterThan(0);
      });
      fc.assert(property, { seed: 7, numRuns: 60 });
    },
  );

  test("[LI13 LI11] if a person raises the cap once, it stops again at the new cap", () => {
    const run = new Driver(spender(1, { costUsd: 1, then: "gate" }));
    spend(run, 0.25, 0);
    expect(run.run.header.totals.costUsd).toBe(1);
    const [place = ""] = ["US-1/code", "US-1/verify"].filter((at) => run.step(at).state.status === "held");
    run.answer(place, "continue");
    const usage = { costUsd: 0.25, inputTokens: 0, outputTokens: 0 };
    carryOn(run, (at) => (at.endsWith("verify") ? run.reject(at, "no", null, { usage }) : run.pass(at, { usage })));
    expect(run.run.header.totals.costUsd).toBe(2);
    expect(run.status).toBe("held");
  });
});
