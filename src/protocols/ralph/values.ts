// The template values of Dynamic Ralph: the chain, the notes of earlier steps, the scratch files, and how to request edits.

import type { StepName } from "../../domain/ids.ts";
import { bodyOf } from "../../engine/definitions.ts";
import type { AttemptFacts } from "../protocol.ts";
import { editHelp, notesOf, stepList } from "./prompt.ts";
import { readScratch } from "./scratch.ts";
import { sharedIn, storyScratch } from "./shared.ts";

export const ralphKeys = [
  "step_id",
  "step_type",
  "step_description",
  "step_notes",
  "step_list",
  "edit_help",
  "scratch",
  "story_scratch",
  "shared",
  "slot",
] as const;

type RalphValues = Readonly<Record<(typeof ralphKeys)[number], string>>;

/** Enough for the notes that matter, without crowding out the rest of the prompt. */
const scratchBytes = 32 * 1024;
const nothing = "(nothing yet)";

/** Empty outside a story. */
export function ralphValues({ run, attempt, definition }: AttemptFacts): RalphValues | Readonly<Record<string, never>> {
  const { shared: dir } = run.header.place;
  const { story } = attempt;
  const scope = story === null ? undefined : run.stories[story];
  if (dir === undefined || story === null || scope === undefined) return {};
  const shared = sharedIn(dir);
  const body = bodyOf(run, story);
  const definitions = new Map<StepName, (typeof body.body)[number]>(body.body.map((step) => [step.name, step]));
  const step = scope.chain.find(({ id }) => id === attempt.step);
  const types = body.body.filter((each) => each.kind === "agent" && !each.spare && !each.last).map(({ name }) => name);
  return {
    step_id: attempt.step,
    step_type: attempt.name,
    step_description: step?.description ?? definition.title,
    step_notes: notesOf(scope.chain, definitions) || nothing,
    step_list: stepList(scope.chain, definitions, attempt.step),
    edit_help: definition.editable ? editHelp(dir, story, attempt.step, types, body) : "",
    scratch: readScratch(shared.scratchFile, scratchBytes) || nothing,
    story_scratch: readScratch(storyScratch(shared, story), scratchBytes) || nothing,
    shared: dir,
    slot: String(run.header.stories.find((entry) => entry.id === story)?.slot ?? ""),
  };
}
