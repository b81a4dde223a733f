// Where a verdict leads: its rule, and the route that the limits leave. An attempt has a verdict, and so have all parts of a step
// together.

import type { Verdict } from "../../domain/attempt.ts";
import { counted } from "../../domain/counted.ts";
import type { PerformedWork } from "../../domain/definition.ts";
import type { StoryId } from "../../domain/ids.ts";
import { anyOtherValue, type Route, type RouteRule, type VerdictKey } from "../../domain/route.ts";
import type { Step } from "../../domain/step.ts";
import type { Draft } from "../draft.ts";
import type { LimitedRoute } from "../limits.ts";
import { sendMessage } from "../messages.ts";
import { takeRoute } from "../routing.ts";

export interface RoutedVerdict {
  readonly story: StoryId | null;
  readonly step: Step;
  readonly definition: PerformedWork;
  readonly verdict: Verdict;
  readonly feedback: string;
  readonly limited: LimitedRoute;
}

/** null: the step has no route for it. */
export function ruleFor(
  definition: PerformedWork,
  verdict: Verdict,
): { readonly key: VerdictKey; readonly rule: RouteRule } | null {
  const keys: VerdictKey[] =
    verdict.kind === "passed"
      ? ["passed"]
      : verdict.kind === "value"
        ? [`=${verdict.value}`, anyOtherValue]
        : verdict.reason === null
          ? ["rejected"]
          : [`rejected:${verdict.reason}`, "rejected"];
  for (const key of keys) {
    const rule = definition.on[key];
    if (rule) return { key, rule };
  }
  return null;
}

export function routeVerdict(draft: Draft, routed: RoutedVerdict): void {
  const { story, step, definition, verdict, feedback, limited } = routed;
  const { route, exhausted } = limited;
  if (exhausted !== null) sendMessage(draft, "stuck", { story, step: step.name, text: exhausted });
  const asks = exhausted === null ? "" : `${feedback}\n\n${tally(draft, routed, exhausted)}`.trim();
  // A decision asks about files, not about its own words: how often it was tried is news to the person.
  const isAsked = definition.kind === "decision" && route.to === "gate" && asks !== "";
  takeRoute(draft, {
    story,
    step,
    route: withReason(route, verdict.kind === "rejected" ? feedback : "", exhausted),
    feedback: isAsked ? asks : feedback,
    isRejection: verdict.kind === "rejected",
    cause: exhausted === null ? "route" : "exhausted",
    exhausted: asks,
  });
}

/** Which limit was reached, and how much was tried until then. */
function tally(draft: Draft, { story, step }: RoutedVerdict, exhausted: string): string {
  const { attempts } = draft.scope(story);
  const own = attempts.filter(({ name }) => name === step.name).length;
  const where = story === null ? "the run's own steps" : `story ${story}`;
  return `${exhausted}, after ${counted(own, "attempt")} of ${step.name} and ${counted(attempts.length, "attempt")} in all in ${where}.`;
}

/** The reason of a failure names its cause: the workflow's own text or the limit reached, and the last attempt's reason. */
export function withReason(route: Route, why: string, exhausted: string | null): Route {
  if (route.to !== "fail") return route;
  const reason = [route.reason || exhausted, why].filter((text) => text).join(": ");
  return { to: "fail", reason };
}
