// Routing. Owns: following a route from a step. Going back, on, past and inserting state what happened; the walk then
// does the rest.

import type { GateCause } from "../domain/gate.ts";
import type { StoryId } from "../domain/ids.ts";
import type { Route } from "../domain/route.ts";
import type { Step } from "../domain/step.ts";
import { insertSteps, resetSpan, skipSpan, stepsLeft } from "./chain/edits.ts";
import type { Draft } from "./draft.ts";
import { openGate } from "./gates/gates.ts";
import { sendMessage } from "./messages.ts";
import { failStep } from "./status-changes.ts";

export interface Routing {
  readonly story: StoryId | null;
  /** The step that routes. */
  readonly step: Step;
  readonly route: Route;
  /** What the step that is sent back, or asked again, will be told. */
  readonly feedback: string;
  /** Why a gate opens, if the route is one. */
  readonly cause: GateCause;
  /** When `again` may start; now, unless somebody asked for patience. */
  readonly notBefore?: number;
}

export function takeRoute(draft: Draft, routing: Routing): void {
  const { story, step, route, feedback } = routing;
  switch (route.to) {
    case "next":
      return leave(draft, story, step);
    case "again":
      // A gate step has nothing to perform: asking it again is a new visit.
      if (draft.definition(story, step.name).kind === "gate") return goBack(draft, routing, step);
      return draft.emit(story, {
        type: "step_readied",
        step: step.id,
        notBefore: routing.notBefore ?? draft.at,
        feedback,
      });
    case "back_to": {
      const target = nearest(draft, story, step, route.step, "before");
      if (!target) return failStep(draft, story, step, `no step "${route.step}" before "${step.name}" to go back to`);
      return goBack(draft, routing, target);
    }
    case "go_to": {
      const target = nearest(draft, story, step, route.step, "after");
      if (!target) return failStep(draft, story, step, `no step "${route.step}" after "${step.name}" to go to`);
      leave(draft, story, step);
      return skipSpan(draft, story, step, target, `${step.name} went on to ${target.name}`);
    }
    case "insert":
      return insert(draft, routing, route);
    case "gate":
      return openGate(draft, story, step, {
        question: route.question,
        options: route.options,
        deadline: route.deadline ?? null,
        cause: routing.cause,
        feedback,
      });
    case "fail":
      return failStep(draft, story, step, route.reason);
  }
}

/** What is inserted runs first, then everything from `before` to the routing step once more. */
function insert(draft: Draft, routing: Routing, route: Extract<Route, { to: "insert" }>): void {
  const { story, step, feedback } = routing;
  const before = route.before === undefined ? step : nearest(draft, story, step, route.before, "before");
  if (!before) return failStep(draft, story, step, `no step "${route.before}" before "${step.name}" to insert before`);
  if (stepsLeft(draft, story) < route.steps.length) {
    const full = `${step.name} must insert steps, and the chain has as many as it may have`;
    sendMessage(draft, "stuck", { story, step: step.name, text: full });
    return failStep(draft, story, step, full);
  }
  const steps = route.steps.map((name) => ({ name, description: "" }));
  insertSteps(draft, story, { before: before.id, steps, feedback });
  const reason = `${step.name} inserted ${route.steps.join(", ")}`;
  resetSpan(draft, story, { from: before, to: step, keeps: step, feedback, reason });
}

/** A step whose budget was spent before it could start has done nothing: it is skipped. */
function leave(draft: Draft, story: StoryId | null, step: Step): void {
  if (step.state.status !== "ready") return draft.emit(story, { type: "step_done", step: step.id });
  const reason = `the budget of ${step.name} is spent`;
  draft.emit(story, { type: "steps_skipped", steps: [step.id], by: "route", reason });
}

function goBack(draft: Draft, routing: Routing, target: Step): void {
  const { story, step, feedback } = routing;
  resetSpan(draft, story, {
    from: target,
    to: step,
    keeps: step,
    feedback,
    reason: `${step.name} went back to ${target.name}`,
  });
}

/** Routes use names, which may repeat in a chain: back to the nearest earlier, on to the nearest later. */
function nearest(
  draft: Draft,
  story: StoryId | null,
  from: Step,
  name: string,
  side: "before" | "after",
): Step | undefined {
  const { chain } = draft.scope(story);
  const index = chain.findIndex((step) => step.id === from.id);
  return side === "before"
    ? chain.slice(0, index).findLast((step) => step.name === name)
    : chain.slice(index + 1).find((step) => step.name === name);
}
