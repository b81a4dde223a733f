// The session that would start now: its steps from where the project stands to its target, before there is a run.

import type { DecisionStep, Definition, StepDefinition } from "../../../domain/definition.ts";
import { renderTemplate } from "../../../prompts/template.ts";
import { type PhaseStory, phaseValue } from "../standing/phase-story.ts";
import { coordinator, splitCall } from "../waves/skill-call.ts";
import { callValues } from "./call-values.ts";
import { templateOf, unknownValues } from "./pending-call.ts";
import type { SessionStep } from "./session-steps.ts";
import {
  isBarrier,
  isPosition,
  partNamesOf,
  performerOf,
  retriesOf,
  type ShownType,
  shownType,
  targetIn,
} from "./shown-steps.ts";

/** Where the project stands. */
export interface PlannedFrom {
  readonly position: string;
  readonly milestone: string | null;
  readonly phase: string | null;
}

export interface PlannedSession {
  readonly lifecycle_position: string;
  readonly target: string;
  readonly phase: string | number | null;
  readonly milestone: string | null;
  readonly steps: readonly PlannedStep[];
}

export type PlannedStep = Pick<SessionStep, "index" | "type" | "skill" | "args" | "barrier" | "status" | "stage">;

/** `later`: phases of the same milestone that follow the one where it stands. */
export function plannedSession(
  definition: Definition,
  intent: string,
  from: PlannedFrom,
  later: readonly string[] = [],
): PlannedSession {
  const at = phaseOf(from);
  const values = (phase: PhaseStory | null) => callValues({ task: intent, at: phase, feedback: "" });
  const steps = chainFrom(definition.steps, placeOf(from.position)).flatMap((step) => {
    if (step.kind !== "stories") return plannedSteps(step, values(at));
    const first = chainFrom(step.body, from.position).flatMap((each) => plannedSteps(each, values(at)));
    const rest = later.flatMap((phase) => {
      const next = at === null ? null : { ...at, phase };
      return chainFrom(step.body, "").flatMap((each) => plannedSteps(each, values(next)));
    });
    return [...first, ...rest];
  });
  return {
    lifecycle_position: from.position,
    target: targetIn(definition),
    phase: phaseValue(from.phase),
    milestone: from.milestone,
    steps: steps.map((step, index) => ({ index, ...step })),
  };
}

function phaseOf({ milestone, phase }: PlannedFrom): PhaseStory | null {
  return milestone === null || phase === null ? null : { milestone, phase };
}

/** What the run's own position is called where the phase has one. */
function placeOf(position: string): string {
  return position === "milestone-audit" ? "audit" : position;
}

/** The steps of a chain once its position is known: what its value inserts first, and nothing that it jumps over. */
function chainFrom(steps: readonly StepDefinition[], position: string): readonly StepDefinition[] {
  const chain = steps.filter(({ spare }) => spare !== true);
  const first = chain.findIndex(isPosition);
  const decision = chain[first];
  if (decision?.kind !== "decision") return chain;
  const rest = chain.slice(first + 1);
  const route = routeFor(decision, position);
  if (route?.to === "insert")
    return [...route.steps.flatMap((name) => steps.find((step) => step.name === name) ?? []), ...rest];
  const target = route?.to === "go_to" ? rest.findIndex(({ name }) => name === route.step) : 0;
  return rest.slice(Math.max(0, target));
}

function routeFor({ on }: DecisionStep, position: string) {
  return on[`=${position}`]?.route ?? null;
}

type Values = Readonly<Record<string, string>>;

/** One for each of its parts; none: it is not shown. */
function plannedSteps(definition: StepDefinition, values: Values): readonly Omit<PlannedStep, "index">[] {
  const type = shownType(definition);
  if (type === null) return [];
  const parts = partNamesOf(definition);
  if (parts.length === 0) return [plannedStep(definition, type, { stage: definition.name, values })];
  return parts.map((part) =>
    plannedStep(performerOf(definition, part), type, { stage: part, values: { ...values, part } }),
  );
}

function plannedStep(
  definition: StepDefinition,
  type: ShownType,
  { stage, values }: { readonly stage: string; readonly values: Values },
): Omit<PlannedStep, "index"> {
  const template = templateOf(definition);
  const call = renderTemplate(template, { ...unknownValues(template), ...values }, []).text;
  const called = type === "skill" ? splitCall(call) : { skill: definition.name as string, args: call };
  const retries = retriesOf(definition);
  const limits = retries === null ? {} : { retry_count: 0, max_retries: retries.atMost };
  return {
    type,
    ...(type === "decision"
      ? { skill: coordinator, args: JSON.stringify({ decision: definition.name, ...limits }) }
      : called),
    barrier: isBarrier(definition),
    status: "pending",
    stage,
  };
}
