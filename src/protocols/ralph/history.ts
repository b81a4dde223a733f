// Builds the history of one story for `workflow_state.json` from the log, with the nine actions that the file knows.

import type { Outcome, Usage } from "../../domain/attempt.ts";
import type { StepDefinition } from "../../domain/definition.ts";
import type { ChainLine, EditOperation } from "../../domain/edit.ts";
import type { Event, PlacedStep } from "../../domain/event.ts";
import type { AttemptId, StepId, StepName } from "../../domain/ids.ts";
import type { StepStatus } from "../../domain/step.ts";
import type { StoryStatus } from "../../domain/story.ts";
import type { OperationWord } from "../files/edit-operation.ts";
import {
  type HistoryAction,
  type HistoryEntry,
  type StateStoryStatus,
  stateTime,
  stepStatusInFile,
  storyStatusInFile,
} from "./state-document.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;
export type Define = (name: StepName) => StepDefinition | undefined;

/** Dynamic Ralph's files do not show integration steps, which only Pawl has. */
export function isHidden(definition: StepDefinition | undefined): boolean {
  return definition?.kind === "integrate";
}

/** Dynamic Ralph calls a step cancelled if it was ended from outside. */
export function wasCancelled(outcome: Outcome | undefined): boolean {
  return outcome === "timed_out" || outcome === "cancelled";
}

export class StoryHistory {
  readonly entries: HistoryEntry[] = [];
  /** The last slot that it worked in. */
  agent: number | null = null;
  claimedAt: string | null = null;
  completedAt: string | null = null;
  readonly #define: Define;
  /** The status from an imported file. Reaching it again adds no entry. */
  readonly #before: StateStoryStatus | null;
  readonly #steps = new Map<StepId, StepName>();
  readonly #attempts = new Map<AttemptId, StepId>();
  /** How each step's last attempt ended, and the index of its entry. */
  readonly #ends = new Map<
    StepId,
    { readonly usage: Usage; readonly outcome: Outcome; readonly entry: number | null }
  >();
  #inserted: Of<"steps_inserted"> | null = null;
  #atWork = false;

  constructor(define: Define, before: StateStoryStatus | null) {
    this.#define = define;
    this.#before = before;
  }

  /** Must be called in the order of the log. */
  apply(event: Event): void {
    switch (event.type) {
      case "story_opened":
      case "story_adopted":
        return this.#know(event.chain);
      case "story_changed":
        return this.#change(event);
      case "attempt_dispatched":
        this.#attempts.set(event.attempt, event.step);
        this.#ends.delete(event.step);
        return this.#add(event, "step_started", event.step, event.number > 1 ? { attempt: event.number } : {});
      case "attempt_ended":
        return this.#end(event);
      case "step_done":
        return this.#add(event, "step_completed", event.step, usageDetails(this.#ends.get(event.step)?.usage));
      case "step_failed":
        return this.#fail(event, event.reason);
      case "step_cancelled":
        return this.#fail(event, "");
      case "steps_skipped":
        for (const step of event.steps) this.#add(event, "step_skipped", step, { reason: event.reason });
        return;
      case "items_taken":
        return this.#know(event.copies);
      case "steps_inserted":
        this.#know(event.steps);
        this.#inserted = event;
        return;
      case "steps_reset":
        return this.#insertedByRoute(event);
      case "chain_edited":
        this.#inserted = null;
        return this.#edit(event);
      // The file has no action for these; they are only in the log.
      case "attempt_began":
      case "attempt_stopping":
      case "caps_raised":
      case "edit_refused":
      case "gate_answered":
      case "executor_changed":
      case "waits_changed":
      case "gate_opened":
      case "gate_shown":
      case "gate_voided":
      case "file_change_adopted":
      case "file_change_refused":
      case "limits_renewed":
      case "note_added":
      case "note_withdrawn":
      case "notes_delivered":
      case "outputs_set":
      case "part_ended":
      case "join_opened":
      case "join_refused":
      case "part_readied":
      case "parts_ended":
      case "parts_opened":
      case "report_refused":
      case "closing_noted":
      case "run_ended":
      case "run_paused":
      case "run_reopened":
      case "run_resumed":
      case "signal_received":
      case "signal_taken":
      case "step_dropping":
      case "run_started":
      case "step_amended":
      case "step_opened":
      case "step_readied":
      case "steps_removed":
      case "steps_reordered":
      case "stories_planned":
      case "story_merged":
      case "story_reverted":
        return;
    }
  }

  #know(steps: readonly PlacedStep[]): void {
    for (const { id, name } of steps) this.#steps.set(id, name);
  }

  #change(event: Of<"story_changed">): void {
    if (event.slot !== undefined) this.agent = event.slot;
    const wasAtWork = this.#atWork;
    this.#atWork = isAtWork(event.status);
    if (this.#atWork && !wasAtWork) {
      this.claimedAt ??= stateTime(event.at);
      return this.#add(event, "story_claimed", null, {});
    }
    const word = storyStatusInFile[event.status];
    // An imported story that is already finished was finished elsewhere, at an unknown time.
    if (!wasAtWork && (word === "completed" || word === this.#before)) return;
    if (word === "completed") this.completedAt = stateTime(event.at);
    if (word === "completed") this.#add(event, "story_completed", null, {});
    if (word === "failed") this.#add(event, "story_failed", null, { reason: event.reason });
  }

  /** An attempt that did not complete gets its entry when it ends, even if the step then runs again. */
  #end(event: Of<"attempt_ended">): void {
    const step = this.#attempts.get(event.attempt);
    if (step === undefined) return;
    const { outcome, usage } = event;
    const before = this.entries.length;
    if (outcome !== "completed") this.#add(event, failureOf(outcome), step, { reason: event.why });
    this.#ends.set(step, { outcome, usage, entry: this.entries.length > before ? before : null });
  }

  #fail(event: Of<"step_failed"> | Of<"step_cancelled">, reason: string): void {
    const end = this.#ends.get(event.step);
    const written = end?.entry === null || end === undefined ? undefined : this.entries[end.entry];
    if (end && written && end.entry !== null) {
      if (reason !== "") this.entries[end.entry] = { ...written, details: { reason } };
      return;
    }
    const action = event.type === "step_cancelled" ? "step_cancelled" : failureOf(end?.outcome);
    this.#add(event, action, event.step, reason === "" ? {} : { reason });
  }

  /** Steps that Pawl itself inserts, such as one that resolves conflicts, are recorded as an edit. */
  #insertedByRoute(reset: Of<"steps_reset">): void {
    const inserted = this.#inserted;
    this.#inserted = null;
    if (!inserted) return;
    this.#add(inserted, "workflow_edit", null, {
      operation: "add_before" satisfies OperationWord,
      ...(inserted.before === null ? {} : { target_step_id: inserted.before }),
      reason: reset.reason,
      new_steps: this.#described(inserted.steps),
    });
  }

  #edit(event: Of<"chain_edited">): void {
    const { operation, before, after, added } = event;
    const target = targetOf(operation);
    const changed = operation.op === "amend" || operation.op === "restart";
    const details = {
      operation: wordOf(operation),
      ...(target === null ? {} : { target_step_id: target }),
      reason: operation.reason,
      ...(added.length === 0 ? {} : { new_steps: this.#described(added) }),
      ...(operation.op === "reorder" ? { new_order: operation.order } : {}),
      ...(changed ? { old_description: before.find(({ id }) => id === target)?.description ?? "" } : {}),
      ...(changed ? { new_description: operation.description } : {}),
      ...(event.notes.length === 0 ? {} : { notes: event.notes }),
      before: this.#lines(before),
      after: this.#lines(after),
    };
    this.#add(event, "workflow_edit", event.by, details);
  }

  #described(steps: readonly PlacedStep[]): readonly object[] {
    return steps.map(({ id, name, description }) => ({
      id,
      type: name,
      description: description || (this.#define(name)?.title ?? name),
    }));
  }

  #lines(lines: readonly ChainLine[]): readonly object[] {
    return lines
      .filter(({ name }) => !isHidden(this.#define(name)))
      .map(({ id, name, status, description }) => ({
        id,
        type: name,
        status: stepStatusInFile[status as StepStatus] ?? status,
        description,
      }));
  }

  #add(event: Event, action: HistoryAction, step: StepId | null, details: HistoryEntry["details"]): void {
    const name = step === null ? undefined : this.#steps.get(step);
    const hidden = name !== undefined && isHidden(this.#define(name));
    if (hidden && action !== "workflow_edit") return;
    this.entries.push({
      timestamp: stateTime(event.at),
      action,
      // A person who edits a chain has no slot.
      agent_id: action === "workflow_edit" && event.type === "chain_edited" && step === null ? null : this.agent,
      step_id: hidden ? null : step,
      details,
    });
  }
}

function isAtWork(status: StoryStatus): boolean {
  return status === "running" || status === "held";
}

function failureOf(outcome: Outcome | undefined): "step_cancelled" | "step_failed" {
  return wasCancelled(outcome) ? "step_cancelled" : "step_failed";
}

function usageDetails(usage: Usage | undefined): HistoryEntry["details"] {
  if (!usage || usage.costUsd + usage.inputTokens + usage.outputTokens === 0) return {};
  return { cost_usd: usage.costUsd, input_tokens: usage.inputTokens, output_tokens: usage.outputTokens };
}

function wordOf(operation: EditOperation): OperationWord {
  switch (operation.op) {
    case "insert":
      return "after" in operation ? "add_after" : "add_before";
    case "replace":
      return "split";
    case "amend":
      return "edit_description";
    case "skip":
    case "reorder":
    case "restart":
      return operation.op;
  }
}

function targetOf(operation: EditOperation): StepId | null {
  switch (operation.op) {
    case "insert":
      return "after" in operation ? operation.after : operation.before;
    case "reorder":
      return null;
    case "replace":
    case "skip":
    case "amend":
    case "restart":
      return operation.step;
  }
}
