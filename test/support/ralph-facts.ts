// Facts for tests of the state file: runs, attempts and events with only the fields that a projection reads.

import type { Attempt, AttemptPhase, Outcome, Taken, Usage } from "../../src/domain/attempt.ts";
import type { Definition, StepDefinition } from "../../src/domain/definition.ts";
import type { Event } from "../../src/domain/event.ts";
import { stepId, storyId } from "../../src/domain/ids.ts";
import type { Header, Run } from "../../src/domain/run.ts";
import { emptyScope } from "../../src/domain/scope.ts";
import type { Step, StepState } from "../../src/domain/step.ts";
import type { StoryEntry, StorySpec, StoryStatus } from "../../src/domain/story.ts";
import type { HistoryEntry, StateDocument, StateStep, StateStory } from "../../src/protocols/ralph/state-document.ts";
import { StateProjection, stateText } from "../../src/protocols/ralph/state-file.ts";

const start = Date.UTC(2025, 0, 15, 10);
const minute = (count: number) => start + count * 60_000;
export const time = (count: number) => new Date(minute(count)).toISOString();
export const sha = "a1b2c3d4".repeat(5);

const titles = {
  context_gathering: "Explore",
  coding: "Implement the changes",
  final_review: "Verify",
  rebase_resolve: "Resolve",
};
const body = [
  ...Object.entries(titles).map(([name, title]) => ({ kind: "agent", name, title })),
  { kind: "integrate", name: "land", title: "Land" },
] as unknown as StepDefinition[];
const definition = {
  id: "dynamic-ralph",
  steps: [{ kind: "stories", name: "stories", body }],
} as unknown as Definition;

export interface StoryFacts extends Partial<StoryEntry> {
  readonly status: StoryStatus;
  readonly chain?: readonly Step[];
  readonly attempts?: readonly Attempt[];
}

export function runOf(stories: Readonly<Record<string, StoryFacts>>): Run {
  const entries = Object.entries(stories).map(([id, { chain: _steps, attempts: _tries, ...entry }]) => ({
    id: storyId(id),
    title: `Title ${id}`,
    dependsOn: [],
    openDependencies: 0,
    ...entry,
  }));
  const begun = Object.entries(stories).filter(([, { chain }]) => chain !== undefined);
  const header = { ...emptyScope, definition, startedAt: start, stories: entries } as unknown as Header;
  return {
    header,
    stories: Object.fromEntries(
      begun.map(([id, { chain = [], attempts = [] }]) => [
        id,
        { ...emptyScope, id: storyId(id), of: "stories" as never, chain, attempts },
      ]),
    ),
  };
}

export function step(
  id: string,
  name: string,
  state: StepState = { status: "waiting" },
  more: Partial<Step> = {},
): Step {
  return { id: stepId(id), name: name as never, state, visit: 1, produced: [], feedback: "", ...more };
}

interface Tried {
  readonly step: string;
  readonly number?: number;
  readonly at: number;
  readonly base?: string | null;
  readonly usage?: Usage;
  readonly end?: { readonly at: number; readonly outcome: Outcome; readonly taken?: Taken; readonly why?: string };
}

export function attempt({
  step: of,
  number = 1,
  at,
  base = `${sha}+${"b".repeat(40)}@ralph/US-001`,
  usage,
  end,
}: Tried): Attempt {
  const where = { workspace: "/w", base };
  const state: AttemptPhase = end
    ? {
        phase: "ended",
        endedAt: minute(end.at),
        outcome: end.outcome,
        verdict: null,
        taken: end.taken ?? null,
        why: end.why ?? "",
        discards: false,
        ...where,
      }
    : { phase: "started", ...where };
  return {
    id: `${of}/${number}`,
    story: "US-001",
    step: of,
    number,
    startedAt: minute(at),
    usage: usage ?? { costUsd: 0, inputTokens: 0, outputTokens: 0 },
    state,
  } as unknown as Attempt;
}

export function projected(
  events: readonly Event[],
  stories: Readonly<Record<string, StoryFacts>>,
  specs: readonly StorySpec[] = [],
) {
  const projection = new StateProjection({ prdFile: "prd.json", imported: null });
  for (const event of [began, ...events]) projection.apply(event);
  const run = runOf(stories);
  // The second time from the pieces that are kept.
  const [text, again] = [writtenText(projection, run, specs), writtenText(projection, run, specs)];
  const document = JSON.parse(text) as StateDocument;
  if (text !== stateText(document)) throw new Error(`it is not laid out like the original's:\n${text}`);
  if (again !== text) throw new Error(`the kept pieces differ:\n${again}`);
  return document;
}

/** What is written for a run. */
export function writtenText(projection: StateProjection, run: Run, specs: readonly StorySpec[] = []): string {
  return Buffer.concat(projection.pieces(run, specs)).toString("utf8");
}

export const began = { type: "run_started", at: start, author: "test", story: null, definition } as unknown as Event;
export const storyIn = (document: StateDocument, id = "US-001"): StateStory => {
  const story = document.stories[id];
  if (!story) throw new Error(`no ${id}`);
  return story;
};
export const stepIn = (facts: StoryFacts, id: string): StateStep => {
  const found = storyIn(projected([], { "US-001": facts })).steps.find((candidate) => candidate.id === id);
  if (!found) throw new Error(`no ${id}`);
  return found;
};

/** An event with only the fields that a projection reads. */
export const event = (at: number, story: string | null, what: object): Event =>
  ({ at: minute(at), author: "test", story, ...what }) as unknown as Event;
export const changed = (at: number, status: StoryStatus, more: object = {}) =>
  event(at, null, { type: "story_changed", of: "US-001", status, reason: "", ...more });
export const happened = (at: number, type: Event["type"], more: object = {}) => event(at, "US-001", { type, ...more });
export const opened = happened(1, "story_opened", {
  of: "stories",
  chain: ["context_gathering", "coding", "final_review"]
    .map((name, index) => ({ id: `step-00${index + 1}`, name }))
    .concat({ id: "land", name: "land" }),
});
export const dispatched = (at: number, of: string, number = 1) =>
  happened(at, "attempt_dispatched", { attempt: `${of}/${number}`, step: of, number });
export const ended = (at: number, of: string, outcome: Outcome, more: object = {}) =>
  happened(at, "attempt_ended", {
    attempt: `${of}/1`,
    outcome,
    why: "",
    usage: { costUsd: 0, inputTokens: 0, outputTokens: 0 },
    ...more,
  });

export const historyOf = (events: readonly Event[]) => {
  const { history } = storyIn(projected(events, { "US-001": { status: "running" } }));
  return history as readonly HistoryEntry[];
};
/** Each entry as `action step reason`. */
export const brief = (events: readonly Event[]) =>
  historyOf(events).map(({ action, step_id, details }) => {
    const { reason } = details;
    return [action, step_id, typeof reason === "string" ? reason : ""].join(" ").trim();
  });
