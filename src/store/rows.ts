// Rows. Owns: the way between domain values and table rows. Rows are an edge: what is read here has been written here.

import type { Attempt } from "../domain/attempt.ts";
import type { Definition } from "../domain/definition.ts";
import type { Event } from "../domain/event.ts";
import type { Gate } from "../domain/gate.ts";
import { type RunId, runId, type StoryId, storyId } from "../domain/ids.ts";
import type { Header, RunStatus, RunTotals } from "../domain/run.ts";
import type { Story, StoryEntry } from "../domain/story.ts";
import { currentEvent, currentPlace } from "./older-documents.ts";
import type { EventRow, GateRow, RunRow, StoryRow, TotalsRow } from "./schema.ts";
import type { RunSummary } from "./store.ts";

/** The part of a header that changes and is kept as one document; the rest has columns or rows of its own. */
const headerKeys = [
  "chain",
  "context",
  "gates",
  "countsFrom",
  "place",
  "executor",
  "given",
  "caps",
  "paused",
  "end",
] as const satisfies readonly (keyof Header)[];

const storyKeys = [
  "of",
  "chain",
  "context",
  "gates",
  "countsFrom",
  "retired",
] as const satisfies readonly (keyof Story)[];

export const scopeKey = (story: StoryId | null): string => story ?? "";
export const storyOfKey = (key: string): StoryId | null => (key === "" ? null : storyId(key));

export function headerChanged(before: Header, after: Header): boolean {
  return headerKeys.some((key) => before[key] !== after[key]);
}

export function storyChanged(before: Story, after: Story): boolean {
  return storyKeys.some((key) => before[key] !== after[key]);
}

export function headerDocument(header: Header): string {
  return JSON.stringify(pick(header, headerKeys));
}

export function storyDocument(story: Story): string {
  return JSON.stringify(pick(story, storyKeys));
}

export function readHeader(
  row: RunRow,
  totals: TotalsRow,
  definition: Definition,
  attempts: readonly Attempt[],
  stories: readonly StoryEntry[],
): Header {
  const document = JSON.parse(row.header) as Pick<Header, (typeof headerKeys)[number]>;
  return {
    ...document,
    place: currentPlace(document.place),
    id: runId(row.id),
    definition,
    task: row.task,
    startedAt: row.started_at,
    totals: readTotals(totals),
    attempts,
    stories,
  };
}

export function readStory(row: StoryRow, attempts: readonly Attempt[]): Story | null {
  if (row.scope === null) return null;
  return { ...(JSON.parse(row.scope) as Pick<Story, (typeof storyKeys)[number]>), id: storyId(row.id), attempts };
}

function readTotals(row: Omit<TotalsRow, "run_id" | "events">): RunTotals {
  return {
    attempts: row.attempts,
    steps: row.steps,
    costUsd: row.cost_usd,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cacheReadTokens: row.cache_read_tokens,
    estimatedUsd: row.estimated_usd,
  };
}

export function gateRow(run: RunId, gate: Gate): GateRow {
  return {
    id: gate.id,
    run_id: run,
    story_id: scopeKey(gate.story),
    step: gate.step,
    status: gate.state.status,
    opened_at: gate.openedAt,
    body: JSON.stringify(gate),
  };
}

/** The parts of an event that have columns are not written a second time in its body. */
export function eventRow(run: RunId, seq: number, event: Event, schemaVersion: number): EventRow {
  const { at, author, story, type, ...body } = event;
  return {
    run_id: run,
    seq,
    at,
    author,
    type,
    story_id: scopeKey(story),
    schema_version: schemaVersion,
    body: JSON.stringify(body),
  };
}

export function readEvent(row: EventRow): Event {
  const head = { at: row.at, author: row.author, story: storyOfKey(row.story_id), type: row.type };
  return currentEvent({ ...(JSON.parse(row.body) as object), ...head } as Event);
}

export function readSummary(
  row: Omit<RunRow, "definition" | "version" | "planned" | "header"> & Omit<TotalsRow, "run_id" | "events">,
): RunSummary {
  return {
    id: runId(row.id),
    number: row.number,
    workflow: row.workflow,
    task: row.task,
    status: row.status as RunStatus,
    repo: row.repo,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    totals: readTotals(row),
  };
}

function pick<T, K extends keyof T>(value: T, keys: readonly K[]): Pick<T, K> {
  const picked: Partial<T> = {};
  for (const key of keys) picked[key] = value[key];
  return picked as Pick<T, K>;
}
