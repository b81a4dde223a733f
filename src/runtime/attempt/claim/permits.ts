// The permits that an attempt of a step needs: the lock of the step, its place among others, and its place among all agents.

import { counted } from "../../../domain/counted.ts";
import type { PerformedWork } from "../../../domain/definition.ts";
import type { PartName, StepName, StoryId } from "../../../domain/ids.ts";
import { type Run, scopeOf } from "../../../domain/run.ts";
import { isWriter, performedBy } from "../../../engine/definitions.ts";
import type { PermitLimit } from "../../../store/store.ts";
import type { Parts } from "../../parts.ts";
import { integrationPermit } from "../../trees/places.ts";

/** `what`: as a person reads it, after "waits for". */
export interface NeededPermit extends PermitLimit {
  readonly what: string;
}

/** A step of a chain, by the name of its definition, or one of its parts. */
export interface StepPlace {
  readonly story: StoryId | null;
  readonly name: StepName;
  readonly part?: PartName;
}

/** `executor`: what would perform it; `pull` for an agent that comes by itself. */
export function permitsOf(
  { executors }: Pick<Parts, "executors">,
  run: Run,
  place: StepPlace,
  executor: string,
): readonly NeededPermit[] {
  if (scopeOf(run, place.story) === null) return [];
  const definition = performedBy(run, place.story, place);
  if (definition === null) return [];
  const { header } = run;
  const own = [...lockOf(definition), ...stepPlaces(run, place, definition)];
  // Another program that performs parts by itself decides how many of them at once.
  if (executors.awaitMs(executor) === null) own.push(...folderOf(run, place));
  if (definition.kind === "integrate") {
    const base = header.place.baseName ?? "its base";
    return [...own, { key: integrationPermit(run), limit: 1, what: `the integration into ${base}` }];
  }
  if (definition.kind !== "agent") return own;
  const { agent } = definition;
  const perRun = header.definition.agents[agent]?.concurrency;
  const ofRole =
    perRun === undefined ? [] : [placeAmong(`agent:${header.id}:${agent}`, perRun, `of the agent ${agent}`)];
  const shared = executors.permitsFor(executor, header, agent);
  return [...own, ...ofRole, ...shared.map((limit) => ({ ...limit, what: placeText(limit.limit, "for agents") }))];
}

function lockOf({ lock }: PerformedWork): readonly NeededPermit[] {
  return lock === undefined ? [] : [{ key: `lock:${lock}`, limit: 1, inLine: true, what: `the lock ${lock}` }];
}

/** Parts that change files have trees of their own. Where the run has none, they take turns. */
function folderOf(run: Run, place: StepPlace): readonly NeededPermit[] {
  if (run.header.place.kind === "worktree" || !isWriter(run, place.story, place)) return [];
  return [{ key: `folder:${run.header.id}`, limit: 1, what: "the folder, which its parts change one after the other" }];
}

/** Two bodies may have a step of the same name. */
function stepPlaces(run: Run, { story, name }: StepPlace, { concurrency }: PerformedWork): NeededPermit[] {
  if (concurrency === undefined || story === null) return [];
  const of = run.stories[story]?.of ?? "";
  return [placeAmong(`step:${run.header.id}:${of}:${name}`, concurrency, `at ${name}`)];
}

function placeAmong(key: string, limit: number, where: string): NeededPermit {
  return { key, limit, what: placeText(limit, where) };
}

function placeText(limit: number, where: string): string {
  return limit === 1 ? `the only place ${where}` : `one of ${counted(limit, "place")} ${where}`;
}
