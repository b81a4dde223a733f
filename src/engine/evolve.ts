// Applies events to a run, with the updates beside it. It is pure and the only way in which a run changes, so replay is a fold of it.

import type { Event } from "../domain/event.ts";
import type { StoryId } from "../domain/ids.ts";
import { type Header, noTotals, type Run } from "../domain/run.ts";
import { emptyScope, partKey } from "../domain/scope.ts";
import type { Step } from "../domain/step.ts";
import {
  withAttemptBegun,
  withAttemptDispatched,
  withAttemptEnded,
  withAttemptStopping,
} from "./attempts/attempt-updates.ts";
import { adopted, inOrder, placed, resetStep, withInserted, withItems } from "./chain/chains.ts";
import { withGateAnswered, withGateOpened, withGateShown, withGateVoided } from "./gates/gate-updates.ts";
import { nextStepState } from "./moves.ts";
import { withDelivered, withoutPart } from "./note-updates.ts";
import {
  cancelledParts,
  renewedRounds,
  withJoinOpened,
  withJoinRefused,
  withPartEnded,
  withPartReadied,
  withPartsOpened,
  withRound,
} from "./parts/part-updates.ts";
import { withHeader, withScope, withStep } from "./run-updates.ts";
import {
  withStoriesPlanned,
  withStoryBegun,
  withStoryChanged,
  withStoryReverted,
  withStorySaid,
} from "./stories/story-entries.ts";
import { IllegalTransition, move, runTable } from "./tables.ts";

/** `run` is null before the first event, which must be `run_started`. */
export function evolve(run: Run | null, event: Event): Run {
  if (event.type === "run_started") return begin(event);
  if (run === null) throw new IllegalTransition("run", "nothing", event.type);
  switch (event.type) {
    case "run_paused":
      move(runTable, "run", runState(run.header), "pause");
      return withHeader(run, { paused: true });
    case "run_resumed":
      move(runTable, "run", runState(run.header), "resume");
      return withHeader(run, { paused: false });
    case "executor_changed":
      return withHeader(run, { executor: event.executor });
    case "waits_changed":
      return withHeader(run, { waits: event.waits });
    case "run_ended": {
      const change = event.status === "failed" ? "fail" : event.status === "cancelled" ? "cancel" : "done";
      move(runTable, "run", runState(run.header), change);
      return withHeader(run, { end: { status: event.status, reason: event.reason, at: event.at } });
    }
    case "closing_noted": {
      const { end } = run.header;
      return end === null ? run : withHeader(run, { end: { ...end, notes: [...(end.notes ?? []), ...event.notes] } });
    }
    case "run_reopened":
      move(runTable, "run", runState(run.header), "reopen");
      return withHeader(run, { end: null, paused: false });
    case "caps_raised":
      return withHeader(run, { caps: event.caps });
    case "limits_renewed":
      return withScope(run, event.story, (scope) => ({
        countsFrom: { ...scope.countsFrom, [countedKey(event)]: scope.attempts.length },
        ...renewedRounds(scope, event),
      }));
    case "step_readied":
      return withStep(run, event.story, event.step, (step) => ({
        ...step,
        state: nextStepState(step, step.state.status === "waiting" ? "ready" : "again", {
          status: "ready",
          notBefore: event.notBefore,
          ...(event.pauseMs === undefined ? {} : { pauseMs: event.pauseMs }),
        }),
        feedback: event.feedback ?? step.feedback,
      }));
    case "step_opened":
      return withStep(run, event.story, event.step, (step) => ({
        ...step,
        state: nextStepState(step, "open", { status: "running", attempt: null }),
        feedback: "",
        ...(event.round === undefined ? {} : { round: event.round }),
      }));
    case "parts_opened":
      return withPartsOpened(run, event);
    case "part_readied":
      return withPartReadied(run, event);
    case "part_ended":
      return withHeader(withPartEnded(run, event), { notes: withoutPart(run.header.notes, event) });
    case "join_opened":
      return withJoinOpened(run, event);
    case "join_refused":
      return withJoinRefused(run, event);
    case "parts_ended":
      return withRound(run, event);
    case "outputs_set":
      return withScope(
        ownKeys(run, event.story, [...event.cleared, ...Object.keys(event.set)]),
        event.story,
        (scope) => ({
          context: changedContext(scope.context, event.cleared, event.set),
          chain: scope.chain.map((step) =>
            step.id === event.step ? { ...step, produced: Object.keys(event.set), ...notesIn(event) } : step,
          ),
        }),
      );
    case "step_done": {
      const done = withStep(run, event.story, event.step, (step) => ({
        ...step,
        state: nextStepState(step, "done", { status: "done" }),
        feedback: "",
      }));
      return withFeedback(done, event);
    }
    case "step_failed":
      return withStep(run, event.story, event.step, (step) => ({
        ...step,
        state: nextStepState(step, "fail", { status: "failed", reason: event.reason }),
      }));
    case "step_cancelled":
      return withStep(run, event.story, event.step, (step) => ({
        ...step,
        ...cancelledParts(step),
        state: nextStepState(step, "cancel", { status: "cancelled" }),
      }));
    case "step_dropping": {
      const { as, reason, whole } = event;
      return withStep(run, event.story, event.step, (step) => ({ ...step, dropping: { as, reason, whole } }));
    }
    case "steps_reset":
      return withScope(ownKeys(run, event.story, event.cleared), event.story, (scope) => ({
        context: changedContext(scope.context, event.cleared, {}),
        chain: scope.chain.map((step) => (event.steps.includes(step.id) ? resetStep(step, event) : step)),
      }));
    case "steps_skipped": {
      const skipped = withScope(run, event.story, (scope) => ({
        chain: scope.chain.map((step) =>
          event.steps.includes(step.id)
            ? { ...step, state: nextStepState(step, "skip", { status: "skipped", by: event.by, reason: event.reason }) }
            : step,
        ),
      }));
      return withFeedback(skipped, event);
    }
    case "steps_inserted":
      return countSteps(
        withScope(run, event.story, (scope) => ({ chain: withInserted(scope.chain, event) })),
        event.steps.length,
      );
    case "items_taken":
      return countSteps(
        withScope(run, event.story, (scope) => ({ chain: withItems(scope.chain, event) })),
        event.copies.length,
      );
    case "steps_removed":
      return removeSteps(run, event);
    case "steps_reordered":
      return withScope(run, event.story, (scope) => ({ chain: inOrder(scope.chain, event.order) }));
    case "step_amended":
      return withStep(run, event.story, event.step, (step) => ({ ...step, description: event.description }));
    case "chain_edited":
    case "edit_refused":
      return run;
    case "attempt_dispatched":
      return withAttemptDispatched(run, event);
    case "attempt_began":
      return withAttemptBegun(run, event);
    case "attempt_stopping":
      return withAttemptStopping(run, event);
    case "attempt_ended":
      return withAttemptEnded(run, event);
    case "report_refused":
    case "file_change_adopted":
    case "file_change_refused":
      return run;
    case "signal_received": {
      const { signal: name, of: story, outputs, author: by, at } = event;
      return withHeader(run, { signals: [...(run.header.signals ?? []), { name, story, outputs, by, at }] });
    }
    case "signal_taken":
      return withSignalTaken(run, event);
    case "note_added":
      return withHeader(run, { notes: [...run.header.notes, { ...event.note, attempt: null }] });
    case "note_withdrawn":
      return withHeader(run, { notes: run.header.notes.filter(({ id }) => id !== event.note) });
    case "notes_delivered":
      return withHeader(run, { notes: withDelivered(run.header.notes, event) });
    case "gate_opened":
      return withGateOpened(run, event);
    case "gate_answered":
      return withGateAnswered(run, event);
    case "gate_shown":
      return withGateShown(run, event);
    case "gate_voided":
      return withGateVoided(run, event);
    case "stories_planned":
      return withHeader(run, { stories: withStoriesPlanned(run.header.stories, event) });
    case "story_opened": {
      const id = storyOf(event);
      const story = { ...emptyScope, id, of: event.of, chain: event.chain.map(placed) };
      return countSteps({ ...run, stories: { ...run.stories, [id]: story } }, event.chain.length);
    }
    case "story_adopted": {
      const id = storyOf(event);
      const story = { ...emptyScope, id, of: event.of, chain: event.chain.map(adopted) };
      const next = { ...run, stories: { ...run.stories, [id]: story } };
      return countSteps(withHeader(next, { stories: withStoryBegun(run.header.stories, id) }), event.chain.length);
    }
    case "story_changed":
      return withHeader(run, { stories: withStoryChanged(run.header.stories, event) });
    case "story_reverted":
      return withHeader(run, { stories: withStoryReverted(run.header.stories, event) });
    case "story_merged":
      return withStoryMerged(run, event);
  }
}

/** Folds a whole log. The result has every story, not only those that one transition loads. */
export function replay(events: Iterable<Event>): Run | null {
  let run: Run | null = null;
  for (const event of events) run = evolve(run, event);
  return run;
}

/** The row of `runTable` that a run is in. */
export function runState(header: Header): keyof typeof runTable {
  return header.end?.status ?? (header.paused ? "paused" : "open");
}

/** The key of `countsFrom`. */
function countedKey({ of, part }: Of<"limits_renewed">): string {
  if (of === null) return "*";
  return part === undefined ? of : partKey(of, part);
}

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

function begin(event: Of<"run_started">): Run {
  const header: Header = {
    ...emptyScope,
    id: event.run,
    definition: event.definition,
    task: event.task,
    place: event.place,
    executor: event.executor,
    ...(event.waits === undefined ? {} : { waits: event.waits }),
    context: event.context,
    given: event.given,
    caps: event.caps,
    chain: event.chain.map(placed),
    stories: [],
    notes: [],
    totals: { ...noTotals, steps: event.chain.length },
    startedAt: event.at,
    paused: false,
    end: null,
  };
  return { header, stories: {} };
}

/** What a step is told that runs next. */
function withFeedback(run: Run, { story, feedback }: Of<"step_done"> | Of<"steps_skipped">): Run {
  if (feedback === undefined) return run;
  return withStep(run, story, feedback.to, (step) => ({ ...step, feedback: feedback.text }));
}

function withStoryMerged(run: Run, event: Of<"story_merged">): Run {
  const { header } = run;
  const one = { story: event.of, same: 1, isList: false } as const;
  const collected = event.collected ?? Object.fromEntries(Object.keys(event.set).map((key) => [key, one]));
  return withHeader(run, {
    ...(event.said === undefined ? {} : { stories: withStorySaid(header.stories, event.of, event.said) }),
    context: changedContext(header.context, [], event.set),
    ...(Object.keys(collected).length === 0 ? {} : { collected: { ...header.collected, ...collected } }),
  });
}

function withSignalTaken(run: Run, event: Of<"signal_taken">): Run {
  const { signals = [] } = run.header;
  const index = signals.findIndex(({ name, story }) => name === event.signal && story === event.story);
  if (index < 0) throw new IllegalTransition(`signal ${event.signal}`, "nothing", "take");
  return withHeader(run, { signals: signals.toSpliced(index, 1) });
}

/** A key that a step of the run's own chain sets or clears is no longer collected from stories. */
function ownKeys(run: Run, story: StoryId | null, keys: readonly string[]): Run {
  const { collected } = run.header;
  if (story !== null || collected === undefined || !keys.some((key) => Object.hasOwn(collected, key))) return run;
  const kept = Object.entries(collected).filter(([key]) => !keys.includes(key));
  return withHeader(run, { collected: Object.fromEntries(kept) });
}

function changedContext(
  context: Readonly<Record<string, string>>,
  cleared: readonly string[],
  set: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (cleared.length === 0) return Object.keys(set).length === 0 ? context : { ...context, ...set };
  const kept = Object.entries(context).filter(([key]) => !cleared.includes(key));
  return { ...Object.fromEntries(kept), ...set };
}

/** The id of a removed step is retired, so that it is never reused. */
function removeSteps(run: Run, event: Of<"steps_removed">): Run {
  const next = withScope(run, event.story, (scope) => ({
    chain: scope.chain.filter((step) => !event.steps.includes(step.id)),
  }));
  const story = event.story === null ? undefined : next.stories[event.story];
  if (!story) return next;
  const retired = [...(story.retired ?? []), ...event.steps];
  return { ...next, stories: { ...next.stories, [story.id]: { ...story, retired } } };
}

function notesIn(event: Of<"outputs_set">): Pick<Step, "notes"> {
  return event.notes === undefined ? {} : { notes: event.notes };
}

function storyOf(event: Event): StoryId {
  if (event.story === null) throw new IllegalTransition("story", "nothing", event.type);
  return event.story;
}

function countSteps(run: Run, added: number): Run {
  const { totals } = run.header;
  return withHeader(run, { totals: { ...totals, steps: totals.steps + added } });
}
