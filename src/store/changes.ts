// Compares the scopes of a run before and after a transition, so that dispatch knows which steps and parts became ready.

import type { StoryId } from "../domain/ids.ts";
import type { ReadyState } from "../domain/ready.ts";
import type { Run } from "../domain/run.ts";
import type { Scope } from "../domain/scope.ts";
import type { Chain } from "../domain/step.ts";
import type { OfferedStep, ReadyStep } from "./store.ts";

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
  const before = readyIn(story, was?.chain ?? []);
  const after = readyIn(story, is.chain);
  const changed = (from: ReadyStates, than: ReadyStates) =>
    [...from].flatMap(([key, { state, offered }]) =>
      than.get(key)?.state === state
        ? []
        : [{ ...offered, notBefore: state.notBefore, pauseMs: state.pauseMs ?? null }],
    );
  return { readied: changed(after, before), unreadied: changed(before, after) };
}

type ReadyStates = ReadonlyMap<string, { readonly state: ReadyState; readonly offered: OfferedStep }>;

/** Every step and every part that is ready. A state that did not change keeps its identity. */
function readyIn(story: StoryId | null, chain: Chain): ReadyStates {
  const ready = new Map<string, { readonly state: ReadyState; readonly offered: OfferedStep }>();
  for (const { id, state, parts = [] } of chain) {
    if (state.status === "ready") ready.set(id, { state, offered: { story, step: id, part: null } });
    // Parts of a step that waits are those of a retry: it opens them when the chain reaches it.
    if (state.status !== "running") continue;
    for (const part of parts) {
      if (part.state.status === "ready")
        ready.set(`${id}/${part.name}`, { state: part.state, offered: { story, step: id, part: part.name } });
    }
  }
  return ready;
}
