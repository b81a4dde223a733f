// Reads a `workflow_state.json` that another program wrote, so that its stories resume where they were.

import { z } from "zod";
import { AppError } from "../../domain/error.ts";
import { isSafeId, stepId, stepName, storyId } from "../../domain/ids.ts";
import type { AdoptedStep, AdoptedStory, StorySpec } from "../../domain/story.ts";
import { openJson } from "../files/json-places.ts";
import {
  type StateStepStatus,
  type StateStoryStatus,
  stepStateFromFile,
  stepTypes,
  storyStatusFromFile,
} from "./state-document.ts";

export interface ImportedState {
  readonly prdFile: string | null;
  readonly createdAt: string | null;
  readonly stories: readonly ImportedStory[];
}

interface ImportedStory {
  readonly spec: StorySpec;
  readonly adopted: AdoptedStory;
  /** The story as it is in the file, which keeps facts about steps that ran elsewhere. */
  readonly raw: RawStory;
}

const text = z.string().nullish();
const id = z.string().refine(isSafeId, "must be an id of letters, digits, dots, dashes and underscores");
const amount = z.number().min(0).nullish();

const rawStep = z.looseObject({
  id,
  type: z.string(),
  status: z.enum(Object.keys(stepStateFromFile) as StateStepStatus[]),
  description: text,
  started_at: text,
  completed_at: text,
  git_sha_at_start: text,
  notes: text,
  error: text,
  skip_reason: text,
  restart_count: z.int().min(0).nullish(),
  cost_usd: amount,
  input_tokens: amount,
  output_tokens: amount,
  log_file: text,
});

const rawStory = z.looseObject({
  title: text,
  description: text,
  acceptance_criteria: z.array(z.string()).nullish(),
  status: z.enum(Object.keys(storyStatusFromFile) as StateStoryStatus[]),
  agent_id: z.int().nullish(),
  claimed_at: text,
  completed_at: text,
  depends_on: z.array(id).nullish(),
  steps: z.array(rawStep).nullish(),
  history: z.array(z.unknown()).nullish(),
});

const rawState = z.looseObject({
  version: z.literal(1),
  created_at: text,
  prd_file: text,
  stories: z.record(id, rawStory),
});

export type RawStep = z.infer<typeof rawStep>;
export type RawStory = z.infer<typeof rawStory>;

const hint = "give a file that Dynamic Ralph or Pawl wrote, or start from the PRD without it";

/** `types`: the step types that the workflow has. */
export function readState(source: string, file: string, types: readonly string[] = stepTypes): ImportedState {
  const { value } = openJson(source, file, hint);
  const version = typeof value === "object" && value !== null && "version" in value ? value.version : undefined;
  if (version !== 1)
    throw refused(`${file} has version ${JSON.stringify(version) ?? "none"}; only version 1 is supported`);
  const read = rawState.safeParse(value);
  if (!read.success) {
    const problems = read.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    throw refused(`${file} is not a state file of Dynamic Ralph`, problems);
  }
  const stories = Object.entries(read.data.stories);
  const problems = stories.flatMap(([story, raw]) => problemsIn(story, raw, types));
  if (problems.length > 0) throw refused(`${file} cannot be imported`, problems);
  return {
    prdFile: read.data.prd_file ?? null,
    createdAt: read.data.created_at ?? null,
    stories: stories.map(([story, raw]) => importStory(story, raw)),
  };
}

function problemsIn(story: string, { steps, story_id }: RawStory, types: readonly string[]): readonly string[] {
  const ids = (steps ?? []).map((step) => step.id);
  return [
    ...(story_id === undefined || story_id === story ? [] : [`${story}: its story_id is ${JSON.stringify(story_id)}`]),
    ...ids.filter((step, index) => ids.indexOf(step) < index).map((step) => `${story}: ${step} is listed twice`),
    ...(steps ?? [])
      .filter(({ type }) => !types.includes(type))
      .map(
        (step) =>
          `${story} ${step.id}: unknown step type ${JSON.stringify(step.type)}; known types are ${types.join(", ")}`,
      ),
  ];
}

function importStory(story: string, raw: RawStory): ImportedStory {
  const own = storyId(story);
  return {
    spec: {
      id: own,
      title: raw.title || story,
      description: raw.description ?? "",
      acceptanceCriteria: raw.acceptance_criteria ?? [],
      dependsOn: (raw.depends_on ?? []).map(storyId),
    },
    adopted: { id: own, status: storyStatusFromFile[raw.status], chain: (raw.steps ?? []).map(importStep) },
    raw,
  };
}

function importStep(raw: RawStep): AdoptedStep {
  return {
    id: stepId(raw.id),
    name: stepName(raw.type),
    description: raw.description ?? "",
    state: stepStateFromFile[raw.status],
    reason: reasonOf(raw),
    notes: raw.notes ?? "",
    restarts: raw.restart_count ?? 0,
  };
}

function reasonOf({ status, skip_reason, error }: RawStep): string {
  if (status === "skipped") return skip_reason || "skipped";
  return status === "failed" || status === "cancelled" ? error || status : "";
}

function refused(message: string, details: readonly string[] = []): AppError {
  const [only, ...more] = details;
  const whole = only !== undefined && more.length === 0 ? `${message}: ${only}` : message;
  return new AppError("INPUT_INVALID", whole, { hint, details });
}
