// What a retry of a failed run would do, by the engine's own decision on the run's own state.

import type { Run } from "../../domain/run.ts";
import type { StoryStatus } from "../../domain/story.ts";
import { decide } from "../../engine/decide.ts";

export interface RetryPreview {
  /** Steps of the run's own chain that are tried again. */
  readonly steps: readonly string[];
  /** Stories that are tried again, each with its step; null: it begins where it stands. */
  readonly stories: readonly { readonly story: string; readonly step: string | null }[];
  /** Stories that waited for one that failed, and can be reached again. */
  readonly freed: readonly string[];
}

/** A text: why it cannot be retried. */
export function retryPreview(run: Run, at: number): RetryPreview | string {
  const decision = decide(run, { type: "retry_run", story: null, step: null, at, author: "" });
  if (!decision.accepted) return decision.why;
  const after = decision.run.header;
  const changed = (from: StoryStatus) =>
    run.header.stories.filter(
      ({ id, status }) => status === from && after.stories.find((story) => story.id === id)?.status !== from,
    );
  const ofStories = new Set(
    run.header.definition.steps.flatMap(({ kind, name }) => (kind === "stories" ? [name] : [])),
  );
  const stillFailed = failedSteps(after.chain);
  return {
    steps: failedSteps(run.header.chain).filter((name) => !ofStories.has(name) && !stillFailed.includes(name)),
    stories: changed("failed").map(({ id }) => ({
      story: id,
      step: failedSteps(run.stories[id]?.chain ?? [])[0] ?? null,
    })),
    freed: changed("blocked").map(({ id }) => id),
  };
}

function failedSteps(chain: Run["header"]["chain"]): readonly Run["header"]["chain"][number]["name"][] {
  return chain.filter(({ state }) => state.status === "failed").map(({ name }) => name);
}
