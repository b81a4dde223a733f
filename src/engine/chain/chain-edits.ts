// Checks and applies edits that an agent or a person requests, or explains why not. Each operation is checked against the chain
// that the operations before it leave; all of them are applied, or none.

import type { ChainLine, EditOperation, NewStep } from "../../domain/edit.ts";
import type { PlacedStep } from "../../domain/event.ts";
import type { StepId, StoryId } from "../../domain/ids.ts";
import type { Step } from "../../domain/step.ts";
import { restartsOf } from "../definitions.ts";
import type { Draft } from "../draft.ts";
import { restartsUsed } from "../limits.ts";
import { clearedKeys } from "../outputs.ts";
import { chainLines, isPending, NewSteps, visibleSteps } from "./chain-rules.ts";
import { insertSteps, resetSpan } from "./edits.ts";

export interface EditContext {
  readonly story: StoryId | null;
  /** The running step whose attempt requests the edits; null: a person. */
  readonly by: Step | null;
  /** What was changed while the request was read, in words. */
  readonly notes: readonly string[];
}

export type EditResult =
  | {
      readonly applied: true;
      /** Why the requesting step restarts; null if it does not. */
      readonly restarts: string | null;
      /** Steps were inserted before the requesting step, so it runs again after them. */
      readonly revisits: boolean;
    }
  | { readonly applied: false; readonly why: string; readonly exhausted: boolean };

export function editChain(draft: Draft, operations: readonly EditOperation[], context: EditContext): EditResult {
  if (operations.length === 0) return refuse("the request has no operations");
  const trial = draft.fork();
  const batch = new Batch(trial, context);
  for (const [index, operation] of operations.entries()) {
    const why = batch.apply(operation, index === 0 ? context.notes : []);
    // The step reached the limit, not one operation of its request.
    if (why !== null && batch.exhausted) return refuse(why, true);
    if (why !== null) return refuse(`operation ${index + 1} (${operation.op}): ${why}`);
  }
  batch.settle();
  draft.join(trial);
  return { applied: true, restarts: batch.restarts, revisits: batch.revisits };
}

/** Where steps were requested, and whether the requesting step runs again after them. */
interface RequestedPlace {
  readonly notes: string[];
  readonly where: string;
  readonly again: boolean;
}

function refuse(why: string, exhausted = false): EditResult {
  return { applied: false, why, exhausted };
}

class Batch {
  readonly #draft: Draft;
  readonly #story: StoryId | null;
  readonly #by: Step | null;
  readonly #newSteps: NewSteps;
  restarts: string | null = null;
  revisits = false;
  exhausted = false;

  constructor(draft: Draft, { story, by }: EditContext) {
    this.#draft = draft;
    this.#story = story;
    this.#by = by;
    this.#newSteps = new NewSteps(draft, story);
  }

  /** Why the operation is refused; null if it was applied. */
  apply(operation: EditOperation, notes: readonly string[]): string | null {
    const before = this.#lines();
    const said = [...notes];
    const done = this.#perform(operation, said);
    if (typeof done === "string") return done;
    this.#draft.emit(this.#story, {
      type: "chain_edited",
      by: this.#by?.id ?? null,
      operation,
      added: done,
      before,
      after: this.#lines(),
      notes: said,
    });
    return null;
  }

  /** A ready step that now has a pending step before it waits again. */
  settle(): void {
    const { chain } = this.#draft.scope(this.#story);
    const first = chain.findIndex(isPending);
    const step = chain.find(({ state }, index) => state.status === "ready" && index > first);
    if (!step) return;
    const { feedback } = step;
    const reason = "the chain was edited";
    resetSpan(this.#draft, this.#story, { from: step, to: step, keeps: step, feedback, reason });
  }

  #perform(operation: EditOperation, notes: string[]): string | readonly PlacedStep[] {
    switch (operation.op) {
      case "insert":
        return "after" in operation
          ? this.#insertAfter(operation.after, operation.steps, notes)
          : this.#insertBefore(operation.before, operation.steps, notes);
      case "replace":
        return this.#replace(operation.step, operation.steps);
      case "skip":
        return this.#skip(operation.step, operation.reason);
      case "reorder":
        return this.#reorder(operation.order);
      case "amend":
        return this.#amend(operation.step, operation.description);
      case "restart":
        return this.#restart(operation.step, operation.description, operation.reason);
    }
  }

  #insertAfter(target: StepId, steps: readonly NewStep[], notes: string[]): string | readonly PlacedStep[] {
    const index = this.#indexOf(target);
    if (index === null) return this.#unknown(target);
    if (this.#isLast(target)) return `nothing may follow ${target}: insert before it (add_before ${target})`;
    return this.#insertAt(index + 1, steps, { notes, where: `after ${target}`, again: false });
  }

  #insertBefore(target: StepId, steps: readonly NewStep[], notes: string[]): string | readonly PlacedStep[] {
    const index = this.#indexOf(target);
    if (index === null) return this.#unknown(target);
    return this.#insertAt(index, steps, { notes, where: `before ${target}`, again: target === this.#by?.id });
  }

  /** Steps are never inserted before one that is over or running. They go to the first place that can still run, with a note. */
  #insertAt(wanted: number, steps: readonly NewStep[], asked: RequestedPlace): string | readonly PlacedStep[] {
    const refusal = this.#newSteps.refuse(steps, 0);
    if (refusal !== null) return refusal;
    const { chain } = this.#draft.scope(this.#story);
    const own = this.#by === null ? -1 : chain.findIndex((step) => step.id === this.#by?.id);
    const begun = chain.findLastIndex((step) => !isPending(step) && step.state.status !== "skipped");
    // Steps that would follow the closing step go before it; so do steps that the requesting step inserts before itself.
    const closing = chain.findIndex((step) => this.#closes(step));
    let index = Math.max(wanted, begun + 1);
    if (own >= 0 && (asked.again || (own === closing && index > closing))) {
      this.revisits = true;
      index = own;
    }
    const last = chain[closing];
    if (last && index > closing) return `${last.id} is ${last.state.status}, and nothing may follow it`;
    if (index !== wanted)
      asked.notes.push(`the steps requested ${asked.where} were inserted at the first place that can still run`);
    return insertSteps(this.#draft, this.#story, { before: chain[index]?.id ?? null, steps });
  }

  #replace(target: StepId, steps: readonly NewStep[]): string | readonly PlacedStep[] {
    const step = this.#pending(target);
    if (typeof step === "string") return step;
    if (steps.length < 2) return `a step is split into two or more, not into ${steps.length}`;
    if (this.#isLast(target)) return `${target} cannot be split`;
    if (this.#isQuestionToAnother(step)) return `${step.name} is a question to a person; no step splits it`;
    if (this.#flag(step, "mandatory") && !steps.some(({ name }) => name === step.name))
      return `${step.name} must be among the steps that replace it`;
    const refusal = this.#newSteps.refuse(steps, 1);
    if (refusal !== null) return refusal;
    const added = insertSteps(this.#draft, this.#story, { before: target, steps });
    this.#withdraw(step);
    this.#draft.emit(this.#story, { type: "steps_removed", steps: [target] });
    return added;
  }

  /** The outputs and gates of a step count only while it is in the chain. */
  #withdraw({ id, produced }: Step): void {
    for (const { id: gate, step, state } of this.#draft.scope(this.#story).gates) {
      if (step === id && state.status !== "void")
        this.#draft.emit(this.#story, { type: "gate_voided", gate, reason: `${id} was split` });
    }
    if (produced.length > 0)
      this.#draft.emit(this.#story, { type: "outputs_set", step: id, set: {}, cleared: clearedKeys(produced) });
  }

  #skip(target: StepId, reason: string): string | readonly PlacedStep[] {
    const step = this.#pending(target);
    if (typeof step === "string") return step;
    if (this.#flag(step, "mandatory") || this.#isLast(target)) return `${step.name} is never skipped`;
    if (this.#isQuestionToAnother(step)) return `${step.name} is a question to a person; no step skips it`;
    this.#draft.emit(this.#story, { type: "steps_skipped", steps: [target], by: "edit", reason });
    return [];
  }

  #reorder(order: readonly StepId[]): string | readonly PlacedStep[] {
    const visible = visibleSteps(this.#draft, this.#story);
    const pending = visible.filter(isPending).map(({ id }) => id);
    const missing = pending.filter((id) => !order.includes(id));
    const foreign = order.filter((id) => !pending.includes(id));
    if (missing.length > 0) return `the new order leaves out ${missing.join(", ")}`;
    if (foreign.length > 0) return `${foreign.join(", ")} cannot be moved: not a step that is still to come`;
    if (order.length !== pending.length) return "the new order lists a step twice";
    const closing = pending.find((id) => this.#isLast(id));
    if (closing !== undefined && order.at(-1) !== closing) return `${closing} stays last`;
    const broken = this.#brokenFollowing(pending, order);
    if (broken !== null) return broken;
    const places = [...order];
    const chain = this.#draft.scope(this.#story).chain.map(({ id }) => (pending.includes(id) ? places.shift() : id));
    this.#draft.emit(this.#story, { type: "steps_reordered", order: chain.filter((id) => id !== undefined) });
    return [];
  }

  /** A step that reviews others must not move before the last of them. An order that was like that before may stay. */
  #brokenFollowing(before: readonly StepId[], after: readonly StepId[]): string | null {
    const { chain } = this.#draft.scope(this.#story);
    const nameOf = (id: StepId) => chain.find((step) => step.id === id)?.name;
    const lastOf = (order: readonly StepId[], names: readonly (string | undefined)[]) =>
      order.findLastIndex((id) => names.includes(nameOf(id)));
    for (const { name } of chain) {
      const definition = this.#draft.definition(this.#story, name);
      const follows = "follows" in definition ? (definition.follows ?? []) : [];
      const holds = (order: readonly StepId[]) => lastOf(order, [name]) > lastOf(order, follows);
      if (follows.length > 0 && lastOf(before, [name]) >= 0 && holds(before) && !holds(after))
        return `${name} stays behind ${follows.join(" and ")}`;
    }
    return null;
  }

  #amend(target: StepId, description: string): string | readonly PlacedStep[] {
    const step = this.#step(target);
    if (!step) return this.#unknown(target);
    if (target === this.#by?.id) return `${target} is running: use restart to change what it does`;
    // A person may improve the description of a failed step before a retry.
    const isMendable = this.#by === null && step.state.status === "failed";
    if (!isPending(step) && !isMendable) return this.#notPending(step);
    if (description.trim() === "") return "the new description is empty";
    this.#draft.emit(this.#story, { type: "step_amended", step: target, description });
    return [];
  }

  #restart(target: StepId, description: string, reason: string): string | readonly PlacedStep[] {
    if (this.#by === null) return "only a running step can request a restart; use `pawl retry` for a failed one";
    if (target !== this.#by.id) return `only the step that runs (${this.#by.id}) can be restarted`;
    if (this.restarts !== null) return "a request can restart a step only once";
    if (description.trim() === "") return "the new description is empty";
    const limit = restartsOf(this.#draft.run, this.#story);
    if (restartsUsed(this.#draft.scope(this.#story), this.#by) >= limit) {
      this.exhausted = true;
      return `restart limit (${limit}) reached`;
    }
    this.#draft.emit(this.#story, { type: "step_amended", step: target, description });
    this.restarts = reason;
    return [];
  }

  #pending(target: StepId): Step | string {
    const step = this.#step(target);
    if (!step) return this.#unknown(target);
    return isPending(step) ? step : this.#notPending(step);
  }

  #notPending({ id, state }: Step): string {
    return `${id} is ${state.status}; only steps that are still to come can be changed`;
  }

  #step(id: StepId): Step | undefined {
    return visibleSteps(this.#draft, this.#story).find((step) => step.id === id);
  }

  #indexOf(id: StepId): number | null {
    return this.#step(id) ? this.#draft.scope(this.#story).chain.findIndex((step) => step.id === id) : null;
  }

  #unknown(id: StepId): string {
    const known = visibleSteps(this.#draft, this.#story).map((step) => step.id);
    return `there is no step ${id}; there are ${known.join(", ")}`;
  }

  #isLast(id: StepId): boolean {
    const step = this.#draft.scope(this.#story).chain.find((candidate) => candidate.id === id);
    return step !== undefined && this.#flag(step, "last");
  }

  /** Nothing may follow this step: it is the last one, or the integration of the story. */
  #closes(step: Step): boolean {
    return this.#isLast(step.id) || this.#draft.definition(this.#story, step.name).kind === "integrate";
  }

  /** An agent must not decide a question to a person. */
  #isQuestionToAnother(step: Step): boolean {
    return this.#by !== null && this.#draft.definition(this.#story, step.name).kind === "gate";
  }

  #flag(step: Step, flag: "mandatory" | "last"): boolean {
    const definition = this.#draft.definition(this.#story, step.name);
    return flag in definition && definition[flag as never] === true;
  }

  #lines(): readonly ChainLine[] {
    return chainLines(this.#draft, this.#story);
  }
}
