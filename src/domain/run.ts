// A run: one execution of a workflow for one task.

import { type Attempt, noUsage, type Usage } from "./attempt.ts";
import type { Caps, Definition } from "./definition.ts";
import type { RunId, StoryId } from "./ids.ts";
import type { Note } from "./note.ts";
import { isMoving } from "./part.ts";
import type { SaidPlaces, WithCollected } from "./said.ts";
import type { Scope } from "./scope.ts";
import type { KeptSignal } from "./signal.ts";
import { hasOpenParts } from "./step.ts";
import type { Story, StoryEntry } from "./story.ts";

export type RunStatus = "running" | "held" | "paused" | "done" | "failed" | "cancelled";

/** Before which steps a run asks a person: before each that is performed, before those that the workflow marks, or before none. */
export type WaitsLevel = "all" | "marked" | "none";

/** How a run ended. */
export interface RunEnd {
  readonly status: "done" | "failed" | "cancelled";
  readonly reason: string;
  readonly at: number;
  /** What people should know of its closing, such as work that is not on the base. */
  readonly notes?: readonly string[];
}

/** Where a run works. The runtime uses these facts; the engine only stores them. */
export interface RunPlace {
  /** The user's repository; null for a run without one. */
  readonly repo: string | null;
  /** `directory`: a folder that git does not know: `repo`, or one that Pawl made. */
  readonly kind: "worktree" | "in_place" | "directory";
  /** The commit that the work starts from. */
  readonly base: string | null;
  /** The name of the branch or commit that `base` was resolved from. */
  readonly baseName: string | null;
  readonly branch: string | null;
  /** Where the base branch was when the run started, for runs that move it. */
  readonly baseAt?: string;
  /** The shared folder, with the files of the run's protocol. Absent: there is none. */
  readonly shared?: string;
  /** The file that the stories came from. Absent: they came from none. */
  readonly source?: string;
}

export interface RunTotals extends Usage {
  readonly attempts: number;
  /** The number of steps that were ever added to a chain of this run. */
  readonly steps: number;
  /** Attempts whose agents have not said what they used; the sums are without them. */
  readonly unreported: number;
}

export const noTotals: RunTotals = { ...noUsage, attempts: 0, steps: 0, unreported: 0 };

/** How a key of the context came together from stories. */
export interface Collected {
  /** The first story that set it. */
  readonly story: StoryId;
  /** How many stories set it to the same value, before one differed. */
  readonly same: number;
  /** The context has a line for each story, with its name. */
  readonly isList: boolean;
  /** What a step of the run's own chain had set: stories still read that. Absent: nothing. */
  readonly own?: string;
}

/** The run's own chain, the list of its stories with their status, and its totals. */
export interface Header extends Scope {
  readonly id: RunId;
  readonly definition: Definition;
  /** The user's words. They never change and are part of every prompt. */
  readonly task: string;
  readonly place: RunPlace;
  /** Use this executor for every agent of the run. */
  readonly executor: string | null;
  /** Absent: `marked`. */
  readonly waits?: WaitsLevel;
  /** Context keys that only the caller or the engine sets. */
  readonly given: readonly string[];
  readonly caps: Caps;
  /** The keys of the context that stories set. They are not part of another story's context. Absent: there are none. */
  readonly collected?: Readonly<Record<string, Collected>>;
  readonly stories: readonly StoryEntry[];
  /** Notes that no completed attempt has used, of the run and of its stories. */
  readonly notes: readonly Note[];
  /** Signals that no step has taken, in the order in which they came; absent: there are none. */
  readonly signals?: readonly KeptSignal[];
  readonly totals: RunTotals;
  readonly startedAt: number;
  readonly paused: boolean;
  readonly end: RunEnd | null;
}

/**
 * What one transition loads: the header and the stories that it concerns. It is the whole run only after a replay, or where a
 * caller asks the store for it.
 */
export interface Run {
  readonly header: Header;
  readonly stories: Readonly<Record<StoryId, Story>>;
}

/** Derived, never stored: over, else paused, else running if anything runs or can start, else held. */
export function statusOf(header: Header): RunStatus {
  if (header.end) return header.end.status;
  if (header.paused) return "paused";
  const storiesMove = header.stories.some((story) => story.status === "running");
  const moves = header.chain.some((step) => {
    if (step.state.status !== "running") return step.state.status === "ready";
    return step.state.attempt !== null || (hasOpenParts(step) ? step.parts.some(isMoving) : storiesMove);
  });
  return moves ? "running" : "held";
}

export function scopeOf(run: Run, story: StoryId | null): Scope | null {
  return story === null ? run.header : (run.stories[story] ?? null);
}

/** The keys that a step of this scope can name: those of the run, and in a story its own instead of other stories'. */
export function contextOf({ header, stories }: Run, story: StoryId | null): Readonly<Record<string, string>> {
  if (story === null) return header.context;
  const { collected = {} } = header;
  const shared = Object.entries(header.context).flatMap(([key, value]): [string, string][] => {
    const of = key === "branch" || !Object.hasOwn(collected, key) ? undefined : collected[key];
    if (of === undefined) return [[key, value]];
    return of.own === undefined ? [] : [[key, of.own]];
  });
  const given = header.stories.find(({ id }) => id === story)?.context;
  return { ...Object.fromEntries(shared), ...given, ...stories[story]?.context };
}

export function attemptsOf(run: Run, story: StoryId | null): readonly Attempt[] {
  return scopeOf(run, story)?.attempts ?? [];
}

/** What a step of this scope can name: the parts of its own chain, then those of the run's, and stories. */
export function saidPlaces({ header, stories }: Run, story: StoryId | null): SaidPlaces & WithCollected {
  const own = story === null ? [] : (stories[story]?.chain ?? []);
  return { definition: header.definition, stories: header.stories, chain: [...own, ...header.chain] };
}
