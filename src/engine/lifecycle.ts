// Starts, pauses, resumes and cancels a run, and notes what its closing left. A retry is in retry.ts.

import { hasEnded } from "../domain/attempt.ts";
import type { CancelRun, NoteClosing, ResumeRun, StartRun } from "../domain/command.ts";
import type { Accepted, Rejection } from "../domain/decision.ts";
import { type StoryId, stepId } from "../domain/ids.ts";
import { hasOpenParts, isOver } from "../domain/step.ts";
import { isSettled } from "../domain/story.ts";
import { stopRunning } from "./attempts/stopping.ts";
import { Draft } from "./draft.ts";
import { runState } from "./evolve.ts";
import { stopIdleParts } from "./parts/settling.ts";
import { rejectCommand } from "./rejection.ts";
import { changeStory, endRun } from "./status-changes.ts";
import { adoptStories } from "./stories/adoption.ts";
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
    ...(command.waits === undefined ? {} : { waits: command.waits }),
    context: { ...definition.context, ...command.context, ...branch },
    given: ["task", "repo", ...Object.keys(command.context), ...Object.keys(branch)],
    caps: definition.caps,
    chain: definition.steps.filter((step) => !step.spare).map(({ name }) => ({ id: stepId(name), name })),
  });
  adoptStories(draft, command.stories ?? [], command.adopted ?? []);
  advance(draft);
  return draft.accept();
}

/** Running attempts continue to their end; no new attempt starts. */
export function pauseRun(draft: Draft): Rejection | null {
  const state = runState(draft.run.header);
  if (!allows(runTable, state, "pause")) return rejectCommand("illegal", `the run is ${state} and cannot be paused`);
  draft.emit(null, { type: "run_paused" });
  return null;
}

export function resumeRun(draft: Draft, { executor }: ResumeRun): Rejection | null {
  const { header } = draft.run;
  const state = runState(header);
  const isOther = executor !== undefined && executor !== header.executor && header.end === null;
  if (isOther) draft.emit(null, { type: "executor_changed", executor });
  if (state === "open") return null;
  if (!allows(runTable, state, "resume")) {
    return rejectCommand(
      "over",
      state === "failed"
        ? "the run has failed; use `pawl retry` to continue from where it failed"
        : `the run is ${state}`,
    );
  }
  draft.emit(null, { type: "run_resumed" });
  return null;
}

export function cancelRun(draft: Draft, command: CancelRun): Rejection | null {
  const { header } = draft.run;
  if (header.end) return rejectCommand("over", `the run is already ${header.end.status}`);
  const { atWork, toResume } = draft.storyGroups;
  for (const story of [null, ...[...atWork, ...toResume].map(({ id }) => id)])
    cancelScope(draft, story, command.reason);
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
    stopRunning(draft, attempt, reason);
  }
  const stopping = new Set(
    draft
      .scope(story)
      .attempts.filter((attempt) => !hasEnded(attempt))
      .map((attempt) => attempt.step),
  );
  for (const step of draft.scope(story).chain) if (hasOpenParts(step)) stopIdleParts(draft, story, step, reason);
  for (const step of scope.chain) {
    if (isOver(step) || step.state.status === "failed" || stopping.has(step.id)) continue;
    draft.emit(story, { type: "step_cancelled", step: step.id });
  }
}

/** A closing is performed at least once: what it said before is not said again. */
export function noteClosing(draft: Draft, { notes }: NoteClosing): Rejection | null {
  const { end } = draft.run.header;
  if (end === null) return rejectCommand("illegal", "the run is not over");
  const fresh = notes.filter((note) => end.notes?.includes(note) !== true);
  if (fresh.length > 0) draft.emit(null, { type: "closing_noted", notes: fresh });
  return null;
}
