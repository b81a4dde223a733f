// Follows the log of a run: the visits of its steps that are over, in their order, and its waves. The parts of a step are visits of their
// own that end together, so that no position moves while they run.

import type { Outcome, Verdict } from "../../../domain/attempt.ts";
import type { Definition, StepDefinition } from "../../../domain/definition.ts";
import type { Event, PlacedStep } from "../../../domain/event.ts";
import type { AttemptId, PartName, StepId, StepName, StoryId } from "../../../domain/ids.ts";
import type { PartEnd } from "../../../domain/part.ts";
import type { Facts } from "../../../domain/report.ts";
import { codesOf, type SessionCode } from "./codes.ts";
import { SessionWaves, type Wave } from "./session-waves.ts";
import { isPosition, isWave, partNamesOf, shownType, stepIn } from "./shown-steps.ts";
import type { Visit } from "./visit.ts";

export interface PastVisit extends Visit {
  readonly status: "completed" | "failed" | "skipped";
  readonly at: number;
  /** The last attempt of this visit; null: there was none. */
  readonly attempt: AttemptId | null;
  /** What a person answered last; null: nothing was asked. */
  readonly answer: string | null;
}

export interface AttemptEnd {
  readonly at: number;
  readonly outcome: Outcome;
  readonly verdict: Verdict | null;
  readonly why: string;
  readonly facts: Facts;
  /** What the step said in the end; empty: nothing, or its outputs did not count. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** The position that was found out last. */
export interface FoundPosition {
  readonly value: string;
  readonly story: StoryId | null;
  /** How many visits were over then. */
  readonly after: number;
}

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;
interface Known {
  readonly name: StepName;
  visit: number;
  attempt: AttemptId | null;
  answer: string | null;
  isOver: boolean;
  /** Its parts in their order, once they were opened. */
  parts: Map<PartName, KnownPart> | null;
}
interface KnownPart {
  attempt: AttemptId | null;
  end: PartEnd["status"] | null;
}

export class SessionLog {
  readonly past: PastVisit[] = [];
  readonly ends = new Map<AttemptId, AttemptEnd>();
  readonly codes: SessionCode[] = [];
  position: FoundPosition | null = null;
  startedAt = 0;
  changedAt = 0;
  #definition: Definition | null = null;
  readonly #steps = new Map<string, Known>();
  readonly #dispatched = new Map<AttemptId, Visit>();
  readonly #gates = new Map<string, StepId>();
  readonly #waves = new SessionWaves();
  /** The step whose verdict or answer leads somewhere, until the next thing happens. */
  #router: Visit | null = null;

  /** Must be called in the order of the log. */
  apply(event: Event): void {
    this.changedAt = event.at;
    switch (event.type) {
      case "run_started":
        this.#definition = event.definition;
        this.startedAt = event.at;
        return this.#know(null, event.chain);
      case "story_opened":
      case "story_adopted":
        return this.#know(event.story, event.chain);
      case "attempt_dispatched":
        return this.#dispatch(event);
      case "attempt_ended":
        return this.#end(event);
      case "outputs_set":
        return this.#output(event);
      case "step_done":
        return this.#leave(event, event.step);
      case "steps_skipped":
        if (event.by === "edit") for (const step of event.steps) this.#record(event, step, "skipped");
        return;
      case "parts_opened":
        return this.#open(event);
      case "part_ended":
        return this.#endPart(event);
      case "join_refused":
        return this.#sendBack(event);
      case "items_taken":
        return this.#know(event.story, event.copies);
      case "steps_inserted":
        this.#know(event.story, event.steps);
        return this.#code(event);
      case "steps_reset":
        for (const step of event.steps) this.#reset(event, step);
        return;
      case "gate_opened":
        this.#gates.set(event.gate.id, event.gate.step);
        return this.#code(event);
      case "gate_answered":
        return this.#answer(event);
      case "step_readied":
        this.#router = null;
        return;
      // They neither end a visit nor begin a wave.
      case "attempt_began":
      case "attempt_stopping":
      case "caps_raised":
      case "chain_edited":
      case "edit_refused":
      case "executor_changed":
      case "file_change_adopted":
      case "file_change_refused":
      case "gate_shown":
      case "gate_voided":
      case "join_opened":
      case "limits_renewed":
      case "note_added":
      case "note_withdrawn":
      case "part_readied":
      case "parts_ended":
      case "notes_delivered":
      case "report_refused":
      case "closing_noted":
      case "run_ended":
      case "run_paused":
      case "run_reopened":
      case "run_resumed":
      case "signal_received":
      case "signal_taken":
      case "step_dropping":
      case "step_amended":
      case "step_cancelled":
      case "step_failed":
      case "step_opened":
      case "steps_removed":
      case "steps_reordered":
      case "stories_planned":
      case "story_changed":
      case "story_merged":
      case "story_reverted":
      case "waits_changed":
        return;
    }
  }

  /** Its files could not be joined with those of an earlier part: it runs again. */
  #sendBack({ story, step, part: name }: Of<"join_refused">): void {
    const part = this.#steps.get(keyOf(story, step))?.parts?.get(name);
    if (part) part.end = null;
  }

  define(story: StoryId | null, name: StepName): StepDefinition | undefined {
    return this.#definition === null ? undefined : stepIn(this.#definition, story, name);
  }

  /** Null: the log does not have it yet. */
  visitOf(attempt: AttemptId): Visit | null {
    return this.#dispatched.get(attempt) ?? null;
  }

  get waves(): readonly Wave[] {
    return this.#waves.all;
  }

  /** The last wave of a visit, with the attempt that is its row; null: there is none. */
  waveOf(visit: Visit): { readonly number: number; readonly attempt: AttemptId } | null {
    const found = this.#waves.of(visit);
    return found?.row.attempt ? { number: found.wave.number, attempt: found.row.attempt } : null;
  }

  #know(story: StoryId | null, steps: readonly PlacedStep[]): void {
    for (const { id, name } of steps)
      this.#steps.set(keyOf(story, id), { name, visit: 1, attempt: null, answer: null, isOver: false, parts: null });
  }

  #dispatch({ story, step, name, part, visit, attempt, at }: Of<"attempt_dispatched">): void {
    const known = this.#steps.get(keyOf(story, step));
    const own = part === undefined ? undefined : known?.parts?.get(part);
    this.#router = null;
    // What joins the work of parts is no part of the file, and no skill.
    if (part !== undefined && own === undefined) return;
    if (known) known.attempt = attempt;
    if (own) Object.assign(own, { attempt, end: null });
    const of: Visit = { story, step, name, visit, ...(part === undefined ? {} : { part }) };
    this.#dispatched.set(attempt, of);
    if (isWave(this.define(story, name))) this.#waves.begin(of, attempt, at);
  }

  #open(event: Of<"parts_opened">): void {
    const known = this.#steps.get(keyOf(event.story, event.step));
    if (!known) return;
    const before = known.parts;
    known.parts = new Map(event.parts.map((part) => [part, keptIn(before, part, event.keeps)]));
    if (isWave(this.define(event.story, known.name))) this.#waves.open(visitOf(event, known), event);
  }

  #endPart(event: Of<"part_ended">): void {
    const known = this.#steps.get(keyOf(event.story, event.step));
    const part = known?.parts?.get(event.part);
    if (!known || !part) return;
    part.end = event.end.status;
    this.#waves.leave(visitOf(event, known, event.part));
    const end = part.attempt === null ? undefined : this.ends.get(part.attempt);
    if (end && part.attempt && event.notes !== undefined) this.ends.set(part.attempt, { ...end, summary: event.notes });
  }

  #end(event: Of<"attempt_ended">): void {
    const { attempt, outcome, verdict, why, facts = {}, at } = event;
    this.ends.set(attempt, { at, outcome, verdict, why, facts, outputs: {}, summary: "" });
    const visit = this.visitOf(attempt);
    this.#router = visit;
    if (visit !== null && verdict?.kind === "value" && isPosition(this.define(visit.story, visit.name)))
      this.position = { value: verdict.value, story: visit.story, after: this.past.length };
    this.#code(event);
  }

  /** Follows the end of the attempt that said it. */
  #output({ story, step, set, notes = "" }: Of<"outputs_set">): void {
    const attempt = this.#steps.get(keyOf(story, step))?.attempt;
    const end = attempt === null || attempt === undefined ? undefined : this.ends.get(attempt);
    if (end && attempt) this.ends.set(attempt, { ...end, outputs: set, summary: notes });
  }

  #answer(event: Of<"gate_answered">): void {
    const step = this.#gates.get(event.gate);
    const known = step === undefined ? undefined : this.#steps.get(keyOf(event.story, step));
    if (!known || step === undefined) return;
    known.answer = event.option;
    this.#router = { story: event.story, step, name: known.name, visit: known.visit };
  }

  /** A performed step that a person went past without an attempt was not performed. */
  #leave(event: Event, step: StepId): void {
    const known = this.#steps.get(keyOf(event.story, step));
    const isGate = known !== undefined && this.define(event.story, known.name)?.kind === "gate";
    this.#record(event, step, known?.attempt === null && !isGate ? "skipped" : "completed");
  }

  /** A step that has answered and is visited again was over; one that failed or never ran was not. */
  #reset(event: Event, step: StepId): void {
    const known = this.#steps.get(keyOf(event.story, step));
    if (!known) return;
    if (known.parts !== null && !known.isOver) this.#recordParts(event, step, known, "completed");
    const end = known.attempt === null || known.parts ? undefined : this.ends.get(known.attempt);
    const isGate = this.define(event.story, known.name)?.kind === "gate";
    const hasPassed = end?.outcome === "completed" && end.verdict?.kind !== "rejected";
    if (!known.isOver && (hasPassed || (isGate && known.answer !== null))) this.#record(event, step, "completed");
    Object.assign(known, { visit: known.visit + 1, attempt: null, answer: null, isOver: false, parts: null });
  }

  #record({ story, at }: Event, step: StepId, status: PastVisit["status"]): void {
    const known = this.#steps.get(keyOf(story, step));
    if (!known || known.isOver) return;
    known.isOver = true;
    const definition = this.define(story, known.name);
    if (shownType(definition) === null) return;
    if (known.parts !== null) return this.#recordParts({ story, at }, step, known, null);
    const { name, visit, attempt, answer } = known;
    const parts = partNamesOf(definition).map((part) => ({ part }));
    for (const part of parts.length === 0 ? [{}] : parts)
      this.past.push({ story, step, name, visit, ...part, status, at, attempt, answer });
  }

  /** `only`: those with this status; null: all of them. */
  #recordParts(
    { story, at }: Pick<Event, "story" | "at">,
    step: StepId,
    { name, visit, parts }: Known,
    only: PastVisit["status"] | null,
  ): void {
    for (const [part, { attempt, end }] of parts ?? []) {
      const status = end === "passed" ? "completed" : end === "stopped" || end === null ? "skipped" : "failed";
      if (only === null || status === only)
        this.past.push({ story, step, name, visit, part, status, at, attempt, answer: null });
    }
  }

  #code(event: Event): void {
    this.codes.push(...codesOf(event, this.#router, (story, name) => this.define(story, name)));
  }
}

function visitOf(
  { story, step }: { story: StoryId | null; step: StepId },
  { name, visit }: Known,
  part?: PartName,
): Visit {
  return { story, step, name, visit, ...(part === undefined ? {} : { part }) };
}

/** A part that was decided before a retry keeps its end. */
function keptIn(
  before: ReadonlyMap<PartName, KnownPart> | null,
  part: PartName,
  keeps: readonly PartName[] = [],
): KnownPart {
  const kept = keeps.includes(part) ? before?.get(part) : undefined;
  return kept ?? { attempt: null, end: null };
}

function keyOf(story: StoryId | null, step: StepId): string {
  return `${story ?? ""}/${step}`;
}
