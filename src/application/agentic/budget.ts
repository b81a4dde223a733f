// Tokens of a project: what the protocol plans for each step and each story, and what the attempts of its runs reported.

import type { ProjectBudget } from "../../contracts/project-documents.ts";
import type { Attempt } from "../../domain/attempt.ts";
import {
  compare,
  orchestratorBudget,
  plannedFor,
  stepBudgets,
  storyBudget,
  teamBudget,
} from "../../protocols/agentic/budget.ts";
import type { Application } from "../application.ts";
import { wholeRun } from "../references.ts";
import { sayFound } from "./found.ts";
import { projectPlace } from "./place.ts";
import { runsOf } from "./project-runs.ts";

export async function projectBudget(app: Application, dir: string | undefined): Promise<ProjectBudget> {
  const place = await projectPlace(app, dir);
  await sayFound(app, place);
  const { store } = (await app.read()).parts;
  const attempts: Attempt[] = [];
  for (const run of await runsOf(store, place))
    for (const { attempts: made } of Object.values((await wholeRun(store, run)).stories)) attempts.push(...made);
  const counted = attempts.filter((attempt) => readOf(attempt) + attempt.usage.outputTokens > 0);
  return {
    steps: stepBudgets.map((planned) => ({ ...planned, ...usedBy(counted, planned) })),
    story: storyBudget,
    team: teamBudget,
    orchestrator: orchestratorBudget,
    stories: [...Map.groupBy(counted, ({ story }) => story ?? "")].map(([story, own]) => {
      const tokens = sum(own, (attempt) => readOf(attempt) + attempt.usage.outputTokens);
      return { story, tokens, verdict: compare(tokens, plannedFor(own)) };
    }),
  };
}

function usedBy(
  attempts: readonly Attempt[],
  { step, read, output }: (typeof stepBudgets)[number],
): Pick<ProjectBudget["steps"][number], "used" | "verdict"> {
  const own = attempts.filter(({ name }) => name === step);
  if (own.length === 0) return { used: null, verdict: null };
  const used = {
    attempts: own.length,
    read: Math.round(sum(own, readOf) / own.length),
    output: Math.round(sum(own, ({ usage }) => usage.outputTokens) / own.length),
  };
  const planned = { from: read.from + output.from, to: read.to + output.to };
  return { used, verdict: compare(used.read + used.output, planned) };
}

function readOf({ usage }: Attempt): number {
  return usage.inputTokens + (usage.cacheReadTokens ?? 0);
}

function sum(attempts: readonly Attempt[], of: (attempt: Attempt) => number): number {
  return attempts.reduce((total, attempt) => total + of(attempt), 0);
}
