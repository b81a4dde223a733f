// The stories of a run in the form of antfarm's API, under its names and with its four states.

import type { LoopStory } from "../../contracts/http-documents.ts";
import { engineKeys } from "../../domain/context.ts";
import type { StoriesStep } from "../../domain/definition.ts";
import type { Run } from "../../domain/run.ts";
import type { StoryEntry, StoryStatus } from "../../domain/story.ts";
import type { Application } from "../application.ts";
import { findRun, wholeRun } from "../references.ts";

export async function loopStories(app: Application, reference: string): Promise<readonly LoopStory[]> {
  const { store } = (await app.read()).parts;
  const summary = await findRun(store, reference);
  const run = await wholeRun(store, summary);
  const specs = new Map((await store.storySpecs(summary.id)).map((spec) => [spec.id, spec]));
  return run.header.stories.map((entry, storyIndex) => {
    const spec = specs.get(entry.id);
    const output = outputOf(run, entry);
    return {
      id: `${run.header.id}/${entry.id}`,
      runId: run.header.id,
      storyIndex,
      storyId: entry.id,
      title: entry.title,
      description: spec?.description ?? "",
      acceptanceCriteria: [...(spec?.acceptanceCriteria ?? [])],
      status: statuses[entry.status],
      ...(output === "" ? {} : { output }),
      ...retriesOf(run, entry),
    };
  });
}

const statuses: Readonly<Record<StoryStatus, LoopStory["status"]>> = {
  waiting: "pending",
  running: "running",
  held: "running",
  done: "done",
  skipped: "done",
  failed: "failed",
  blocked: "failed",
  cancelled: "failed",
};

/** The keys that its steps left, as agents print them. */
function outputOf(run: Run, { id }: StoryEntry): string {
  const said = Object.entries(run.stories[id]?.context ?? {}).filter(([key]) => !engineKeys.has(key));
  return said.map(([key, value]) => `${key.toUpperCase()}: ${value}`).join("\n");
}

/** antfarm counts the failure that ends a story as a retry; Pawl counts repetitions alone. */
function retriesOf(run: Run, { id, status }: StoryEntry): Pick<LoopStory, "retryCount" | "maxRetries"> {
  const story = run.stories[id];
  const all = run.header.definition.steps.filter((step): step is StoriesStep => step.kind === "stories");
  const step = all.find(({ name }) => name === story?.of) ?? all[0];
  const repeated = (story?.attempts ?? []).filter(
    ({ state }) => state.phase === "ended" && state.taken?.draws === "story",
  );
  return {
    retryCount: repeated.length + Number(status === "failed"),
    maxRetries: (step?.storyBudget.atMost ?? 1) + 1,
  };
}
