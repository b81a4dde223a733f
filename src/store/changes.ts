// Compares the scopes of a run before and after a transition, so that dispatch knows which steps became ready.

import type { StoryId } from "../domain/ids.ts";
import type { Run } from "../domain/run.ts";
import type { Scope } from "../domain/scope.ts";
import type { Step } from "../domain/step.ts";
import type { ReadyStep } from "./store.ts";

export interface ScopeChange {
  readonly story: StoryId | null;
  /** Absent if the transition opened the scope. */
  readonly was: Scope | undefined;
  readonly is: Scope;
}

/** Every scope that the transition loaded, the run's own first. */
export function scopesOf(before: Run, after: Run): readonly ScopeChange[] {
  const stories = Object.values(after.stories).map((is) => ({ story: is.id, was: before.stories[is.id], is }));
  return [{ story: null, was: before.header, is: after.header }, ...stories];
}

/** Steps that became ready, and steps that no longer are. A step whose time changed is in both. */
export function readinessOf({ story, was, is }: ScopeChange): {
  readonly readied: readonly ReadyStep[];
  readonly unreadied: readonly ReadyStep[];
} {
  if (was?.chain === is.chain) return { readied: [], unreadied: [] };
  const before = new Map(was?.chain.map((step) => [step.id, step]));
  const after = new Map(is.chain.map((step) => [step.id, step]));
  const changed = (step: Step) => before.get(step.id) !== after.get(step.id);
  const ready = ({ id, state }: Step): readonly ReadyStep[] =>
    state.status === "ready" ? [{ story, step: id, notBefore: state.notBefore, pauseMs: state.pauseMs ?? null }] : [];
  return {
    readied: [...after.values()].filter(changed).flatMap(ready),
    unreadied: [...before.values()].filter(changed).flatMap(ready),
  };
}
