// Settles a step with parts: stops parts that are not needed any more, and ends the step once all of its parts have ended. The step
// takes one route for all of them. Settling twice changes nothing.

import { type Attempt, hasEnded, type Verdict } from "../../domain/attempt.ts";
import { counted } from "../../domain/counted.ts";
import { isPerformed, type PerformedDefinition } from "../../domain/definition.ts";
import type { StoryId } from "../../domain/ids.ts";
import { givenParts, isEnded, isMoving, type Part, type PartsDefinition } from "../../domain/part.ts";
import { hasOpenParts, type Step } from "../../domain/step.ts";
import { stopRunning } from "../attempts/stopping.ts";
import { routeVerdict, ruleFor } from "../attempts/verdicts.ts";
import type { Draft } from "../draft.ts";
import { settleDropped } from "../dropped.ts";
import { applyLimits } from "../limits.ts";
import { changeStory, failStep } from "../status-changes.ts";
import { isJoined, needsJoin, openJoin } from "./joining.ts";
import { endPart } from "./part-routes.ts";

type StepWithParts = Step & { readonly parts: readonly Part[] };

export function settleParts(draft: Draft, story: StoryId | null, step: StepWithParts): void {
  const definition = draft.definition(story, step.name);
  if (!isPerformed(definition) || definition.parts === undefined) return;
  if (isRestStopped(step, definition.parts)) stopParts(draft, story, step, "the other parts have decided");
  const now = draft.step(story, step.id);
  const parts = now.parts ?? [];
  if (now.dropping && parts.every(isEnded)) return settleDropped(draft, story, now, now.dropping);
  if (parts.every(isEnded) && needsJoin(draft, story, now)) return openJoin(draft, story, now);
  if (parts.every(isEnded)) return endParts(draft, story, now, definition, parts);
  if (story !== null) changeStory(draft, story, parts.some(isMoving) ? "running" : "held", heldBy(parts));
}

/** The verdict of the step is known, and parts that have not ended do not matter. */
function isRestStopped({ parts }: StepWithParts, { need, others }: PartsDefinition): boolean {
  return others === "stop" && isDecided(parts, need);
}

/** Whether a stopped attempt was that of a part which is not needed, or whose step is dropped. Otherwise a person stopped it, and is asked. */
export function mayStopPart(draft: Draft, { story, part }: Attempt, step: Step): boolean {
  const definition = draft.definition(story, step.name);
  if (part === undefined || !isPerformed(definition) || definition.parts === undefined) return false;
  return hasOpenParts(step) && (step.dropping !== undefined || isRestStopped(step, definition.parts));
}

export function stopPart(draft: Draft, { story, part: name }: Attempt, step: Step, reason: string): void {
  const part = step.parts?.find((candidate) => candidate.name === name);
  if (part && !isEnded(part)) endPart(draft, story, step, part, { status: "stopped", reason });
}

/** Enough parts have passed, or so many have not that the rest is not enough. What joins them is always needed. */
function isDecided(parts: readonly Part[], need: PartsDefinition["need"]): boolean {
  if (parts.some(({ joins }) => joins === true)) return false;
  const open = parts.filter((part) => !isEnded(part)).length;
  const missing = neededOf(parts, need) - passedIn(parts);
  return missing <= 0 || missing > open;
}

/** A part that a person left out is not one of all. Nothing passes without a part that did. */
function neededOf(parts: readonly Part[], need: PartsDefinition["need"]): number {
  const all = givenParts(parts).filter(({ state }) => state.status !== "stopped").length;
  return Math.max(1, need === "all" ? all : need);
}

function passedIn(parts: readonly Part[]): number {
  return givenParts(parts).filter(({ state }) => state.status === "passed").length;
}

export function stopParts(draft: Draft, story: StoryId | null, step: StepWithParts, reason: string): void {
  for (const { state } of step.parts) {
    if (state.status === "held") draft.emit(story, { type: "gate_voided", gate: state.gate, reason });
    const attempt = state.status === "running" ? attemptIn(draft, story, state.attempt) : undefined;
    if (attempt && !hasEnded(attempt) && attempt.state.phase !== "stopping") stopRunning(draft, attempt, reason);
  }
  stopIdleParts(draft, story, step, reason);
}

/** A part whose attempt is being stopped ends with that attempt; every other one that has not ended ends now. */
export function stopIdleParts(draft: Draft, story: StoryId | null, step: StepWithParts, reason: string): void {
  for (const part of step.parts) {
    const attempt = part.state.status === "running" ? attemptIn(draft, story, part.state.attempt) : undefined;
    if (isEnded(part) || (attempt && !hasEnded(attempt))) continue;
    endPart(draft, story, step, part, { status: "stopped", reason });
  }
}

function attemptIn(draft: Draft, story: StoryId | null, id: Attempt["id"]): Attempt | undefined {
  return draft.scope(story).attempts.find((attempt) => attempt.id === id);
}

/** A no is a verdict. Where no part said no, and too few passed, nothing is known: the step has failed. */
function endParts(
  draft: Draft,
  story: StoryId | null,
  step: Step,
  definition: PerformedDefinition,
  parts: readonly Part[],
): void {
  const need = definition.parts?.need ?? "all";
  const isPassed = passedIn(parts) >= neededOf(parts, need) && isJoined(parts);
  const verdict: Verdict | null = isPassed ? { kind: "passed" } : rejectionOf(parts);
  const found = verdict && ruleFor(definition, verdict);
  if (verdict === null || found === null) return failStep(draft, story, step, failureOf(step, parts, need));
  const limited = applyLimits(draft, story, definition, found.key, found.rule);
  draft.emit(story, { type: "parts_ended", step: step.id, verdict, taken: limited.taken });
  const feedback = isPassed ? "" : refusals(parts);
  routeVerdict(draft, { story, step: draft.step(story, step.id), definition, verdict, feedback, limited });
}

/** The reason that all parts gave which said no; null: none said no. */
function rejectionOf(parts: readonly Part[]): Verdict | null {
  const reasons = parts.flatMap(({ state }) => (state.status === "rejected" ? [state.reason] : []));
  const [first] = reasons;
  if (first === undefined) return null;
  return { kind: "rejected", reason: reasons.every((reason) => reason === first) ? first : null };
}

/** What each part said that did not pass, with its name. */
function refusals(parts: readonly Part[]): string {
  return parts
    .flatMap(({ name, state }) => {
      if (state.status === "rejected") return [`${name}: ${state.feedback || "rejected"}`];
      return state.status === "failed" ? [`${name} failed: ${state.reason}`] : [];
    })
    .join("\n\n");
}

function failureOf({ name }: Step, parts: readonly Part[], need: PartsDefinition["need"]): string {
  const failed = parts.flatMap((part) =>
    part.state.status === "failed" ? [`${part.name} failed: ${part.state.reason}`] : [],
  );
  const wanted = `${passedIn(parts)} of ${counted(givenParts(parts).length, "part")} passed, and ${need === "all" ? "all" : need} must`;
  return [`${name}: ${wanted}`, ...failed].join("; ");
}

function heldBy(parts: readonly Part[]): string {
  const held = parts.filter(({ state }) => state.status === "held").map(({ name }) => name);
  return held.length === 0 ? "" : `${held.join(", ")}: waits for a person`;
}
