// The walk: moves each chain forward from its first step that is not over. Other files only record what happened; the
// consequences are here. Walking twice changes nothing.

import { isPerformed } from "../domain/definition.ts";
import type { StoryId } from "../domain/ids.ts";
import { hasOpenParts, isOver } from "../domain/step.ts";
import { passBy } from "./chain/edits.ts";
import { hasItems } from "./chain/items.ts";
import { whyNot } from "./conditions.ts";
import type { Draft } from "./draft.ts";
import { openGate } from "./gates/gates.ts";
import { takeSignals } from "./gates/signals.ts";
import { readyOrAsk } from "./gates/waits.ts";
import { renderQuestion } from "./gates/words-before.ts";
import { settleParts } from "./parts/settling.ts";
import { endRun } from "./status-changes.ts";
import { finishStory, openStories, settleStories } from "./stories/stories.ts";

/** Walks every loaded chain until nothing moves. */
export function advance(draft: Draft): void {
  for (let before = -1; before !== draft.length; ) {
    before = draft.length;
    takeSignals(draft);
    for (const { id, status } of draft.storyGroups.atWork) {
      const story = draft.run.stories[id];
      if (story && (status === "running" || story.chain.some(hasOpenParts))) walk(draft, id);
    }
    settleStories(draft);
    walk(draft, null);
  }
}

function walk(draft: Draft, story: StoryId | null): void {
  if (draft.isOver) return;
  const step = draft.scope(story).chain.find((candidate) => !isOver(candidate));
  if (!step) return story === null ? endRun(draft, "done", "") : finishStory(draft, story);
  if (hasOpenParts(step)) return settleParts(draft, story, step);
  if (step.state.status !== "waiting") return;

  const definition = draft.definition(story, step.name);
  for (const { include, if: condition, repeatFor: key } of definition.entries ?? []) {
    const closed = condition && whyNot(draft.run, story, condition);
    if (closed) return passBy(draft, story, step, closed, include);
    if (key !== undefined && !hasItems(draft, story, step, { key, include })) return;
  }
  const { if: condition, repeatFor: key } = definition;
  const unmet = condition && whyNot(draft.run, story, condition);
  if (unmet) return passBy(draft, story, step, unmet);
  if (key !== undefined && !hasItems(draft, story, step, { key, include: null })) return;
  if (isPerformed(definition)) return readyOrAsk(draft, story, step, { feedback: null });
  if (definition.kind === "stories") return openStories(draft, step, definition);
  const { feedback } = step;
  const { options, deadline = null, signal } = definition;
  if (signal)
    return openGate(draft, story, step, {
      question: definition.question,
      options,
      deadline,
      cause: "signal",
      signal: signal.name,
      feedback,
    });
  openGate(draft, story, step, {
    question: renderQuestion(draft, story, { step, question: definition.question, feedback }),
    options,
    deadline,
    cause: "step",
    feedback,
  });
}
