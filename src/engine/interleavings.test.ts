// Interleavings: several actors at the same moment. After the first write the others decide again on the new state; no order may
// leave a later step done while an earlier one is not.

import { describe, expect, test } from "vitest";
import { checkChains } from "../../test/support/engine/chain-invariants.ts";
import { type CommandInput, Driver } from "../../test/support/engine/driver.ts";
import { addAfter, addBefore, amend, asks, split } from "../../test/support/engine/edits.ts";
import { checkState, scopesOf } from "../../test/support/engine/invariants.ts";
import { passed, unfinished, value } from "../../test/support/engine/reports.ts";
import {
  agent,
  backTo,
  decider,
  fail,
  gate,
  limit,
  next,
  stories,
  workflow,
} from "../../test/support/engine/workflow.ts";
import { decide } from "./decide.ts";

/** All orders in which these commands can be written. */
function orders<T>(of: readonly T[]): readonly (readonly T[])[] {
  if (of.length === 0) return [[]];
  return of.flatMap((first, index) => orders(of.toSpliced(index, 1)).map((rest) => [first, ...rest]));
}

/** Writes the commands of a new run in every order, checks the state after each, and counts how often each end was reached. */
function inEveryOrder(
  start: () => { run: Driver; commands: readonly CommandInput[] },
  sum: (run: Driver) => string,
): Record<string, number> {
  const ends: Record<string, number> = {};
  const count = start().commands.length;
  for (const order of orders(Array.from({ length: count }, (_, index) => index))) {
    const { run, commands } = start();
    for (const index of order) {
      run.ask(commands[index] as CommandInput);
      checkState(run.run);
      checkChains(run.run);
      checkNothingSkippedAhead(run);
    }
    ends[sum(run)] = (ends[sum(run)] ?? 0) + 1;
  }
  return ends;
}

function checkNothingSkippedAhead(run: Driver): void {
  for (const { scope } of scopesOf(run.run)) {
    const statuses = scope.chain.map(({ state }) => state.status);
    const open = statuses.findIndex((status) => status !== "done");
    expect(statuses.slice(open < 0 ? statuses.length : open)).not.toContain("done");
  }
}

const statesOf = (run: Driver) => Object.values(run.states()).join(" ");

describe("at the same moment", () => {
  test("[CH1 AT3 B2 B11] an attempt is reported by its agent, its supervisor and a stale worker while others claim later steps", () => {
    const ends = inEveryOrder(() => {
      const run = new Driver(workflow([agent("a"), agent("b"), agent("c")]), { replayEach: false });
      const attempt = run.claim("a");
      return {
        run,
        commands: [
          run.finishing(attempt, passed()),
          run.finishing(attempt, unfinished("lost"), null),
          run.finishing(attempt, passed(), "stolen"),
          run.starting("b"),
          run.starting("b"),
          run.starting("c"),
        ],
      };
    }, statesOf);
    expect(Object.keys(ends).toSorted()).toEqual([
      "done ready waiting",
      "done running waiting",
      "ready waiting waiting",
    ]);
  });

  test("[CH1 ST6 A36 B2] two stories end, and the step after them starts only after both", () => {
    const ends = inEveryOrder(
      () => {
        const each = stories("each", [agent("code")], { concurrency: 2 });
        const run = new Driver(workflow([agent("plan"), each, agent("review"), agent("ship")]), { replayEach: false });
        run.plan("plan", "US-1", "US-2");
        const [one, two] = [run.claim("US-1/code"), run.claim("US-2/code")];
        return {
          run,
          commands: [
            run.finishing(one, passed()),
            run.finishing(two, passed()),
            run.finishing(two, unfinished("failed"), null),
            run.starting("review"),
            run.starting("ship"),
          ],
        };
      },
      (run) => `${statesOf(run)} ${Object.values(run.storyStates()).join(" ")}`,
    );
    expect(Object.keys(ends).toSorted()).toEqual([
      "done done ready waiting done done",
      "done done running waiting done done",
      "done running waiting waiting done running",
    ]);
  });

  test("[CH1 CH6 ST6 B11] two ends decided on the same state both change the header, so one of them is decided again", () => {
    const each = stories("each", [agent("code")], { concurrency: 2 });
    const run = new Driver(workflow([agent("plan"), each, agent("ship")]));
    run.plan("plan", "US-1", "US-2");
    const asked = { at: run.at, author: "agent:worker" };
    const ends = ["US-1", "US-2"].map((story) => run.finishing(run.claim(`${story}/code`), passed()));
    const seen = run.run;
    for (const input of ends) {
      const decision = decide(seen, { ...input, ...asked });
      expect(decision.accepted && decision.run.header.stories).not.toEqual(seen.header.stories);
      expect(decision.accepted && decision.run.header.chain[2]?.state.status).toBe("waiting");
    }
    for (const input of ends) run.must(input);
    expect(run.states()).toEqual({ plan: "done", each: "done", ship: "ready" });
  });

  test("[CH1 GA2 GA13] a gate is approved and rejected while its deadline passes and people pause or cancel", () => {
    const ends = inEveryOrder(() => {
      const review = gate("review", { approve: next, reject: fail("no") }, { afterMs: 0, option: "reject" });
      const run = new Driver(workflow([agent("work"), review, agent("ship")]), { replayEach: false });
      run.pass("work", { tree: "t1" });
      return {
        run,
        commands: [
          run.answering("review", "approve"),
          run.answering("review", "approve", { tree: "t2" }),
          run.expiring("review"),
          run.starting("ship"),
          { type: "retry_run", story: null, step: null },
          { type: "pause_run" },
        ],
      };
    }, statesOf);
    expect(Object.keys(ends).toSorted()).toEqual([
      "done done ready",
      "done done running",
      "done failed waiting",
      "done held waiting",
    ]);
  });

  test("[CH1 B50 B54] a decision goes back while others report and claim earlier steps", () => {
    const ends = inEveryOrder(() => {
      const review = decider("review", { ok: next, fix: backTo("a") }, { budget: limit(1, fail("")) });
      const run = new Driver(workflow([agent("a"), agent("b"), review, agent("ship")]), { replayEach: false });
      run.pass("a");
      run.pass("b");
      const attempt = run.claim("review");
      return {
        run,
        commands: [
          run.finishing(attempt, value("fix")),
          run.finishing(attempt, value("ok")),
          run.starting("a"),
          run.starting("b"),
          run.starting("ship"),
        ],
      };
    }, statesOf);
    expect(Object.keys(ends).toSorted()).toEqual([
      "done done done ready",
      "done done done running",
      "ready waiting waiting waiting",
      "running waiting waiting waiting",
    ]);
  });

  test("[CH1 ED7 ED24] a step ends and requests edits while a person edits the chain and others claim later steps", () => {
    const ends = inEveryOrder(
      () => {
        const body = [agent("a", { editable: true }), agent("b"), agent("c")];
        const run = new Driver(workflow([stories("each", body, { maxSteps: 5 })]), {
          stories: ["US-1"],
          replayEach: false,
        });
        const attempt = run.claim("US-1/a");
        return {
          run,
          commands: [
            run.finishing(attempt, passed(asks(addAfter("a", "b"), amend("c", "by the step")))),
            run.finishing(attempt, unfinished("lost"), null),
            run.editing("US-1", split("c", "c", "c")),
            run.editing("US-1", addBefore("b", "b")),
            run.starting("US-1/b"),
          ],
        };
      },
      (run) => Object.entries(run.states("US-1")).flat().join(" "),
    );
    // The first request is granted, and the other only if it still applies: c is split before it can be described.
    expect(Object.keys(ends).toSorted()).toEqual([
      "a done b running b~2 waiting c~2 waiting c~3 waiting",
      "a done b~2 ready b waiting c~2 waiting c~3 waiting",
      "a done b~2 ready b~3 waiting b waiting c waiting",
      "a done b~3 ready b~2 waiting b waiting c waiting",
      "a ready b~2 waiting b waiting c~2 waiting c~3 waiting",
    ]);
  });

  test("[ST3 ST14 LC8] stories end, fail and are retried: never more at work than slots, and never two in one slot", () => {
    const ends = inEveryOrder(
      () => {
        const code = agent("code", { onError: fail("broken") });
        const each = stories("each", [code], { concurrency: 2, workspace: "worktree", onStoryFailed: "continue" });
        const run = new Driver(workflow([each]), { stories: ["US-1", "US-2", "US-3"], replayEach: false });
        const [one, two] = [run.claim("US-1/code"), run.claim("US-2/code")];
        return {
          run,
          commands: [
            run.finishing(one, unfinished("failed"), null),
            run.finishing(two, passed()),
            { type: "retry_run", story: null, step: null },
            run.adding("US-4"),
            { type: "pause_run" },
          ],
        };
      },
      (run) => Object.values(run.storyStates()).join(" "),
    );
    expect(Object.keys(ends).toSorted()).toEqual([
      "failed done running running",
      "running done running waiting",
      "waiting done running running",
    ]);
  });
});
