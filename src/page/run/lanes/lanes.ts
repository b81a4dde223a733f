// Lanes: each story over time, with its attempts as bars and its waits between them. Owns: what the picture is made of, and which
// stories the end of the run waited for.

import { type Attempt, hasEnded } from "../../../domain/attempt.ts";
import type { Event } from "../../../domain/event.ts";
import type { StoryId } from "../../../domain/ids.ts";
import type { Run } from "../../../domain/run.ts";
import type { StoryEntry, StoryStatus } from "../../../domain/story.ts";

type BarKind = "running" | "passed" | "rejected" | "failed" | "integrating";

export interface Bar {
  readonly attempt: string;
  readonly step: string;
  readonly number: number;
  readonly executor: string;
  readonly kind: BarKind;
  readonly from: number;
  readonly to: number;
}

export interface Lane {
  /** Null: the run's own steps. */
  readonly story: string | null;
  readonly title: string;
  readonly status: StoryStatus | null;
  readonly bars: readonly Bar[];
  /** When nothing kept it from starting; null: it still waits for others, or is the run's own. */
  readonly readyAt: number | null;
  readonly isCritical: boolean;
}

export interface Lanes {
  readonly start: number;
  readonly end: number;
  readonly lanes: readonly Lane[];
}

/** `plannedAt`: when each story was planned; before that, it could not wait. */
export function lanesOf(run: Run, now: number, plannedAt: ReadonlyMap<string, number>): Lanes {
  const { header } = run;
  const attemptsOf = (id: StoryId) => run.stories[id]?.attempts ?? [];
  const ends = new Map(header.stories.map((story) => [story.id as string, endOf(story, attemptsOf(story.id), now)]));
  const critical = criticalStories(header.stories, ends);
  const own: Lane = {
    story: null,
    title: "",
    status: null,
    bars: header.attempts.map((attempt) => barOf(attempt, now)),
    readyAt: null,
    isCritical: false,
  };
  const lanes = header.stories.map((story): Lane => {
    const waitedFor = story.dependsOn.map((id) => ends.get(id) ?? null);
    const isFree = story.openDependencies === 0;
    return {
      story: story.id,
      title: story.title,
      status: story.status,
      bars: attemptsOf(story.id).map((attempt) => barOf(attempt, now)),
      readyAt: isFree ? Math.max(plannedAt.get(story.id) ?? now, ...waitedFor.map((at) => at ?? 0)) : null,
      isCritical: critical.has(story.id),
    };
  });
  return {
    start: header.startedAt,
    end: Math.max(header.end?.at ?? now, header.startedAt + 1),
    lanes: [own, ...lanes],
  };
}

export function plannedTimes(events: readonly Event[]): ReadonlyMap<string, number> {
  const planned = events.filter((event) => event.type === "stories_planned");
  return new Map(planned.flatMap(({ at, stories }) => stories.map(({ id }): [string, number] => [id, at])));
}

function barOf(attempt: Attempt, now: number): Bar {
  return {
    attempt: attempt.id,
    step: attempt.name,
    number: attempt.number,
    executor: attempt.executor,
    kind: kindOf(attempt),
    from: attempt.startedAt,
    to: hasEnded(attempt) ? attempt.state.endedAt : now,
  };
}

function kindOf(attempt: Attempt): BarKind {
  if (!hasEnded(attempt)) return attempt.executor === "integrate" ? "integrating" : "running";
  const { outcome, verdict } = attempt.state;
  if (outcome !== "completed") return "failed";
  if (verdict?.kind === "rejected") return "rejected";
  return attempt.executor === "integrate" ? "integrating" : "passed";
}

function endOf(story: StoryEntry, attempts: readonly Attempt[], now: number): number | null {
  const last = attempts.at(-1);
  if (last === undefined) return null;
  return story.status === "done" && hasEnded(last) ? last.state.endedAt : now;
}

/** From the story that ended last, back through the one that each waited for longest. */
function criticalStories(
  stories: readonly StoryEntry[],
  ends: ReadonlyMap<string, number | null>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const latest = (ids: readonly string[]) =>
    ids.reduce((last: string | null, id) => {
      const end = ends.get(id) ?? null;
      return end !== null && (last === null || end > (ends.get(last) ?? 0)) ? id : last;
    }, null);
  let at = latest(stories.map(({ id }) => id));
  while (at !== null && !found.has(at)) {
    found.add(at);
    at = latest(stories.find(({ id }) => id === at)?.dependsOn ?? []);
  }
  // Where no story waits for another, none of them decides alone.
  return found.size > 1 ? found : new Set();
}

const ongoing: readonly (StoryStatus | null)[] = ["waiting", "running", "held"];

/**
 * From when it could start until it works no more, or until now while it is not over. One line: the bars stand on it, and cover it
 * where nothing waited.
 */
export function waitOf(
  { bars, readyAt, status }: Pick<Lane, "bars" | "readyAt" | "status">,
  now: number,
): { readonly from: number; readonly to: number } | null {
  const from = readyAt ?? bars[0]?.from ?? now;
  const to = ongoing.includes(status) ? now : (bars.at(-1)?.from ?? from);
  return to > from ? { from, to } : null;
}

/** Times at which the axis has a line, at most seven, and round ones. */
export function ticksOf({ start, end }: Pick<Lanes, "start" | "end">): readonly number[] {
  const units = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400].map(
    (s) => s * 1_000,
  );
  const unit = units.find((each) => (end - start) / each <= 6) ?? 7 * 86_400_000;
  return Array.from({ length: Math.floor((end - start) / unit) + 1 }, (_, i) => i * unit);
}
