// Checks from events alone that no attempt starts without the word of a person where the run or the step asks for it.

import type { Event } from "../../../src/domain/event.ts";
import type { GateId, StepId, StoryId } from "../../../src/domain/ids.ts";
import type { Run, WaitsLevel } from "../../../src/domain/run.ts";
import { holds, performed } from "./invariants.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

export class WaitBook {
  #level: WaitsLevel;
  /** Steps that may start: a person said so, or their last attempt decided nothing. */
  readonly #allowed = new Set<string>();
  readonly #gates = new Map<GateId, { readonly key: string; readonly asksFirst: boolean }>();
  readonly #attempts = new Map<string, string>();
  /** Attempts that a person stopped: they start again only after an answer. */
  readonly #stopped = new Set<string>();

  constructor(level: WaitsLevel) {
    this.#level = level;
  }

  enter(after: Run, events: readonly Event[]): void {
    for (const event of events) this.#note(after, event);
  }

  #note(after: Run, event: Event): void {
    if (event.type === "waits_changed") this.#level = event.waits;
    else if (event.type === "gate_opened") this.#ask(event);
    else if (event.type === "gate_answered" && event.took === "again") this.#allow(event.gate);
    else if (event.type === "gate_voided" && this.#gates.get(event.gate)?.asksFirst) this.#allow(event.gate);
    else if (event.type === "steps_reset")
      for (const step of event.steps) this.#allowed.delete(keyOf(event.story, step));
    else if (event.type === "parts_opened") this.#open(after, event);
    else if (event.type === "attempt_dispatched") this.#start(after, event);
    else if (event.type === "attempt_stopping") this.#stopped.add(event.attempt);
    else if (event.type === "attempt_ended") this.#end(event);
  }

  #ask({ story, gate: { id, step, part, cause, tree } }: Of<"gate_opened">): void {
    const asksFirst = cause === "waits" || cause === "stopped";
    holds(!asksFirst || tree === null, `${id} asks about a start and shows a tree`);
    holds(cause !== "waits" || this.#level !== "none", `${id} asks although the run never does`);
    if (part === undefined) this.#gates.set(id, { key: keyOf(story, step), asksFirst });
  }

  /** A step with parts asks once, before they open. */
  #open(after: Run, event: Of<"parts_opened">): void {
    const key = keyOf(event.story, event.step);
    const scope = event.story === null ? after.header : after.stories[event.story];
    const name = scope?.chain.find(({ id }) => id === event.step)?.name ?? "";
    const isMarked = performed(after, event.story, name).waits === true;
    const asks = this.#level === "all" || (this.#level === "marked" && isMarked);
    holds(!asks || this.#allowed.has(key), `${key} opened its parts without a question at level ${this.#level}`);
    this.#allowed.delete(key);
  }

  #start(after: Run, event: Of<"attempt_dispatched">): void {
    if (event.part !== undefined) return;
    const key = keyOf(event.story, event.step);
    const scope = event.story === null ? after.header : after.stories[event.story];
    const visits = scope?.attempts.filter(({ step, visit }) => step === event.step && visit === event.visit) ?? [];
    const isMarked = performed(after, event.story, event.name).waits === true && visits.length === 1;
    const asks = this.#level === "all" || (this.#level === "marked" && isMarked);
    holds(!asks || this.#allowed.has(key), `${key} started without a question at level ${this.#level}`);
    this.#allowed.add(key);
    this.#attempts.set(event.attempt, key);
  }

  #end(event: Of<"attempt_ended">): void {
    const key = this.#attempts.get(event.attempt) ?? "";
    const decidesNothing = ["lost", "rate_limited", "cancelled"].includes(event.outcome);
    if (!decidesNothing || this.#stopped.has(event.attempt)) this.#allowed.delete(key);
  }

  #allow(gate: GateId): void {
    const key = this.#gates.get(gate)?.key;
    if (key !== undefined) this.#allowed.add(key);
  }
}

function keyOf(story: StoryId | null, step: StepId): string {
  return `${story ?? "run"}/${step}`;
}
