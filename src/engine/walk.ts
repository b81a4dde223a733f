// The walk: moves each chain forward from its first step that is not over. Other files only record what happened; the
// consequences are here. Walking twice changes nothing.

import { isPerformed } from "../domain/definition.ts";
import type { StoryId } from "../domain/ids.ts";
import { isOver } from "../domain/step.ts";
import type { Draft } from "./draft.ts";
import { openGate } from "./gates/gates.ts";
import { readyOrAsk } from "./gates/waits.ts";
import { renderQuestion } from "./gates/words-before.ts";
import { endRun } from "./status-changes.ts";
import { finishStory, openStories, settleStories } from "./stories/stories.ts";

/** Walks every loaded chain until nothing moves. */
export function advance(draft: Draft): void {
  for (let before = -1; before !== draft.length; ) {
    before = draft.length;
    for (const { id, status } of draft.storyGroups.atWork) {
      if (status === "running" && draft.run.stories[id]) walk(draft, id);
    }
    settleStories(draft);
    walk(draft, null);
  }
}

function walk(draft: Draft, story: StoryId | null): void {
  if (draft.isOver) return;
  const step = draft.scope(story).chain.find((candidate) => !isOver(candidate));
  if (!step) return story === null ? endRun(draft, "done", "") : finishStory(draft, story);
  if (step.state.status !== "waiting") return;

  const definition = draft.definition(story, step.name);
  if (isPerformed(definition)) return readyOrAsk(draft, story, step, { feedback: null });
  if (definition.kind === "stories") return openStories(draft, step, definition);
  const { feedback } = step;
  openGate(draft, story, step, {
    question: renderQuestion(draft, story, definition.question, feedback),
    options: definition.options,
    deadline: definition.deadline ?? null,
    cause: "step",
    feedback,
  });
}
