// Applies events to attempts, and to the totals and notes of the run that change with them.

import { type Attempt, addUsage, isUnreported, noUsage } from "../../domain/attempt.ts";
import type { Event } from "../../domain/event.ts";
import { type Run, scopeOf } from "../../domain/run.ts";
import type { Step } from "../../domain/step.ts";
import { nextAttemptState, nextPartState, nextStepState } from "../moves.ts";
import { withSettled } from "../note-updates.ts";
import { withAttempt, withHeader, withPart, withScope } from "../run-updates.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

export function withAttemptDispatched(run: Run, event: Of<"attempt_dispatched">): Run {
  const attempt: Attempt = {
    id: event.attempt,
    story: event.story,
    step: event.step,
    name: event.name,
    ...(event.part === undefined ? {} : { part: event.part }),
    visit: event.visit,
    number: event.number,
    token: event.token,
    driver: event.driver,
    executor: event.executor,
    host: event.host,
    startedAt: event.at,
    usage: noUsage,
    session: null,
    model: null,
    version: null,
    state: { phase: "dispatched" },
  };
  const next = withScope(run, event.story, (scope) => ({
    attempts: [...scope.attempts, attempt],
    chain: scope.chain.map((step) => (step.id === event.step ? dispatchedStep(step, event) : step)),
  }));
  const { totals } = next.header;
  const unreported = totals.unreported + Number(isUnreported(attempt));
  return withHeader(next, { totals: { ...totals, attempts: totals.attempts + 1, unreported } });
}

function dispatchedStep(step: Step, { part, attempt }: Of<"attempt_dispatched">): Step {
  const running = { status: "running", attempt } as const;
  if (part === undefined) return { ...step, state: nextStepState(step, "dispatch", running) };
  return withPart(step, part, (of) => ({ ...of, state: nextPartState(of, "dispatch", running) }));
}

export function withAttemptBegun(run: Run, event: Of<"attempt_began">): Run {
  return withAttempt(run, event.story, event.attempt, (attempt) => ({
    ...attempt,
    state: nextAttemptState(attempt, "begin", { phase: "started", workspace: event.workspace, base: event.base }),
  }));
}

export function withAttemptStopping(run: Run, event: Of<"attempt_stopping">): Run {
  return withAttempt(run, event.story, event.attempt, (attempt) => ({
    ...attempt,
    state: nextAttemptState(attempt, "stop", { phase: "stopping", reason: event.reason, ...whereOf(attempt) }),
  }));
}

export function withAttemptEnded(run: Run, event: Of<"attempt_ended">): Run {
  const next = withAttempt(run, event.story, event.attempt, (attempt) => ({
    ...attempt,
    usage: addUsage(noUsage, event.usage),
    session: event.session,
    model: event.model ?? null,
    version: event.version ?? null,
    state: nextAttemptState(attempt, "end", {
      phase: "ended",
      endedAt: event.at,
      outcome: event.outcome,
      verdict: event.verdict,
      taken: event.taken,
      why: event.why,
      discards: event.discards,
      ...(event.notes.length === 0 ? {} : { notes: event.notes }),
      ...whereOf(attempt),
    }),
  }));
  const { totals, notes } = next.header;
  const executor = scopeOf(run, event.story)?.attempts.find(({ id }) => id === event.attempt)?.executor ?? "";
  const hasReported = isUnreported({ executor, usage: noUsage }) && !isUnreported({ executor, usage: event.usage });
  const unreported = totals.unreported - Number(hasReported);
  return withHeader(next, {
    totals: { ...totals, ...addUsage(totals, event.usage), unreported },
    notes: withSettled(notes, event),
  });
}

function whereOf(attempt: Attempt): { workspace: string | null; base: string | null } {
  const { state } = attempt;
  return state.phase === "dispatched"
    ? { workspace: null, base: null }
    : { workspace: state.workspace, base: state.base };
}
