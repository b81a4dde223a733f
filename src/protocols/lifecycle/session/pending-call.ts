// What a step that has not begun would call, with the values that are known already; a value that is not is shown as `{key}`.

import { hasEnded } from "../../../domain/attempt.ts";
import type { PerformedWork, StepDefinition } from "../../../domain/definition.ts";
import type { PartName, StoryId } from "../../../domain/ids.ts";
import { attemptsOf, type Run } from "../../../domain/run.ts";
import type { Step } from "../../../domain/step.ts";
import { renderTemplate, templateKeys } from "../../../prompts/template.ts";
import { phaseOf } from "../standing/phase-story.ts";
import { callValues } from "./call-values.ts";
import { performerOf, retriesOf } from "./shown-steps.ts";
import type { Visit } from "./visit.ts";

export function pendingCall(
  run: Run,
  definition: StepDefinition,
  { story, step, part }: Visit,
  context: Readonly<Record<string, string>>,
): string {
  const template = templateOf(performerOf(definition, part));
  const scope = story === null ? run.header : run.stories[story];
  const feedback = feedbackIn(
    scope?.chain.find(({ id }) => id === step),
    part,
  );
  const own = callValues({ task: run.header.task, at: phaseOf(story), feedback });
  const values = { ...context, ...(part === undefined ? {} : { part }), ...own };
  return renderTemplate(template, { ...unknownValues(template), ...values }, []).text;
}

/** Why a step, or one part of it, runs again. */
export function feedbackIn(step: Step | undefined, part: PartName | undefined): string {
  return (step?.parts?.find(({ name }) => name === part) ?? step)?.feedback ?? "";
}

/** The template of its call; empty: it calls nothing. */
export function templateOf(definition: StepDefinition | PerformedWork): string {
  if (definition.kind === "command") return definition.command;
  return definition.kind === "agent" ? definition.input : "";
}

/** `{phase}`, as the seed writes what is not known yet. */
export function unknownValues(template: string): Readonly<Record<string, string>> {
  return Object.fromEntries(templateKeys(template).map((key) => [key, `{${key}}`]));
}

/** The arguments of a decision, as JSON: how often it has sent the work back by now, or by that visit. */
export function decisionArgs(run: Run, definition: StepDefinition | undefined, visit: Visit): string {
  const retries = definition === undefined ? null : retriesOf(definition);
  if (retries === null) return JSON.stringify({ decision: visit.name });
  const { key, atMost } = retries;
  return JSON.stringify({ decision: visit.name, retry_count: retriesBefore(run, visit, key), max_retries: atMost });
}

function retriesBefore(run: Run, { story, step, name, visit }: Visit, key: string): number {
  const attempts = attemptsOf(run, story);
  const own = attempts.findIndex((attempt) => attempt.step === step && attempt.visit === visit);
  const from = countsFrom(run, story, name);
  return attempts
    .slice(from <= own || own === -1 ? from : 0, own === -1 ? undefined : own)
    .filter((attempt) => attempt.name === name && hasEnded(attempt))
    .filter(({ state }) => state.phase === "ended" && state.taken?.key === key && state.taken.draws !== null).length;
}

/** A limit that was renewed counts from there. */
function countsFrom(run: Run, story: StoryId | null, name: string): number {
  const counts = (story === null ? run.header : run.stories[story])?.countsFrom ?? {};
  return Math.max(counts["*"] ?? 0, counts[name] ?? 0);
}
