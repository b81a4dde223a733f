// What a gate shows: what the step before it said, and its question with the values of the run.

import type { StoryId } from "../../domain/ids.ts";
import { contextOf, saidPlaces } from "../../domain/run.ts";
import { saidValues } from "../../domain/said.ts";
import type { Scope } from "../../domain/scope.ts";
import { isOver, type Step } from "../../domain/step.ts";
import { renderTemplate } from "../../prompts/template.ts";
import { formatCompletedStories } from "../../prompts/variables.ts";
import type { Draft } from "../draft.ts";

/** A person reads it in a terminal or in a message; the whole text is in the log of the attempt. */
const longest = 4_000;

/** The summary of the step before, else its outputs; for stories, how many are done. */
export function wordsBefore(draft: Draft, story: StoryId | null, step: Step): string {
  const scope = draft.scope(story);
  const isFirst = step.state.status === "waiting" || step.state.status === "ready";
  const isAsking = draft.definition(story, step.name).kind === "gate";
  const before = isAsking || isFirst ? lastDone(scope, step) : step;
  if (!before) return "";
  const text = draft.definition(story, before.name).kind === "stories" ? storiesDone(draft) : wordsOf(scope, before);
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}

function lastDone({ chain }: Scope, step: Step): Step | undefined {
  const index = chain.findIndex(({ id }) => id === step.id);
  return chain.slice(0, index).findLast(({ state }) => state.status === "done");
}

function wordsOf({ context }: Scope, { notes = "", produced }: Step): string {
  if (notes !== "") return notes;
  return produced.map((key) => `${key.toUpperCase()}: ${context[key] ?? ""}`).join("\n");
}

function storiesDone({ run }: Draft): string {
  const { stories } = run.header;
  const done = stories.filter(({ status }) => status === "done").length;
  return `${done} of ${stories.length} stories done:\n${formatCompletedStories(stories)}`;
}

/** The question of a workflow, with values in place of its `{{key}}`. */
export function renderQuestion(
  draft: Draft,
  story: StoryId | null,
  { step, question, feedback }: { readonly step: Step; readonly question: string; readonly feedback: string },
): string {
  const { header } = draft.run;
  const asking = draft.scope(story).chain.find((step) => !isOver(step));
  const entry = header.stories.find(({ id }) => id === story);
  const values = {
    ...contextOf(draft.run, story),
    ...saidValues(saidPlaces(draft.run, story)),
    task: header.task,
    run_id: header.id,
    attempt: attemptBefore(draft.scope(story), step),
    repo: header.place.repo ?? "",
    base: header.place.baseName ?? "",
    feedback,
    verify_feedback: feedback,
    item: asking?.item?.value ?? "",
    current_story_id: entry?.id ?? "",
    current_story_title: entry?.title ?? "",
    completed_stories: formatCompletedStories(header.stories),
    stories_remaining: String(header.stories.filter(({ status }) => status === "waiting").length),
  };
  const { knownKeys, dialect } = header.definition;
  return renderTemplate(question, values, knownKeys, { keepsForeign: dialect !== "pawl" }).text;
}

/** The number of the step's last attempt; empty for a gate step, which has none. */
function attemptBefore({ attempts }: Scope, { id }: Step): string {
  const last = attempts.findLast(({ step }) => step === id);
  return last === undefined ? "" : String(last.number);
}
