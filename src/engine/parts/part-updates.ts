// Applies events to the parts of a step, and records the rounds that limits count.

import type { Event } from "../../domain/event.ts";
import { givenParts, isEnded, joinPart, type Part } from "../../domain/part.ts";
import type { Run } from "../../domain/run.ts";
import type { Scope } from "../../domain/scope.ts";
import type { Step } from "../../domain/step.ts";
import { nextPartState, nextStepState } from "../moves.ts";
import { withPart, withScope, withStep } from "../run-updates.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

export function withPartsOpened(run: Run, event: Of<"parts_opened">): Run {
  return withStep(run, event.story, event.step, (step) => ({
    ...step,
    state: nextStepState(step, "open", { status: "running", attempt: null }),
    feedback: "",
    parts: event.parts.map((name) => opened(step, name, event)),
  }));
}

/** A part that was open before a retry keeps what it was told. */
function opened(step: Step, name: Part["name"], { at, keeps }: Of<"parts_opened">): Part {
  const before = step.parts?.find((part) => part.name === name);
  if (before !== undefined && keeps?.includes(name)) return before;
  const feedback = (keeps === undefined ? "" : before?.feedback) || step.feedback;
  return { name, state: { status: "ready", notBefore: at, pauseMs: 0 }, feedback };
}

export function withPartReadied(run: Run, event: Of<"part_readied">): Run {
  const { notBefore, pauseMs, feedback } = event;
  return withStep(run, event.story, event.step, (step) =>
    withPart(step, event.part, (part) => ({
      ...part,
      state: nextPartState(part, "again", { status: "ready", notBefore, pauseMs }),
      feedback: feedback ?? part.feedback,
    })),
  );
}

const changes = { passed: "pass", rejected: "reject", failed: "fail", stopped: "stop" } as const;

export function withPartEnded(run: Run, event: Of<"part_ended">): Run {
  const { end, said } = event;
  return withStep(run, event.story, event.step, (step) =>
    withPart(step, event.part, (part) => ({
      ...part,
      state: nextPartState(part, changes[end.status], end),
      ...(said === undefined ? {} : { said }),
    })),
  );
}

export function withJoinOpened(run: Run, { story, step: id, at }: Of<"join_opened">): Run {
  const join: Part = {
    name: joinPart,
    state: { status: "ready", notBefore: at, pauseMs: 0 },
    feedback: "",
    joins: true,
  };
  return withStep(run, story, id, (step) => ({ ...step, parts: [...(step.parts ?? []), join] }));
}

/** The part that joins goes, and comes again when the other one has ended. */
export function withJoinRefused(run: Run, { story, step: id, at, part: name, feedback }: Of<"join_refused">): Run {
  return withStep(run, story, id, (step) => {
    const again = withPart(step, name, ({ said: _said, ...part }) => ({
      ...part,
      state: nextPartState(part, "again", { status: "ready", notBefore: at, pauseMs: 0 }),
      feedback,
    }));
    return { ...again, parts: givenParts(again.parts ?? []) };
  });
}

export function withRound(run: Run, { story, step, taken }: Of<"parts_ended">): Run {
  return withScope(run, story, ({ chain, rounds = [] }) => {
    const name = chain.find(({ id }) => id === step)?.name;
    return name === undefined ? {} : { rounds: [...rounds, { step, name, taken }] };
  });
}

/** Limits that start a new count forget the rounds of their steps. Those of one part count no rounds. */
export function renewedRounds({ rounds }: Scope, { of, part }: Of<"limits_renewed">): Pick<Scope, "rounds"> {
  if (rounds === undefined || part !== undefined) return {};
  return { rounds: rounds.filter(({ name }) => of !== null && name !== of) };
}

/** No part of a cancelled step is at work. */
export function cancelledParts({ parts }: Step): Pick<Step, "parts"> {
  if (parts === undefined) return {};
  const end = { status: "stopped", reason: "the run was cancelled" } as const;
  return { parts: parts.map((part) => (isEnded(part) ? part : { ...part, state: end })) };
}
