// Random runs: lists the commands that a run can accept next, so that a random walk gets deep instead of being refused.

import type { Command } from "../../src/domain/command.ts";
import type { StoryId } from "../../src/domain/ids.ts";
import type { Report } from "../../src/domain/report.ts";
import type { Run } from "../../src/domain/run.ts";
import type { Scope } from "../../src/domain/scope.ts";
import { newToken } from "../../src/system/ids.ts";
import { completed, finishOf, startAttemptOf, storyOf, unfinished } from "./sample-runs.ts";

/** `choose(n)` gives a number below n; the same choices give the same walk. */
export type Choose = (below: number) => number;

/** The same seed makes the same choices (mulberry32). */
export function chooser(seed: number): Choose {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

export function nextCommand(run: Run, at: number, choose: Choose): Command {
  const asked = { at, author: "driver" };
  const commands: (() => Command)[] = [];
  const often = (times: number, command: () => Command) => {
    for (let index = 0; index < times; index += 1) commands.push(command);
  };
  const { header } = run;
  if (header.end?.status === "failed") often(8, () => ({ ...asked, type: "retry_run", story: null, step: null }));
  if (header.paused) often(8, () => ({ ...asked, type: "resume_run" }));
  for (const [story, scope] of scopesOf(run)) {
    for (const { id, state } of scope.chain) {
      if (state.status === "ready")
        often(6, () =>
          startAttemptOf(id, {
            ...asked,
            at: Math.max(at, state.notBefore),
            story,
            driver: choose(4) === 0 ? "pull" : "push",
          }),
        );
    }
    for (const attempt of scope.attempts) {
      if (attempt.state.phase === "ended") continue;
      const end = () =>
        finishOf(attempt.id, randomReport(run, attempt.name, choose), {
          ...asked,
          story,
          token: attempt.state.phase === "stopping" ? null : attempt.token,
        });
      often(6, end);
      often(1, () => ({ ...end(), token: newToken() }));
      if (attempt.state.phase === "dispatched")
        often(3, () => ({
          ...asked,
          type: "begin_attempt",
          story,
          attempt: attempt.id,
          workspace: "/w",
          base: "c0ffee",
        }));
    }
    for (const gate of scope.gates) {
      if (gate.state.status !== "open") continue;
      const options = [...Object.keys(gate.options), "nonsense"];
      often(5, () => ({
        ...asked,
        author: "user:ada",
        type: "answer_gate",
        story,
        gate: gate.id,
        option: options[choose(options.length)] ?? "",
        note: "a note",
        tree: gate.tree,
      }));
    }
  }
  often(1, () => ({ ...asked, type: "pause_run" }));
  often(1, () => ({ ...asked, ...startAttemptOf("nowhere") }));
  if (choose(40) === 0) often(4, () => ({ ...asked, type: "cancel_run", reason: "changed my mind" }));
  const chosen = commands[choose(commands.length)];
  if (!chosen) throw new Error("this run accepts no command");
  return chosen();
}

function randomReport(run: Run, name: string, choose: Choose): Report {
  const usage = { costUsd: choose(1000) / 997, inputTokens: choose(5000), outputTokens: choose(700) };
  const ended = { usage, session: choose(3) === 0 ? `session-${choose(100)}` : null, tree: null };
  const outcomes = ["failed", "timed_out", "lost", "cancelled", "rate_limited", "invalid_output"] as const;
  const outcome = outcomes[choose(outcomes.length * 4)];
  if (outcome) return unfinished(outcome, { ...ended, retryAt: outcome === "rate_limited" ? 5000 + choose(50) : null });
  const said = {
    ...ended,
    feedback: choose(2) === 0 ? "do better" : "",
    outputs: { [`key_${choose(4)}`]: choose(3) === 0 ? " Yes" : `“${choose(100)}”\n'"%` },
  };
  if (name === "plan") return completed({ ...said, stories: choose(10) === 0 ? null : plan(run, choose) });
  if (name === "review") {
    const value = ["approved", "ship", "fixes", "polish", "enough", "who knows"][choose(6)] ?? "";
    return completed({ ...said, verdict: { kind: "value", value }, outputs: { ...said.outputs, decision: value } });
  }
  if (choose(3) > 0) return completed(said);
  return completed({ ...said, verdict: { kind: "rejected", reason: choose(2) === 0 ? "style" : null } });
}

function plan(run: Run, choose: Choose) {
  const first = run.header.stories.length + 1;
  return Array.from({ length: 1 + choose(4) }, (_, index) => {
    const earlier = index > 0 && choose(2) === 0 ? [storyOf(`S-${first + index - 1}`).id] : [];
    return storyOf(`S-${first + index}`, { dependsOn: earlier });
  });
}

function scopesOf(run: Run): readonly (readonly [StoryId | null, Scope])[] {
  return [[null, run.header], ...Object.values(run.stories).map((story) => [story.id, story] as const)];
}
