// The steps of a session: the visits that are over, in the order of the log, then the chain that is still to come.

import type { Attempt } from "../../../domain/attempt.ts";
import type { StepDefinition } from "../../../domain/definition.ts";
import type { Gate } from "../../../domain/gate.ts";
import { type PartName, type StoryId, stepId } from "../../../domain/ids.ts";
import { givenParts, type Part } from "../../../domain/part.ts";
import { contextOf, type Run } from "../../../domain/run.ts";
import type { Scope } from "../../../domain/scope.ts";
import { isOver, type Step } from "../../../domain/step.ts";
import { isSettled, type StoryEntry } from "../../../domain/story.ts";
import { coordinator, splitCall } from "../waves/skill-call.ts";
import { resultOf, waveFacts } from "../waves/wave.ts";
import { decisionArgs, pendingCall } from "./pending-call.ts";
import type { AttemptEnd, PastVisit, SessionLog } from "./session-log.ts";
import { bodyIn, isBarrier, partNamesOf, type ShownType, shownType, stepIn } from "./shown-steps.ts";
import { stageOf, type Visit, visitKey } from "./visit.ts";

type SessionStepStatus = "pending" | "running" | "completed" | "failed" | "skipped";

export interface SessionStep {
  readonly index: number;
  /** Stays the same while the index moves. */
  readonly id: string;
  readonly type: ShownType;
  readonly skill: string;
  readonly args: string;
  readonly barrier: boolean;
  readonly status: SessionStepStatus;
  readonly wave: number | null;
  readonly summary: string | null;
  readonly artifacts: string | null;
  readonly error: string | null;
  /** The name of the step in the workflow, or of the part of one. */
  readonly stage: string;
}

type UnnumberedStep = Omit<SessionStep, "index">;

export function sessionSteps(run: Run, log: SessionLog): readonly SessionStep[] {
  const past = log.past.map((visit) => pastStep(run, log, visit));
  return [...past, ...stepsToCome(run, log)].map((step, index) => ({ index, ...step }));
}

function pastStep(run: Run, log: SessionLog, visit: PastVisit): UnnumberedStep {
  const definition = stepIn(run.header.definition, visit.story, visit.name);
  const end = visit.attempt === null ? undefined : log.ends.get(visit.attempt);
  const shown = shownStep(run, log, definition, visit);
  return { ...shown, ...saidIn(shown.type, end, visit.answer) };
}

function stepsToCome(run: Run, log: SessionLog): readonly UnnumberedStep[] {
  const { header } = run;
  return restOf(header).flatMap((step) => {
    const definition = stepIn(header.definition, null, step.name);
    return definition?.kind === "stories" ? phasesToCome(run, log) : openStep(run, log, null, step);
  });
}

/** Stories that nobody planned yet are shown as one, whose phase is not known. */
function phasesToCome(run: Run, log: SessionLog): readonly UnnumberedStep[] {
  const { header, stories } = run;
  // What a person cancelled was still to come.
  const isOpen = (entry: StoryEntry) =>
    !isSettled(entry) ||
    entry.status === "failed" ||
    (header.end?.status === "cancelled" && entry.status === "cancelled");
  const open = header.stories.filter(isOpen);
  const atWork = [...open].toSorted((one, other) => orderOf(one.status) - orderOf(other.status));
  const planned = atWork.flatMap(({ id }): readonly UnnumberedStep[] => {
    const story = stories[id];
    return story === undefined
      ? wholeBody(run, log, id)
      : restOf(story).flatMap((step) => openStep(run, log, id, step));
  });
  return open.length === 0 ? wholeBody(run, log, null) : planned;
}

function orderOf(status: string): number {
  return status === "running" || status === "held" ? 0 : 1;
}

function restOf({ chain }: Pick<Scope, "chain">): readonly Step[] {
  const first = chain.findIndex((step) => !isOver(step));
  return first === -1 ? [] : chain.slice(first).filter((step) => !isOver(step));
}

function wholeBody(run: Run, log: SessionLog, story: StoryId | null): readonly UnnumberedStep[] {
  return bodyIn(run.header.definition)
    .filter(({ spare }) => spare !== true)
    .flatMap((definition) => {
      if (shownType(definition) === null) return [];
      const visit = { story, step: stepId(definition.name), name: definition.name, visit: 1 };
      return eachPart(partNamesOf(definition)).map((part) =>
        shownStep(run, log, definition, { ...visit, ...part, status: "pending" }),
      );
    });
}

/** One for each part; one for a step that has none. */
function eachPart(names: readonly PartName[]): readonly { readonly part?: PartName }[] {
  return names.length === 0 ? [{}] : names.map((part) => ({ part }));
}

function openStep(run: Run, log: SessionLog, story: StoryId | null, step: Step): readonly UnnumberedStep[] {
  const definition = stepIn(run.header.definition, story, step.name);
  if (shownType(definition) === null) return [];
  const scope = story === null ? run.header : run.stories[story];
  const opened = step.parts && givenParts(step.parts).map(({ name }) => name);
  return eachPart(opened ?? partNamesOf(definition)).map(({ part: name }) => {
    const part = step.parts?.find((each) => each.name === name);
    const visit = { story, step: step.id, name: step.name, visit: step.visit };
    const isOwn = (attempt: Attempt) =>
      attempt.step === step.id && attempt.visit === step.visit && attempt.part === name;
    const last = scope?.attempts.findLast(isOwn);
    const end = last === undefined ? undefined : log.ends.get(last.id);
    const status = part === undefined ? wordOf(step, scope?.gates ?? [], last !== undefined) : partWord(step, part);
    const shown = shownStep(run, log, definition, { ...visit, ...(name === undefined ? {} : { part: name }), status });
    const said = status === "failed" || status === "completed" ? saidIn(shown.type, end, null) : {};
    const reason = part === undefined && step.state.status === "failed" ? { error: step.state.reason } : {};
    return { ...shown, ...said, ...reason };
  });
}

/** A part that was stopped is not needed. One whose step was cancelled had still to come. */
function partWord({ state: { status: step } }: Step, { state }: Part): SessionStepStatus {
  switch (state.status) {
    case "ready":
      return "pending";
    case "running":
      return "running";
    case "passed":
      return "completed";
    case "held":
    case "rejected":
    case "failed":
      return "failed";
    case "stopped":
      return step === "cancelled" ? "failed" : "skipped";
  }
}

/** A step whose question only asks whether to start has not begun, and one that was cancelled before it began never did. */
function wordOf({ state }: Step, gates: readonly Gate[], hasBegun: boolean): SessionStepStatus {
  switch (state.status) {
    case "waiting":
    case "ready":
      return "pending";
    case "running":
      return "running";
    case "held": {
      const cause = gates.find(({ id }) => id === state.gate)?.cause;
      return cause === "waits" || cause === "step" ? "pending" : "failed";
    }
    case "failed":
      return "failed";
    case "cancelled":
      return hasBegun ? "failed" : "pending";
    case "done":
      return "completed";
    case "skipped":
      return "skipped";
  }
}

function shownStep(
  run: Run,
  log: SessionLog,
  definition: StepDefinition | undefined,
  visit: Visit & { readonly status: SessionStepStatus },
): UnnumberedStep {
  const type = shownType(definition) ?? "decision";
  const wave = type === "decision" ? null : log.waveOf(visit);
  const called = type === "decision" || definition === undefined ? null : callOf(run, log, definition, visit);
  const call =
    called === null ? null : type === "cli" ? { skill: definition?.name ?? "", args: called } : splitCall(called);
  return {
    id: visitKey(visit),
    type,
    skill: call?.skill ?? coordinator,
    args: call?.args ?? decisionArgs(run, definition, visit),
    barrier: definition !== undefined && isBarrier(definition),
    status: visit.status,
    wave: wave?.number ?? null,
    summary: null,
    artifacts: null,
    error: null,
    stage: stageOf(visit),
  };
}

/** What was called, as far as the log has it; else what would be called now. */
function callOf(run: Run, log: SessionLog, definition: StepDefinition, visit: Visit): string {
  const wave = log.waveOf(visit);
  const end = wave === null ? undefined : log.ends.get(wave.attempt);
  const known = end === undefined ? null : waveFacts(end.facts);
  return known?.call ?? pendingCall(run, definition, visit, contextOf(run, visit.story));
}

type Said = Pick<SessionStep, "summary" | "artifacts" | "error">;

function saidIn(type: ShownType, end: AttemptEnd | undefined, answer: string | null): Said {
  if (type === "decision") return { summary: outcomeOf(end, answer), artifacts: null, error: null };
  if (end === undefined) return { summary: null, artifacts: null, error: null };
  const { summary, artifacts, error } = resultOf(end, "");
  return { summary: summary || null, artifacts: artifacts || null, error: error || null };
}

/** `fix: status is gaps_found`; a person's answer counts last. */
function outcomeOf(end: AttemptEnd | undefined, answer: string | null): string | null {
  const value = end?.verdict?.kind === "value" ? end.verdict.value : null;
  const decision = end?.facts["decision"];
  const why = typeof decision === "object" && decision !== null && "why" in decision ? decision["why"] : "";
  const read = value === null ? null : typeof why === "string" && why !== "" ? `${value}: ${why}` : value;
  if (answer === null || answer === "continue") return read;
  return read === null ? answer : `${read}; answered ${answer}`;
}
