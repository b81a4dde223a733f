// The life of a run as people steer it. Owns: start, pause, resume, cancel, retry.

import { hasEnded, noUsage } from "../domain/attempt.ts";
import type { CancelRun, RetryRun, StartRun } from "../domain/command.ts";
import type { Accepted, Rejection } from "../domain/decision.ts";
import { type StoryId, stepId } from "../domain/ids.ts";
import type { Header } from "../domain/run.ts";
import { isOver, type Step } from "../domain/step.ts";
import { isSettled } from "../domain/story.ts";
import { bodyOf } from "./definitions.ts";
import { Draft } from "./draft.ts";
import { resetSpan } from "./edits.ts";
import { changeStory, endRun } from "./ends.ts";
import { lifeOf } from "./evolve.ts";
import { reject } from "./rejection.ts";
import { storiesAtWork } from "./stories.ts";
import { allows, runTable } from "./tables.ts";
import { advance } from "./walk.ts";

export function startRun(command: StartRun): Accepted {
  const draft = new Draft(null, command);
  const { definition, place } = command;
  const branch: Record<string, string> = place.branch === null ? {} : { branch: place.branch };
  draft.emit(null, {
    type: "run_started",
    run: command.run,
    definition,
    task: command.task,
    place,
    executor: command.executor,
    context: { ...definition.context, ...command.context, ...branch },
    given: ["task", "repo", ...Object.keys(command.context), ...Object.keys(branch)],
    caps: definition.caps,
    chain: definition.steps.map((step) => ({ id: stepId(step.name), name: step.name })),
  });
  advance(draft);
  return draft.accept();
}

/** Running attempts end by themselves; nothing new is claimed. */
export function pauseRun(draft: Draft): Rejection | null {
  const life = lifeOf(draft.run.header);
  if (!allows(runTable, life, "pause")) return reject("illegal", `the run is ${life} and cannot be paused`);
  draft.emit(null, { type: "run_paused" });
  return null;
}

export function resumeRun(draft: Draft): Rejection | null {
  const life = lifeOf(draft.run.header);
  if (life === "open") return null;
  if (!allows(runTable, life, "resume")) {
    return reject(
      "over",
      `the run is ${life}${life === "failed" ? "; use `pawl retry` to go on from where it failed" : ""}`,
    );
  }
  draft.emit(null, { type: "run_resumed" });
  return null;
}

export function cancelRun(draft: Draft, command: CancelRun): Rejection | null {
  const { header } = draft.run;
  if (header.end) return reject("over", `the run is ${header.end.status} already`);
  for (const story of [null, ...storiesAtWork(header)]) cancelScope(draft, story, command.reason);
  for (const entry of header.stories) {
    if (!isSettled(entry)) changeStory(draft, entry.id, "cancelled", command.reason);
  }
  endRun(draft, "cancelled", command.reason);
  return null;
}

function cancelScope(draft: Draft, story: StoryId | null, reason: string): void {
  const scope = draft.scope(story);
  for (const gate of scope.gates) {
    if (gate.state.status === "open") draft.emit(story, { type: "gate_voided", gate: gate.id, reason });
  }
  for (const attempt of scope.attempts) {
    if (hasEnded(attempt) || attempt.state.phase === "stopping") continue;
    if (attempt.driver === "pull") {
      // Nobody here can stop it; its token is void from now on.
      draft.emit(story, {
        type: "attempt_ended",
        attempt: attempt.id,
        outcome: "cancelled",
        verdict: null,
        taken: null,
        why: reason,
        discards: true,
        notes: [],
        usage: noUsage,
        session: null,
        tree: null,
      });
      continue;
    }
    draft.emit(story, { type: "attempt_stopping", attempt: attempt.id, reason });
    draft.perform({ type: "stop_attempt", run: draft.run.header.id, story, attempt: attempt.id });
  }
  const stopping = new Set(
    draft
      .scope(story)
      .attempts.filter((attempt) => !hasEnded(attempt))
      .map((attempt) => attempt.step),
  );
  for (const step of scope.chain) {
    if (isOver(step) || step.state.status === "failed" || stopping.has(step.id)) continue;
    draft.emit(story, { type: "step_cancelled", step: step.id });
  }
}

/** What failed is put back to `ready`, and its limits count anew from here. */
export function retryRun(draft: Draft, command: RetryRun): Rejection | null {
  const { header } = draft.run;
  const life = lifeOf(header);
  if (life === "done" || life === "cancelled") return reject("over", `the run is ${life}; start a new one`);
  const failed = failedStories(draft, command);
  const step = command.story === null && failed.length === 0 ? failedStep(header.chain, command.step) : undefined;
  if (!step && failed.length === 0) return reject("illegal", nothingToRetry(command));
  const stories = failed.slice(0, freePlaces(draft, failed));
  if (!step && stories.length === 0) {
    return reject("illegal", "as many stories as may be are at work already; retry when one of them has ended");
  }

  if (life === "failed") draft.emit(null, { type: "run_reopened" });
  if (step) {
    draft.emit(null, { type: "limits_renewed", of: null });
    restart(draft, null, step);
    return null;
  }
  for (const entry of draft.run.header.stories) {
    if (entry.status === "blocked") changeStory(draft, entry.id, "waiting", "");
  }
  const opened = draft.run.header.chain.find(({ state }) => state.status === "failed");
  if (opened) draft.emit(null, { type: "step_opened", step: opened.id });
  for (const story of stories) {
    draft.emit(story, { type: "limits_renewed", of: null });
    changeStory(draft, story, "running", "");
    const failed = failedStepOf(draft, story, command);
    if (failed) restart(draft, story, failed);
  }
  return null;
}

/** A step that is performed can be handed out; a gate or a `stories` step is walked to once more. */
function restart(draft: Draft, story: StoryId | null, step: Step): void {
  const { kind } = draft.definition(story, step.name);
  if (kind === "agent" || kind === "command") {
    return draft.emit(story, { type: "step_readied", step: step.id, notBefore: draft.at, feedback: null });
  }
  const { feedback } = step;
  return resetSpan(draft, story, { from: step, to: step, keeps: null, feedback, reason: `${step.name} is retried` });
}

/** Retried stories count like others: where one is worked on at a time, one is retried at a time. */
function freePlaces(draft: Draft, failed: readonly StoryId[]): number {
  const first = failed[0];
  return first === undefined ? 0 : bodyOf(draft.run, first).concurrency - storiesAtWork(draft.run.header).length;
}

function failedStories(draft: Draft, command: RetryRun): readonly StoryId[] {
  return draft.run.header.stories
    .filter((entry) => entry.status === "failed" && (command.story === null || entry.id === command.story))
    .filter((entry) => failedStepOf(draft, entry.id, command))
    .map((entry) => entry.id);
}

/** To name the `stories` step is to name whatever failed inside it. */
function failedStepOf(draft: Draft, story: StoryId, command: RetryRun): Step | undefined {
  const { chain, of } = draft.run.stories[story] ?? { chain: [], of: null };
  return failedStep(chain, command.step === of ? null : command.step);
}

function failedStep(chain: Header["chain"], name: RetryRun["step"]): Step | undefined {
  return chain.find((step) => step.state.status === "failed" && (name === null || step.name === name));
}

function nothingToRetry(command: RetryRun): string {
  const what = [command.story && `story ${command.story}`, command.step && `step ${command.step}`]
    .filter(Boolean)
    .join(", ");
  return what ? `${what} has not failed` : "nothing in this run has failed";
}
