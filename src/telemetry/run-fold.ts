// Folds the log of a run into the spans and figures that its events complete. Spans are made at their end, from the times in the log, so
// a process that dies in the middle of an attempt loses nothing of it.

import { addUsage, noUsage, type Usage } from "../domain/attempt.ts";
import type { Event } from "../domain/event.ts";
import type { AttemptId, PartName, RunId, StepId, StoryId } from "../domain/ids.ts";
import type { StoryStatus } from "../domain/story.ts";
import type { Attributes, EndedSpan, Figure } from "./exporter.ts";
import { attemptSpanId, runSpanId, storySpanId, traceIdOf } from "./span-ids.ts";

export interface Completed {
  readonly spans: readonly EndedSpan[];
  readonly figures: readonly Figure[];
}

type EventOf<Type extends Event["type"]> = Extract<Event, { readonly type: Type }>;

/** A run or a story: what happens between its opening and its end is one span. A second opening is another one. */
interface Opened {
  opening: number;
  /** null: it has ended, or has not begun. */
  since: number | null;
  usage: Required<Usage>;
  attempts: number;
}

interface OpenedStory extends Opened {
  /** The span of the run that it began in. */
  parent: string;
  status: StoryStatus;
}

interface OpenAttempt {
  readonly event: EventOf<"attempt_dispatched">;
  readonly parent: string;
}

const nothing: Completed = { spans: [], figures: [] };
const endsOfStories: ReadonlySet<StoryStatus> = new Set(["done", "failed", "blocked", "skipped", "cancelled"]);

/** Names an event that completes something, the same in the log and when it is committed; null: it completes nothing. */
export function completionKey(event: Event): string | null {
  if (event.type === "attempt_dispatched" || event.type === "attempt_ended") return `${event.type} ${event.attempt}`;
  if (event.type === "story_changed" && endsOfStories.has(event.status))
    return `${event.type} ${event.of} ${event.status} ${event.at}`;
  return event.type === "run_ended" ? `${event.type} ${event.at}` : null;
}

export class RunFold {
  /** The number of the last event that is folded. */
  seq = 0;
  readonly #run: RunId;
  readonly #own: Attributes;
  readonly #header: Opened = { opening: 0, since: null, usage: noUsage, attempts: 0 };
  readonly #stories = new Map<StoryId, OpenedStory>();
  readonly #attempts = new Map<AttemptId, OpenAttempt>();
  /** Since when steps are ready that no attempt performs yet. */
  readonly #ready = new Map<string, number>();
  #workflow = "";

  constructor(run: RunId, number: number) {
    this.#run = run;
    this.#own = { "pawl.run.id": run, "pawl.run.number": number };
  }

  /** Returns what this event completes. */
  apply(event: Event): Completed {
    if (event.type === "attempt_dispatched") return this.#attemptBegan(event);
    if (event.type === "attempt_ended") return this.#attemptEnded(event);
    if (event.type === "story_changed") return this.#storyChanged(event);
    if (event.type === "run_ended") return this.#runEnded(event);
    this.#follow(event);
    return nothing;
  }

  /** What an event says that completes nothing itself. */
  #follow(event: Event): void {
    if (event.type === "run_started") this.#workflow = event.definition.id;
    if (event.type === "run_started" || event.type === "run_reopened") open(this.#header, event.at);
    if (event.type === "story_opened" && event.story !== null) this.#openStory(event.story, event.at);
    if (event.type === "step_readied" || event.type === "part_readied")
      this.#becameReady(event, Math.max(event.at, event.notBefore));
    if (event.type === "parts_opened") for (const part of event.parts) this.#becameReady({ ...event, part }, event.at);
  }

  #becameReady(step: Place, at: number): void {
    this.#ready.set(placeKey(step), at);
  }

  #attemptBegan(event: EventOf<"attempt_dispatched">): Completed {
    const { attempt, story, at } = event;
    const parent =
      story === null
        ? runSpanId(this.#run, this.#header.opening)
        : storySpanId(this.#run, story, this.#openStory(story, at).opening);
    this.#attempts.set(attempt, { event, parent });
    const since = this.#ready.get(placeKey(event));
    if (since === undefined) return nothing;
    this.#ready.delete(placeKey(event));
    const figure: Figure = { type: "began", waitedMs: Math.max(0, at - since), labels: this.#labels(event) };
    return { spans: [], figures: [figure] };
  }

  #attemptEnded(event: EventOf<"attempt_ended">): Completed {
    const begun = this.#attempts.get(event.attempt);
    if (begun === undefined) return nothing;
    this.#attempts.delete(event.attempt);
    const { event: dispatched, parent } = begun;
    const { outcome, verdict, taken, usage, model } = event;
    const scopes = [this.#header, ...(event.story === null ? [] : [this.#stories.get(event.story)])];
    for (const scope of scopes) if (scope !== undefined) count(scope, usage);
    const kind = dispatched.executor === "integrate" ? "integration" : "attempt";
    const span = this.#span(kind === "attempt" ? `attempt ${dispatched.name}` : kind, dispatched.at, event.at, {
      id: attemptSpanId(this.#run, event.attempt),
      parent,
      isFailure: outcome !== "completed" && outcome !== "cancelled",
      attributes: {
        "pawl.kind": kind,
        ...storyAttribute(event.story),
        "pawl.step": dispatched.name,
        "pawl.step.id": dispatched.step,
        ...(dispatched.part === undefined ? {} : { "pawl.part": dispatched.part }),
        "pawl.attempt.id": event.attempt,
        "pawl.attempt.number": dispatched.number,
        "pawl.executor": executorWord(dispatched.executor),
        ...(model ? { "pawl.model": model } : {}),
        "pawl.outcome": outcome,
        // Its kind alone: a reason or a value is in the agent's words.
        ...(verdict === null ? {} : { "pawl.verdict": verdict.kind }),
        ...(taken === null ? {} : { "pawl.route": taken.to }),
        ...usageAttributes(usage),
      },
    });
    const labels = { ...this.#labels(dispatched), "pawl.outcome": outcome, ...(model ? { "pawl.model": model } : {}) };
    return { spans: [span], figures: [{ type: "ended", ms: span.endedAt - span.startedAt, usage, labels }] };
  }

  /** A story that is sent back to work after its end, or whose run was reopened, begins a new span with its next attempt. */
  #openStory(story: StoryId, at: number): OpenedStory {
    const parent = runSpanId(this.#run, this.#header.opening);
    const known = this.#stories.get(story);
    const found = known ?? { opening: 0, since: null, usage: noUsage, attempts: 0, parent, status: "running" };
    this.#stories.set(story, found);
    if (found.since !== null) return found;
    open(found, at);
    found.parent = parent;
    return found;
  }

  #storyChanged({ of, status, at }: EventOf<"story_changed">): Completed {
    const story = status === "running" ? this.#openStory(of, at) : this.#stories.get(of);
    if (story === undefined) return nothing;
    story.status = status;
    return endsOfStories.has(status) ? { spans: this.#storySpans(of, story, at), figures: [] } : nothing;
  }

  #storySpans(id: StoryId, story: OpenedStory, at: number): readonly EndedSpan[] {
    if (story.since === null) return [];
    const span = this.#span("story", story.since, at, {
      id: storySpanId(this.#run, id, story.opening),
      parent: story.parent,
      isFailure: story.status === "failed",
      attributes: { "pawl.kind": "story", ...storyAttribute(id), "pawl.status": story.status, ...totals(story) },
    });
    story.since = null;
    return [span];
  }

  #runEnded({ status, at }: EventOf<"run_ended">): Completed {
    // What the run leaves open ends with it: the attempts below would have no parent.
    const stories = [...this.#stories].flatMap(([id, story]) => this.#storySpans(id, story, at));
    const header = this.#header;
    if (header.since === null) return { spans: stories, figures: [] };
    const span = this.#span(`run ${this.#workflow}`, header.since, at, {
      id: runSpanId(this.#run, header.opening),
      parent: header.opening === 1 ? null : runSpanId(this.#run, 1),
      isFailure: status === "failed",
      attributes: { "pawl.kind": "run", "pawl.status": status, "pawl.opening": header.opening, ...totals(header) },
    });
    header.since = null;
    return { spans: [...stories, span], figures: [] };
  }

  #span(
    name: string,
    startedAt: number,
    endedAt: number,
    { attributes, ...more }: Pick<EndedSpan, "id" | "parent" | "isFailure" | "attributes">,
  ): EndedSpan {
    const own = { ...this.#own, "pawl.workflow": this.#workflow };
    // A clock that was set back between the two must not make a span that ends before it began.
    const times = { startedAt, endedAt: Math.max(startedAt, endedAt) };
    return { name, trace: traceIdOf(this.#run), ...times, ...more, attributes: { ...own, ...attributes } };
  }

  #labels({ executor, name }: Pick<EventOf<"attempt_dispatched">, "executor" | "name">): Attributes {
    return { "pawl.workflow": this.#workflow, "pawl.step": name, "pawl.executor": executorWord(executor) };
  }
}

function open(scope: Opened, at: number): void {
  Object.assign(scope, { opening: scope.opening + 1, since: at, usage: noUsage, attempts: 0 });
}

function count(scope: Opened, usage: Usage): void {
  scope.attempts += 1;
  scope.usage = addUsage(scope.usage, usage);
}

interface Place {
  readonly story: StoryId | null;
  readonly step: StepId;
  readonly part?: PartName;
}

/** No id has a slash. */
function placeKey({ story, step, part }: Place): string {
  return `${story ?? ""}/${step}/${part ?? ""}`;
}

/** `command: sh /home/ann/agent.sh` names a program of somebody's machine; its kind is enough. */
function executorWord(executor: string): string {
  return executor.split(":", 1)[0] ?? "";
}

function storyAttribute(story: StoryId | null): Attributes {
  return story === null ? {} : { "pawl.story": story };
}

function totals({ attempts, usage }: Opened): Attributes {
  return { "pawl.attempts": attempts, ...usageAttributes(usage) };
}

function usageAttributes({
  inputTokens,
  outputTokens,
  cacheReadTokens = 0,
  costUsd,
  estimatedUsd = 0,
}: Usage): Attributes {
  return {
    "pawl.tokens.input": inputTokens,
    "pawl.tokens.output": outputTokens,
    "pawl.tokens.cache_read": cacheReadTokens,
    "pawl.cost.usd": costUsd,
    "pawl.cost.estimated_usd": estimatedUsd,
  };
}
