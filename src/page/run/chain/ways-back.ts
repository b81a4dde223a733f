// Ways back of steps: where a verdict leads back to, how often that was taken, and how often it may be. In a story's body a limit
// counts for each story alone, so the story that has used most of it is shown.

import type { Attempt } from "../../../domain/attempt.ts";
import { hasEnded } from "../../../domain/attempt.ts";
import { isPerformed, type StepDefinition, type StoriesStep } from "../../../domain/definition.ts";
import { answerOf, type Gate } from "../../../domain/gate.ts";
import { type GateOptions, type Route, repeats } from "../../../domain/route.ts";
import type { Run } from "../../../domain/run.ts";

type Scope = Pick<Run["header"], "attempts" | "gates" | "chain">;

export interface WayBack {
  /** `rejected`, `rejected (tests)`, `fix` or `error`. */
  readonly key: string;
  /** The step that it leads to. */
  readonly to: string;
  readonly taken: number;
  /** Null: another limit holds it. */
  readonly limit: number | null;
  /** The story that took it most often; null: the step is in no story. */
  readonly worst: string | null;
}

/** A way back as the workflow has it, whether or not a run took it. */
export interface PossibleWay extends Pick<WayBack, "key" | "to" | "limit"> {
  /** The key of the rule, as the definition has it. */
  readonly rule: string;
  readonly route: Route["to"];
}

/** `stories`: the step whose body it is in; null: the run's own chain. */
export function waysBackOf(run: Run, step: StepDefinition, stories: StoriesStep | null): readonly WayBack[] {
  return possibleWays(step, stories).map(({ rule, route, ...way }): WayBack => {
    const counted = scopesOf(run, stories).map(({ story, scope }) => ({
      story,
      taken:
        step.kind === "gate"
          ? scope.gates.filter((gate) => answered(gate, stepsNamed(scope, step.name), rule, step.options)).length
          : scope.attempts.filter((attempt) => took(attempt, step.name, rule, route)).length,
    }));
    const worst = counted.reduce((most, each) => (each.taken > most.taken ? each : most), {
      story: null as string | null,
      taken: 0,
    });
    return { ...way, taken: worst.taken, worst: worst.taken > 0 ? worst.story : null };
  });
}

/** Those of a gate are its answers, and have no limit: a person takes each. */
export function possibleWays(step: StepDefinition, stories: StoriesStep | null): readonly PossibleWay[] {
  if (step.kind === "gate")
    return Object.entries(step.options).flatMap(([key, route]): PossibleWay[] =>
      repeats(route)
        ? [{ rule: key, route: route.to, key: key.replace(":", ", "), to: targetOf(route, step.name), limit: null }]
        : [],
    );
  if (!isPerformed(step)) return [];
  const rules = [...Object.entries(step.on), ["error", step.onError] as const];
  return rules.flatMap(([key, rule]): PossibleWay[] => {
    if (rule === undefined || !repeats(rule.route)) return [];
    const limit = rule.limit?.atMost ?? step.budget?.atMost ?? stories?.storyBudget.atMost ?? null;
    // A way that may never be taken is none.
    if (limit === 0) return [];
    return [{ rule: key, route: rule.route.to, key: keyText(key), to: targetOf(rule.route, step.name), limit }];
  });
}

function scopesOf(
  { header, stories }: Run,
  of: StoriesStep | null,
): readonly { readonly story: string | null; readonly scope: Scope }[] {
  if (of === null) return [{ story: null, scope: header }];
  return Object.values(stories)
    .filter((story) => story.of === of.name)
    .map((story) => ({ story: story.id, scope: story }));
}

function stepsNamed({ chain }: Scope, name: string): readonly string[] {
  return chain.filter((step) => step.name === name).map(({ id }) => id);
}

/** An answer that was taken back counts as well: the way was gone. */
function answered(gate: Gate, steps: readonly string[], rule: string, options: GateOptions): boolean {
  const answer = answerOf(gate);
  if (answer === null || !steps.includes(gate.step)) return false;
  const withReason = `${answer.option}:${answer.reason ?? ""}`;
  return rule === (Object.hasOwn(options, withReason) ? withReason : answer.option);
}

function took(attempt: Attempt, name: string, key: string, to: Route["to"]): boolean {
  if (attempt.name !== name || !hasEnded(attempt)) return false;
  const { taken } = attempt.state;
  if (taken === null || taken.to !== to) return false;
  return key === "error" ? taken.key.startsWith("error") : taken.key === key;
}

function targetOf(route: Route, own: string): string {
  if (route.to === "back_to") return route.step;
  return route.to === "insert" ? route.steps.join(", ") : own;
}

function keyText(key: string): string {
  if (key === "=") return "other";
  const [, reason] = /^rejected:(.*)$/.exec(key) ?? [];
  return reason === undefined ? key.replace(/^=/, "") : `rejected (${reason})`;
}
