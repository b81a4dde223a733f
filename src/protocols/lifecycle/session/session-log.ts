// Follows the log of a run: the visits of its steps that are over, in their order, and the attempts that were waves.

import type { Outcome, Verdict } from "../../../domain/attempt.ts";
import type { Definition, StepDefinition } from "../../../domain/definition.ts";
import type { Event, PlacedStep } from "../../../domain/event.ts";
import type { AttemptId, StepId, StepName, StoryId } from "../../../domain/ids.ts";
import type { Facts } from "../../../domain/report.ts";
import { codesOf, type SessionCode } from "./codes.ts";
import { isPosition, isWave, shownType, stepIn } from "./shown-steps.ts";
import type { Visit } from "./visit.ts";

export interface PastVisit extends Visit {
  readonly status: "completed" | "skipped";
  readonly at: number;
  /** The last attempt of this visit; null: there was none. */
  readonly attempt: AttemptId | null;
  /** What a person answered last; null: nothing was asked. */
  readonly answer: string | null;
}

export interface WaveAttempt extends Visit {
  /** 1-based, over the whole run. */
  readonly number: number;
  readonly attempt: AttemptId;
  readonly startedAt: number;
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
}

export class SessionLog {
  readonly past: PastVisit[] = [];
  readonly waves: WaveAttempt[] = [];
  readonly ends = new Map<AttemptId, AttemptEnd>();
  readonly codes: SessionCode[] = [];
  position: FoundPosition | null = null;
  startedAt = 0;
  changedAt = 0;
  #definition: Definition | null = null;
  readonly #steps = new Map<string, Known>();
  readonly #dispatched = new Map<AttemptId, Visit>();
  readonly #gates = new Map<string, StepId>();
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
      case "limits_renewed":
      case "note_added":
      case "note_withdrawn":
      case "part_ended":
      case "join_opened":
      case "join_refused":
      case "part_readied":
      case "parts_ended":
      case "parts_opened":
      case "notes_delivered":
      case "report_refused":
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
      case "waits_changed":
        return;
    }
  }

  define(story: StoryId | null, name: StepName): StepDefinition | undefined {
    return this.#definition === null ? undefined : stepIn(this.#definition, story, name);
  }

  /** Null: the log does not have it yet. */
  visitOf(attempt: AttemptId): Visit | null {
    return this.#dispatched.get(attempt) ?? null;
  }

  /** The last attempt of a visit that is a wave; null: there is none. */
  waveOf({ story, step, visit }: Visit): WaveAttempt | null {
    const isIt = (wave: WaveAttempt) => wave.story === story && wave.step === step && wave.visit === visit;
    return this.waves.findLast(isIt) ?? null;
  }

  #know(story: StoryId | null, steps: readonly PlacedStep[]): void {
    for (const { id, name } of steps)
      this.#steps.set(keyOf(story, id), { name, visit: 1, attempt: null, answer: null, isOver: false });
  }

  #dispatch({ story, step, name, visit, attempt, at }: Of<"attempt_dispatched">): void {
    const known = this.#steps.get(keyOf(story, step));
    if (known) known.attempt = attempt;
    this.#router = null;
    this.#dispatched.set(attempt, { story, step, name, visit });
    if (!isWave(this.define(story, name))) return;
    this.waves.push({ number: this.waves.length + 1, attempt, story, step, name, visit, startedAt: at });
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
    const end = known.attempt === null ? undefined : this.ends.get(known.attempt);
    const isGate = this.define(event.story, known.name)?.kind === "gate";
    const hasPassed = end?.outcome === "completed" && end.verdict?.kind !== "rejected";
    if (!known.isOver && (hasPassed || (isGate && known.answer !== null))) this.#record(event, step, "completed");
    Object.assign(known, { visit: known.visit + 1, attempt: null, answer: null, isOver: false });
  }

  #record({ story, at }: Event, step: StepId, status: PastVisit["status"]): void {
    const known = this.#steps.get(keyOf(story, step));
    if (!known || known.isOver) return;
    known.isOver = true;
    if (shownType(this.define(story, known.name)) === null) return;
    const { name, visit, attempt, answer } = known;
    this.past.push({ story, step, name, visit, status, at, attempt, answer });
  }

  #code(event: Event): void {
    this.codes.push(...codesOf(event, this.#router, (story, name) => this.define(story, name)));
  }
}

function keyOf(story: StoryId | null, step: StepId): string {
  return `${story ?? ""}/${step}`;
}
