// Builds the entry of one step in `workflow_state.json` from the step, its attempts and an imported file.

import { type Attempt, baseOf, hasEnded, type Usage } from "../../domain/attempt.ts";
import type { StepDefinition } from "../../domain/definition.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { Step } from "../../domain/step.ts";
import { wasCancelled } from "./history.ts";
import type { RawStep } from "./imported-state.ts";
import { logName } from "./shared.ts";
import { type StateStep, type StateStepStatus, stateTime, stepStatusInFile } from "./state-document.ts";

export interface StepFacts {
  readonly story: StoryId;
  readonly step: Step;
  readonly definition: StepDefinition | undefined;
  /** The attempts of this step, in the order in which they were dispatched. */
  readonly attempts: readonly Attempt[];
  /** The step in an imported file. */
  readonly before: RawStep | null;
}

export function stepDocument(facts: StepFacts): StateStep {
  const { step, definition } = facts;
  const { state } = step;
  const status = wordOf(facts);
  return {
    id: step.id,
    type: step.name,
    status,
    description: step.description || (definition?.title ?? step.name),
    ...timesOf(facts, status),
    notes: step.notes || null,
    error: errorOf(facts, status),
    skip_reason: state.status === "skipped" ? state.reason : null,
    restart_count: (step.restartsBefore ?? 0) + facts.attempts.filter(restarted).length,
    ...usageOf(facts),
    log_file: logOf(facts),
  };
}

function wordOf({ step, attempts, before }: StepFacts): StateStepStatus {
  const last = attempts.at(-1);
  if (step.state.status !== "failed") return stepStatusInFile[step.state.status];
  if (!last) return before?.status === "cancelled" ? "cancelled" : "failed";
  return hasEnded(last) && wasCancelled(last.state.outcome) ? "cancelled" : "failed";
}

type Times = Pick<StateStep, "started_at" | "completed_at" | "git_sha_at_start">;

/** The times of the latest attempt. */
function timesOf({ attempts, before }: StepFacts, status: StateStepStatus): Times {
  const last = attempts.at(-1);
  if (!last) {
    return {
      started_at: before?.started_at ?? null,
      completed_at: before?.completed_at ?? null,
      git_sha_at_start: before?.git_sha_at_start ?? null,
    };
  }
  const isOver = status === "completed" || status === "failed" || status === "cancelled";
  return {
    started_at: stateTime(last.startedAt),
    completed_at: isOver && hasEnded(last) ? stateTime(last.state.endedAt) : null,
    git_sha_at_start: headIn(baseOf(last)),
  };
}

/** A snapshot is `<head>[+content][@branch]`. */
function headIn(base: string | null): string | null {
  return /^[0-9a-f]+/.exec(base ?? "")?.[0] ?? null;
}

function errorOf({ step, attempts }: StepFacts, status: StateStepStatus): string | null {
  if (step.state.status === "failed") return step.state.reason;
  const last = attempts.at(-1);
  return status === "cancelled" && last && hasEnded(last) ? last.state.why || null : null;
}

function restarted(attempt: Attempt): boolean {
  return hasEnded(attempt) && attempt.state.taken?.key === "edit" && attempt.state.taken.to === "again";
}

type Cost = Pick<StateStep, "cost_usd" | "input_tokens" | "output_tokens">;

/** The usage of all attempts, here and before the import; null if none was reported. */
function usageOf({ attempts, before }: StepFacts): Cost {
  const sum = (of: keyof Usage) => attempts.reduce((total, { usage }) => total + (usage[of] ?? 0), 0);
  const [cost, input, output] = [sum("costUsd"), sum("inputTokens"), sum("outputTokens")];
  if (cost + input + output === 0) {
    return {
      cost_usd: before?.cost_usd ?? null,
      input_tokens: before?.input_tokens ?? null,
      output_tokens: before?.output_tokens ?? null,
    };
  }
  return {
    // Rounded, because sums of floating-point numbers have noise.
    cost_usd: Number((cost + (before?.cost_usd ?? 0)).toFixed(6)),
    input_tokens: input + (before?.input_tokens ?? 0),
    output_tokens: output + (before?.output_tokens ?? 0),
  };
}

function logOf({ story, step, attempts, before }: StepFacts): string | null {
  const last = attempts.at(-1);
  return last ? logName(story, step.id, last.number) : (before?.log_file ?? null);
}
