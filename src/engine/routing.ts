// Takes a route from a step: it records what changes in the chain, and the walk does the rest.

import type { GateCause } from "../domain/gate.ts";
import type { StoryId } from "../domain/ids.ts";
import type { Route } from "../domain/route.ts";
import { hasOpenParts, isOver, type Step } from "../domain/step.ts";
import {
  followingStep,
  includedBehind,
  insertSteps,
  resetSpan,
  skipByRoute,
  skipSpan,
  stepsLeft,
} from "./chain/edits.ts";
import type { Draft } from "./draft.ts";
import { openGate } from "./gates/gates.ts";
import { readyOrAsk } from "./gates/waits.ts";
import { renderQuestion } from "./gates/words-before.ts";
import { sendMessage } from "./messages.ts";
import { readyStep } from "./readying.ts";
import { failStep } from "./status-changes.ts";

export interface Routing {
  readonly story: StoryId | null;
  /** The step that routes. */
  readonly step: Step;
  readonly route: Route;
  /** Feedback for the step that is sent back or runs again. */
  readonly feedback: string;
  /** The step that the work goes on to gets the feedback, too: the verdict was a no, and nothing has answered it. */
  readonly isRejection?: boolean;
  /** Why a gate opens, if the route is one. */
  readonly cause: GateCause;
  /** Which limit led here, and after how many attempts; absent: none did. A gate at the end of inserted steps shows it. */
  readonly exhausted?: string;
  /** When `again` may start. null or none: now. */
  readonly notBefore?: number | null;
}

export function takeRoute(draft: Draft, routing: Routing): void {
  const { story, step, route, feedback } = routing;
  switch (route.to) {
    case "next":
      return leave(draft, routing, followingStep(draft.scope(story), step));
    case "again":
      // A gate step is not performed, so asking again is a new visit.
      if (draft.definition(story, step.name).kind === "gate") return goBack(draft, routing, step);
      // Once more for all of its parts, whatever they said.
      if (hasOpenParts(step)) return goBack(draft, routing, step);
      // A person who answered has said that it may start; a second question would ask the same.
      if (step.state.status === "held") return readyStep(draft, story, step, { feedback });
      return readyOrAsk(draft, story, step, { notBefore: routing.notBefore, feedback });
    case "back_to": {
      const target = nearest(draft, story, step, route.step, "before");
      if (!target) return failStep(draft, story, step, `no step "${route.step}" before "${step.name}" to go back to`);
      return goBack(draft, routing, target);
    }
    case "go_to": {
      const target = nearest(draft, story, step, route.step, "after");
      if (!target) return failStep(draft, story, step, `no step "${route.step}" after "${step.name}" to go to`);
      leave(draft, routing, target);
      return skipSpan(draft, story, step, target, `${step.name} jumped ahead to ${target.name}`);
    }
    case "end": {
      if (route.of !== undefined) return endInclude(draft, routing, route.of);
      const rest = stepsBehind(draft, story, step);
      leave(draft, routing, rest.integration);
      return skipByRoute(
        draft,
        story,
        rest.skipped,
        `${step.name} ended the ${story === null ? "run" : "story"} early`,
      );
    }
    case "insert":
      return insert(draft, routing, route);
    case "gate":
      return openGate(draft, story, step, {
        question: renderQuestion(draft, story, { step, question: route.question, feedback }),
        options: route.options,
        deadline: route.deadline ?? null,
        cause: routing.cause,
        feedback,
      });
    case "fail":
      return failStep(draft, story, step, route.reason);
  }
}

/** What an early end skips. The work of a story is integrated all the same: a story that is done is on its base. */
function stepsBehind(
  draft: Draft,
  story: StoryId | null,
  step: Step,
): { readonly skipped: readonly Step[]; readonly integration: Step | undefined } {
  const { chain } = draft.scope(story);
  const behind = chain.slice(chain.findIndex(({ id }) => id === step.id) + 1);
  const integration = behind.find(({ name }) => draft.definition(story, name).kind === "integrate");
  return { skipped: behind.filter((other) => other !== integration), integration };
}

/** The chain continues behind the included workflow. */
function endInclude(draft: Draft, routing: Routing, of: string): void {
  const { story, step } = routing;
  const behind = includedBehind(draft, story, step, of);
  const { chain } = draft.scope(story);
  const rest = chain.slice(chain.findIndex(({ id }) => id === step.id) + 1);
  leave(
    draft,
    routing,
    rest.find((other) => !isOver(other) && !behind.includes(other)),
  );
  skipByRoute(draft, story, behind, `${step.name} ended ${of} early`);
}

/** The inserted steps run first, then everything from `before` to the routing step again. */
function insert(draft: Draft, routing: Routing, route: Extract<Route, { to: "insert" }>): void {
  const { story, step, feedback, exhausted = "" } = routing;
  const before = route.before === undefined ? step : nearest(draft, story, step, route.before, "before");
  if (!before) return failStep(draft, story, step, `no step "${route.before}" before "${step.name}" to insert before`);
  if (stepsLeft(draft, story) < route.steps.length) {
    const full = `${step.name} must insert steps, but the chain already has the maximum number of steps`;
    sendMessage(draft, "stuck", { story, step: step.name, text: full });
    return failStep(draft, story, step, full);
  }
  const steps = route.steps.map((name) => ({ name, description: "" }));
  insertSteps(draft, story, { before: before.id, steps, feedback, asks: exhausted });
  const reason = `${step.name} inserted ${route.steps.join(", ")}`;
  resetSpan(draft, story, { from: before, to: step, keeps: step, feedback, reason });
}

/** A step that is still ready has done nothing, because its budget was spent before it started: it is skipped. */
function leave(draft: Draft, { story, step, feedback, isRejection }: Routing, to: Step | undefined): void {
  if (step.state.status !== "ready") {
    const carried = to && isRejection && feedback !== "" ? { feedback: { to: to.id, text: feedback } } : {};
    return draft.emit(story, { type: "step_done", step: step.id, ...carried });
  }
  skipByRoute(draft, story, [step], `the budget of ${step.name} is spent`);
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

/** Names may repeat in a chain: a route leads to the nearest earlier or the nearest later step of that name. */
function nearest(
  draft: Draft,
  story: StoryId | null,
  from: Step,
  name: string,
  side: "before" | "after",
): Step | undefined {
  const { chain } = draft.scope(story);
  const index = chain.findIndex((step) => step.id === from.id);
  if (side === "after") return chain.slice(index + 1).find((step) => step.name === name);
  const found = chain.slice(0, index).findLast((step) => step.name === name);
  const first = found?.item?.first;
  // Going back to what was repeated begins with its first entry, unless the step runs for one of the same list.
  return first === undefined || first === from.item?.first
    ? found
    : chain.find((step) => step.name === name && step.item?.first === first && step.item.number === 1);
}
