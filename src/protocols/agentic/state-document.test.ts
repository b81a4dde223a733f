// STATE.json of random runs of the bundled table: whatever happens, every program of the protocol can read it, and it never goes back.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { faultsIn } from "../../../test/support/other-orchestrator.ts";
import { chooser, nextCommand } from "../../../test/support/random-run.ts";
import { startOf, storyOf } from "../../../test/support/sample-runs.ts";
import type { Run } from "../../domain/run.ts";
import { decide, startRun } from "../../engine/decide.ts";
import { packageFile } from "../../system/package-root.ts";
import { loadWorkflow } from "../../workflows/load.ts";
import { factsOf, withDefaults } from "../complete-protocol.ts";
import { agentic } from "./agentic.ts";
import { type AgenticState, storyDocument } from "./state-document.ts";

const file = packageFile("workflows/agentic-coding/step-rules.yml");
const { definition } = loadWorkflow(readFileSync(file, "utf8"), file, [factsOf(withDefaults(agentic))]);
if (definition === null) throw new Error("the bundled table does not load");

const stories = [storyOf("US-001"), storyOf("US-002", { dependsOn: [storyOf("US-001").id] })];

function shown(run: Run): readonly AgenticState[] {
  return run.header.stories.map((entry) =>
    storyDocument({ run, project: "shop", entry, facts: new Map(), imported: null }),
  );
}

function isExhausted({ stories: scopes }: Run, { story }: AgenticState): boolean {
  const gates = scopes[story as keyof typeof scopes]?.gates ?? [];
  return gates.some(({ cause, state }) => cause === "exhausted" && state.status === "open");
}

/** Where a session of a story is: it is not there yet, it lasts, or it is over. */
const phases: Readonly<Record<AgenticState["status"], number>> = {
  pending: 0,
  running: 1,
  pass: 2,
  failing: 2,
  needs_human: 2,
  timeout: 2,
};

test("[AG15 D15 D17 D18 D50] in every state of a run it fits the protocol, and (story, step, attempt) names one session", () => {
  let deepest = 0;
  const seenStatuses = new Set<string>();
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom("all" as const, "none" as const), (seed, waits) => {
      const choose = chooser(seed);
      let { run } = startRun(startOf(definition, { stories, waits }));
      const attempts = new Map<string, number>();
      const over = new Map<string, number>();
      for (let step = 0; step < 120 && run.header.end?.status !== "cancelled"; step += 1) {
        const decision = decide(run, nextCommand(run, 2_000 + step * 10, choose));
        if (!decision.accepted) continue;
        run = decision.run;
        deepest = Math.max(deepest, Object.values(run.stories).flatMap((each) => each.attempts).length);
        for (const state of shown(run)) {
          seenStatuses.add(state.status);
          const reason = state.status === "failing" ? state.reason : null;
          expect(faultsIn(JSON.stringify({ ...state, reason }))).toEqual([]);
          const ofStep = `${state.story} ${state.step}`;
          expect(state.attempt).toBeGreaterThanOrEqual(attempts.get(ofStep) ?? 1);
          // A session that has not begun may never begin.
          if (state.status !== "pending") attempts.set(ofStep, state.attempt);
          if (state.step === "review" || state.step === "done") continue;
          const session = `${ofStep} ${state.attempt}`;
          const before = over.get(session) ?? 0;
          const now = phases[state.status];
          // A session that is over never runs again; the next one has another number.
          expect(`${session}: ${before === 2 && now === 1 ? "runs again" : ""}`).toBe(`${session}: `);
          if (now === 1 || before > 0) over.set(session, Math.max(before, now));
          expect(isExhausted(run, state) ? state.max_attempts : state.attempt).toBe(state.attempt);
        }
      }
    }),
    { numRuns: 60 },
  );
  expect(deepest).toBeGreaterThan(8);
  expect([...seenStatuses].toSorted()).toEqual(["failing", "needs_human", "pass", "pending", "running", "timeout"]);
});
