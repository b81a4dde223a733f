// Decisions in the engine: limits that end with a person, stories that are not invented, and what is unknown.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Driver } from "../../test/support/engine/driver.ts";
import { unfinished, value } from "../../test/support/engine/reports.ts";
import {
  again,
  agent,
  ask,
  atMost,
  backTo,
  decision,
  fail,
  gate,
  goTo,
  insert,
  next,
  stories,
  workflow,
} from "../../test/support/engine/workflow.ts";
import { hasEnded } from "../domain/attempt.ts";
import type { StepDefinition } from "../domain/definition.ts";
import { type StoryId, stepName, storyId } from "../domain/ids.ts";
import type { Route } from "../domain/route.ts";
import { scopeOf } from "../domain/run.ts";

const spare = (step: StepDefinition): StepDefinition => ({ ...step, spare: true });
const fixBefore = (before: string, ...steps: string[]): Route => ({
  to: "insert",
  steps: steps.map(stepName),
  before: stepName(before),
});
const escalate = spare(gate("escalate", { execute: next, stop: fail("given up") }));
const body = [
  decision("stand", { start: next, verified: goTo("post-verify"), over: goTo("land") }),
  agent("execute"),
  agent("verify"),
  spare(agent("debug")),
  escalate,
  decision(
    "post-verify",
    { proceed: next, fix: atMost(2, fixBefore("execute", "debug"), insert("debug", "escalate")) },
    { waits: true },
  ),
  agent("review"),
  decision("post-review", {
    proceed: next,
    fix: atMost(1, insert("debug", "execute", "verify", "post-verify"), ask({ go: next, stop: fail() })),
  }),
  agent("land"),
];
const phases = (options: Parameters<typeof stories>[2] = {}) =>
  workflow([
    decision("locate", { phases: next, over: goTo("audit") }),
    stories("phases", body, { sentBack: "nothing", ...options }),
    agent("audit"),
    decision("post-milestone", { more: atMost(3, backTo("locate"), ask({ end: next })), complete: next }),
  ]);
const story = (id: string) => ({ id: storyId(id), title: id, description: "", acceptanceCriteria: [], dependsOn: [] });

function begin(): Driver {
  const run = new Driver(phases());
  run.say("locate", "phases", { stories: [story("P1")] });
  run.say("P1/stand", "start");
  return run;
}

/** One round of the fix chain: everything until post-verify says so again. */
function round(run: Driver, said: string, debug: string | null): void {
  if (debug !== null) run.pass(`P1/${debug}`);
  run.pass("P1/execute");
  run.pass("P1/verify");
  run.answer("P1/post-verify", "continue");
  run.say("P1/post-verify", said, { feedback: "2 gaps" });
}

describe("a chain that grows at decisions", () => {
  test("[DE4 DE5 DE6 WT1 RT8 RT12 LI5 E46] fixes twice, then debugs once more and asks with the number of attempts", () => {
    const run = begin();
    round(run, "fix", null);
    expect(run.step("P1/debug~2").feedback).toBe("2 gaps");
    expect(run.states("P1")).toMatchObject({ "debug~2": "ready", execute: "waiting", "post-verify": "waiting" });
    round(run, "fix", "debug~2");
    expect(run.gates("P1/post-verify").filter(({ cause }) => cause === "waits")).toHaveLength(2);
    round(run, "fix", "debug~3");
    // The limit is reached: the last debugging, then a person.
    run.pass("P1/debug~4");
    expect(run.openGate("P1/escalate~2")).toMatchObject({
      cause: "step",
      feedback:
        "2 gaps\n\npost-verify: fix: limit of 2 reached, after 3 attempts of post-verify and 12 attempts in all in story P1.",
    });
    expect(run.messages("stuck").map(({ text }) => text)).toEqual(["post-verify: fix: limit of 2 reached"]);
    // The decision is visited again, and asks and reads again: nothing was fixed, so a person is asked again.
    run.answer("P1/escalate~2", "execute");
    run.answer("P1/post-verify", "continue");
    run.say("P1/post-verify", "fix");
    run.pass("P1/debug~5");
    run.answer("P1/escalate~3", "execute");
    run.answer("P1/post-verify", "continue");
    run.say("P1/post-verify", "proceed");
    expect(run.states("P1")).toMatchObject({ review: "ready" });
    expect(run.events.filter(({ type }) => type === "limits_renewed")).toEqual([]);
  });

  test("[DE5 GA9] the end of a limit that asks at once shows the number of attempts, too", () => {
    const run = begin();
    round(run, "proceed", null);
    run.pass("P1/review");
    run.say("P1/post-review", "fix", { feedback: "a critical" });
    run.pass("P1/debug~2");
    for (const step of ["execute~2", "verify~2"]) run.pass(`P1/${step}`);
    run.answer("P1/post-verify~2", "continue");
    run.say("P1/post-verify~2", "proceed");
    run.say("P1/post-review", "fix", { feedback: "a critical" });
    expect(run.openGate("P1/post-review")).toMatchObject({
      cause: "exhausted",
      feedback:
        "a critical\n\npost-review: fix: limit of 1 reached, after 2 attempts of post-review and 11 attempts in all in story P1.",
    });
  });

  test("[DE6 LI5 E47] a decision that another one inserted counts on", () => {
    const run = begin();
    round(run, "fix", null);
    round(run, "fix", "debug~2");
    round(run, "proceed", "debug~3");
    run.pass("P1/review");
    run.say("P1/post-review", "fix");
    run.pass("P1/debug~4");
    for (const step of ["execute~2", "verify~2"]) run.pass(`P1/${step}`);
    run.answer("P1/post-verify~2", "continue");
    run.say("P1/post-verify~2", "fix");
    run.pass("P1/debug~5");
    expect(run.openGate("P1/escalate~2").feedback).toContain("limit of 2 reached");
  });

  test("[RT6 RT7 RT8 E24] a phase that failed begins at its decision, and the fix runs what was jumped over", () => {
    const run = new Driver(phases());
    run.say("locate", "phases", { stories: [story("P1")] });
    run.say("P1/stand", "verified");
    expect(run.states("P1")).toMatchObject({ execute: "skipped", verify: "skipped", "post-verify": "held" });
    run.answer("P1/post-verify", "continue");
    run.say("P1/post-verify", "fix");
    round(run, "proceed", "debug~2");
    expect(run.states("P1")).toMatchObject({ execute: "done", verify: "done", review: "ready" });
  });

  test("[DE3 LI6] an attempt that was lost reads again, and uses no limit", () => {
    const run = begin();
    run.pass("P1/execute");
    run.pass("P1/verify");
    run.answer("P1/post-verify", "continue");
    run.lose("P1/post-verify");
    expect(run.states("P1")).toMatchObject({ "post-verify": "ready" });
    run.say("P1/post-verify", "proceed");
    expect(run.gates("P1/post-verify")).toHaveLength(1);
  });

  test("[DE6 DE2 LI9] an answer to what is unknown renews no limit; one at the end of a limit does", () => {
    const run = new Driver(
      workflow([
        agent("work"),
        decision("post", {
          proceed: next,
          fix: atMost(1, backTo("work"), ask({ more: backTo("work"), stop: fail() })),
        }),
      ]),
    );
    run.pass("work");
    run.say("post", "fix");
    run.pass("work");
    run.say("post", "unknown", { outputs: { evidence: "a.json at /x" } });
    expect(run.openGate("post").question).toBe("a.json at /x: what does it say?");
    run.answer("post", "again");
    run.say("post", "fix");
    expect(run.openGate("post").cause).toBe("exhausted");
    run.answer("post", "more");
    run.pass("work");
    run.say("post", "fix");
    expect(run.states()).toMatchObject({ work: "ready" });
  });

  test("[LI12 DE5] a used-up budget of time may insert steps that end with a gate", () => {
    const budget = {
      atMost: 9,
      then: insert("escalate"),
      spend: { costUsd: 0.5, tokens: null, wallMs: null, hard: false },
    };
    const run = new Driver(workflow([agent("work", { budget, on: { rejected: again } }), escalate]));
    run.finish("work", { ...unfinished("failed"), usage: { costUsd: 1, inputTokens: 0, outputTokens: 0 } });
    run.ask(run.starting("work"));
    expect(run.openGate("escalate~2").question).toBe("escalate?");
  });
});

describe("going back over stories", () => {
  const finish = (run: Driver, id: string) => {
    run.say(`${id}/stand`, "over");
    run.pass(`${id}/land`);
  };

  test("[ST23 DE7 E42] works on what was planned anew, and invents no story", () => {
    const run = new Driver(phases());
    run.say("locate", "phases", { stories: [story("M1-P1")] });
    finish(run, "M1-P1");
    run.pass("audit");
    run.say("post-milestone", "more", { feedback: "M2 is next" });
    run.say("locate", "phases", { stories: [story("M2-P1")] });
    expect(run.storyStates()).toEqual({ "M1-P1": "done", "M2-P1": "running" });
    finish(run, "M2-P1");
    run.pass("audit");
    run.say("post-milestone", "more");
    run.say("locate", "phases");
    expect(run.storyStates()).toEqual({ "M1-P1": "done", "M2-P1": "done" });
    expect(run.states()).toMatchObject({ phases: "done", audit: "ready" });
    run.pass("audit");
    run.say("post-milestone", "complete");
    expect(run.status).toBe("done");
  });

  test("[ST23 ST10] without `nothing` it adds the story that antfarm knows", () => {
    const { sentBack: _nothing, ...usual } = phases().steps[1] as Extract<StepDefinition, { kind: "stories" }>;
    const run = new Driver({
      ...phases(),
      steps: phases().steps.map((step) => (step.kind === "stories" ? usual : step)),
    });
    run.say("locate", "phases", { stories: [story("P1")] });
    finish(run, "P1");
    run.pass("audit");
    run.say("post-milestone", "more");
    run.say("locate", "phases");
    expect(run.storyStates()).toEqual({ P1: "done", "FIX-1": "running" });
  });
});

describe("properties", () => {
  const values: Readonly<Record<string, readonly string[]>> = {
    locate: ["phases", "phases", "phases", "phases", "phases", "over", "unknown"],
    stand: ["start", "start", "verified", "verified", "over", "unknown"],
    "post-verify": ["fix", "fix", "fix", "fix", "proceed", "unknown"],
    "post-review": ["fix", "proceed", "unknown"],
    "post-milestone": ["more", "complete", "unknown"],
  };

  /** Takes the first thing that can happen, as the numbers choose: a ready step ends, or an open question is answered. */
  function walk(numbers: readonly number[]): Driver {
    const run = new Driver(phases(), { replayEach: false });
    const ids: (StoryId | null)[] = [null, storyId("P1"), storyId("P2")];
    for (const number of numbers) {
      const scopes = ids.flatMap((id) => {
        const scope = scopeOf(run.run, id);
        return scope ? [{ id, scope }] : [];
      });
      const found = scopes.flatMap(({ id, scope }) =>
        scope.chain
          .filter(({ state }) => state.status === "ready" || state.status === "held")
          .map((step) => ({ id, step, scope })),
      );
      const here = found[number % Math.max(1, found.length)];
      if (!here) break;
      const place = here.id === null ? here.step.id : `${here.id}/${here.step.id}`;
      if (here.step.state.status === "held") {
        const all = Object.keys(run.openGate(place).options);
        const options = number % 53 === 0 ? all : all.filter((option) => option !== "stop");
        run.answer(place, options[(number >> 3) % options.length] ?? "");
      } else if (number % 17 === 0) run.lose(place);
      else {
        const own = values[here.step.name];
        const planned = here.step.name === "locate" ? { stories: [story("P1"), story("P2")] } : {};
        if (own) run.say(place, own[(number >> 2) % own.length] ?? "", planned);
        else run.pass(place);
      }
    }
    return run;
  }

  const walks = fc.array(fc.nat({ max: 100_000 }), { minLength: 40, maxLength: 220 });

  test("[DE2 RT2 RE1] every value has its route, and what is unknown never ends its step without an answer", () => {
    let unknowns = 0;
    fc.assert(
      fc.property(walks, (numbers) => {
        const run = walk(numbers);
        run.checkReplay();
        const scopes = [run.run.header, ...Object.values(run.run.stories)];
        const attempts = scopes.flatMap((scope) => scope.attempts);
        const gates = scopes.flatMap((scope) => scope.gates);
        const open = new Set<string>();
        const passed: string[] = [];
        for (const event of run.events) {
          const place = (step = "") => `${event.story}/${step}`;
          const attempt = "attempt" in event ? attempts.find(({ id }) => id === event.attempt) : undefined;
          const isUnknown =
            event.type === "attempt_ended" && event.verdict?.kind === "value" && event.verdict.value === "unknown";
          if (isUnknown) open.add(place(attempt?.step));
          if (event.type === "gate_answered") open.delete(place(gates.find(({ id }) => id === event.gate)?.step));
          if (event.type === "step_done" && open.has(place(event.step))) passed.push(event.step);
          if (isUnknown) unknowns += 1;
        }
        expect(passed).toEqual([]);
        const ends = attempts.filter(hasEnded).map(({ state }) => state.outcome);
        expect(ends).not.toContain("invalid_output");
      }),
      { numRuns: 80 },
    );
    expect(unknowns).toBeGreaterThan(20);
  });

  test("[DE6 LI1 LI2] a limit of a decision is never exceeded between two renewals, in any story", () => {
    let reached = 0;
    fc.assert(
      fc.property(walks, (numbers) => {
        const run = walk(numbers);
        for (const id of ["P1", "P2"]) {
          const scope = scopeOf(run.run, storyId(id));
          const attempts = scope?.attempts.filter(({ name }) => name === "post-verify").filter(hasEnded) ?? [];
          const renewed = run.events.filter(({ type, story: of }) => type === "limits_renewed" && of === id).length;
          const fixes = attempts.filter(({ state }) => state.taken?.draws === "edge").length;
          expect(fixes).toBeLessThanOrEqual(2 * (renewed + 1));
          if (fixes >= 2) reached += 1;
        }
      }),
      { numRuns: 80 },
    );
    expect(reached).toBeGreaterThan(2);
  });

  test("[RE1 RE5] the same walk gives the same log", () => {
    fc.assert(
      fc.property(walks, (numbers) => {
        expect(walk(numbers).events).toEqual(walk(numbers).events);
      }),
      { numRuns: 10 },
    );
  });
});

test("[DE1 AT3] its result counts once", () => {
  const run = new Driver(workflow([decision("post", { proceed: next })]));
  const attempt = run.claim("post");
  run.must(run.finishing(attempt, value("proceed")), "driver");
  expect(run.refused(run.finishing(attempt, value("proceed"))).code).toBe("stale");
});
