// Asks a person before a step starts, where the step or the run says so. The question is an ordinary gate.

import type { ChangeWaits } from "../../domain/command.ts";
import type { Rejection } from "../../domain/decision.ts";
import { isPerformed, type PerformedDefinition, type StepDefinition } from "../../domain/definition.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { GateOptions } from "../../domain/route.ts";
import type { Header, WaitsLevel } from "../../domain/run.ts";
import { isOver, type Step } from "../../domain/step.ts";
import type { Draft } from "../draft.ts";
import { type Readying, readyStep } from "../readying.ts";
import { rejectCommand } from "../rejection.ts";
import { changeStory } from "../status-changes.ts";
import { openGate } from "./gates.ts";

function waitsLevelOf({ waits }: Header): WaitsLevel {
  return waits ?? "marked";
}

/** What a person may say about a step that can start: perform it, go on without it, or fail it. */
export function startOptions(draft: Draft, story: StoryId | null, { name }: Pick<Step, "name">): GateOptions {
  const definition = draft.definition(story, name);
  return {
    continue: { to: "again" },
    ...(maySkip(definition) ? { skip: { to: "next" } } : {}),
    stop: { to: "fail", reason: `${name}: stopped by a person` },
  };
}

/** A story that is done is on its base. */
function maySkip(definition: StepDefinition): boolean {
  return isPerformed(definition) && definition.kind !== "integrate" && definition.mandatory !== true;
}

/** Makes a step ready, or asks first. A pause ends with the answer. */
export function readyOrAsk(draft: Draft, story: StoryId | null, step: Step, readying: Readying): void {
  if (!asks(draft, waitsLevelOf(draft.run.header), story, step)) return readyStep(draft, story, step, readying);
  askFirst(draft, story, step, readying.feedback ?? step.feedback);
}

/**
 * A person changes before which steps the run asks. A step that is ready but has not started asks if it would have asked under
 * the new level alone; a question that the new level does not ask is void, and its step is ready.
 */
export function changeWaits(draft: Draft, { waits }: ChangeWaits): Rejection | null {
  const { end } = draft.run.header;
  if (end && end.status !== "failed") return rejectCommand("over", `the run is ${end.status}`);
  const before = waitsLevelOf(draft.run.header);
  if (before === waits) return null;
  draft.emit(null, { type: "waits_changed", waits });
  if (end) return null;
  for (const story of [null, ...draft.storyGroups.atWork.map(({ id }) => id)]) {
    const step = draft.scope(story).chain.find((candidate) => !isOver(candidate));
    if (!step) continue;
    const asksNow = asks(draft, waits, story, step);
    if (step.state.status === "ready" && asksNow && !asks(draft, before, story, step))
      askFirst(draft, story, step, step.feedback);
    if (step.state.status === "held" && !asksNow) release(draft, story, step, step.state.gate);
  }
  return null;
}

function asks(draft: Draft, level: WaitsLevel, story: StoryId | null, step: Step): boolean {
  const definition = draft.definition(story, step.name);
  return isPerformed(definition) && asksAt(level, definition, hasStarted(draft, story, step));
}

/** `marked` asks once per visit, `all` before every attempt. */
function asksAt(level: WaitsLevel, { waits = false }: PerformedDefinition, isRepeated: boolean): boolean {
  return level === "all" || (level === "marked" && waits && !isRepeated);
}

function hasStarted(draft: Draft, story: StoryId | null, { id, visit }: Step): boolean {
  return draft.scope(story).attempts.some((attempt) => attempt.step === id && attempt.visit === visit);
}

function askFirst(draft: Draft, story: StoryId | null, step: Step, feedback: string): void {
  const again = hasStarted(draft, story, step) ? " again" : "";
  openGate(draft, story, step, {
    question: `${step.name} is ready to start${again}. Continue?`,
    options: startOptions(draft, story, step),
    deadline: null,
    cause: "waits",
    feedback,
  });
}

function release(draft: Draft, story: StoryId | null, step: Step, held: string): void {
  const gate = draft.scope(story).gates.find(({ id }) => id === held);
  if (gate?.cause !== "waits") return;
  draft.emit(story, { type: "gate_voided", gate: gate.id, reason: "the run does not ask before this step any more" });
  if (story !== null) changeStory(draft, story, "running", "");
  readyStep(draft, story, step, { feedback: gate.feedback });
}
