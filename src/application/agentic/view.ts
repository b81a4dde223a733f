// Where a project stands, from the store: the story at work, its state as STATE.json shows it, the open question, and what a report
// about it needs.

import { type Attempt, hasEnded } from "../../domain/attempt.ts";
import type { Gate } from "../../domain/gate.ts";
import type { Facts } from "../../domain/report.ts";
import type { Run } from "../../domain/run.ts";
import type { Story, StoryEntry } from "../../domain/story.ts";
import type { ProjectState } from "../../protocols/agentic/adapter.ts";
import { firstState } from "../../protocols/agentic/first-state.ts";
import { foundOf } from "../../protocols/agentic/found-state.ts";
import { endSentence, lastEndOf } from "../../protocols/agentic/previous-attempt.ts";
import { type ReportContext, standingText } from "../../protocols/agentic/report-text.ts";
import { storyDocument } from "../../protocols/agentic/state-document.ts";
import { storyAtWork } from "../../protocols/agentic/story-at-work.ts";
import { workspacePath } from "../../runtime/trees/places.ts";
import { awaitedIn } from "../../runtime/views/run-facts.ts";
import { driversOf } from "../../runtime/worker.ts";
import type { LocatedRun, Store } from "../../store/store.ts";
import { localTime } from "../../system/local-time.ts";
import type { Application } from "../application.ts";
import { wholeRun } from "../references.ts";
import { commandsNow, commandsText, type NextCommand, type ProjectStanding } from "./next-commands.ts";
import type { ProjectPlace } from "./place.ts";
import { openRun, runsOf } from "./project-runs.ts";
import { readQueue } from "./queue.ts";

export interface ProjectView extends ProjectStanding {
  /** What a person can type now. */
  readonly commands: readonly NextCommand[];
  /** The words, and what can be typed. */
  readonly report: string;
}

export async function viewProject(app: Application, place: ProjectPlace): Promise<ProjectView> {
  const { parts } = await app.read();
  const { store, clock } = parts;
  const run = (await openRun(store, place)) ?? (await runsOf(store, place))[0] ?? null;
  const whole = run === null ? null : await wholeRun(store, run);
  const queue = readQueue(place);
  const done = await doneStories(store, place);
  const entry = whole === null ? null : storyAtWork(whole.header.stories);
  const facts = run === null ? new Map<string, Facts>() : await factsOf(store, run);
  const state = whole === null || entry === null ? blank(place.name) : stateOf(whole, { place, entry, facts });
  const gate = whole === null || entry === null ? null : openGateOf(whole, entry);
  const open = queue.filter(({ id }) => !done.includes(id) && id !== entry?.id);
  const attempts = entry === null ? [] : (whole?.stories[entry.id]?.attempts ?? []);
  const last = attempts.findLast(hasEnded);
  const running = attempts.find((attempt) => !hasEnded(attempt)) ?? null;
  const handoff = last === undefined ? undefined : facts.get(last.id)?.["handoff"];
  const begunAt = state.dispatched_at === null ? null : Date.parse(state.dispatched_at);
  // Of a session that is over: how long it took, not how long ago it began.
  const until = state.completed_at === null ? clock.now() : Date.parse(state.completed_at);
  const context: ReportContext = {
    done,
    next: open[0] ?? null,
    question: gate === null ? null : gate.question,
    handoff: typeof handoff === "string" ? handoff : (gate?.said ?? gate?.feedback ?? ""),
    earlier: last === undefined ? [] : handoffsBefore(attempts, last, facts),
    ...(gate?.cause === "step" && whole !== null && entry !== null && whole.header.place.kind === "worktree"
      ? { tree: workspacePath(parts, whole, entry.id) }
      : {}),
    minutes: begunAt === null ? null : (until - begunAt) / 60_000,
    isStopping: running?.state.phase === "stopping",
    entering: whole === null || entry === null ? null : nextStepOf(whole, entry),
    ...endContext(whole === null || entry === null ? undefined : whole.stories[entry.id], gate),
  };
  const isDriven = run !== null && running !== null && (await driversOf(parts)).has(run.id);
  const awaited = whole === null || state.status !== "running" ? [] : [...(await awaitedIn(parts, whole)).values()];
  const words = linesOf([
    reportOf(state, { gate, entry, whole, context }),
    ...awaited.map(({ file, until }) => `Waits for its report in ${file}, until ${localTime(until, clock.now())}.`),
    awaited.length > 0 && !isDriven ? undriven : "",
  ]);
  const standing = { place, run, whole, entry, state, gate, queue, context, running, isDriven, words };
  const commands = commandsNow(standing);
  return { ...standing, commands, report: linesOf([words, commandsText(commands)]) };
}

export function linesOf(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}

const undriven = "No process waits for it: `pawl project continue --await` takes the report.";

/** How the last session or review of the story ended, for people. */
function endContext(
  scope: Story | undefined,
  gate: Gate | null,
): Pick<ReportContext, "goesOn" | "isRejected" | "why" | "sentBy" | "notes"> {
  const end = lastEndOf(scope);
  if (end === null) return {};
  const isRejected = end.kind === "review" && !end.hasPassed;
  const goesOn = gate === null || gate.cause === "waits";
  if (end.kind === "review" || end.hasPassed)
    return { goesOn, isRejected, notes: end.kind === "attempt" ? (end.attempt.state.notes ?? []) : [] };
  const { why, notes = [], taken } = end.attempt.state;
  // A question is its own explanation.
  if (taken?.key === "asked") return { goesOn, isRejected, notes };
  return { goesOn, isRejected, why: gate?.feedback || why, sentBy: endSentence(end), notes };
}

/** The newest hand-off of every other step. */
function handoffsBefore(
  attempts: readonly Attempt[],
  last: Attempt,
  facts: ReadonlyMap<string, Facts>,
): readonly string[] {
  const newest = new Map<string, string>();
  for (const { id, name } of attempts) {
    const text = facts.get(id)?.["handoff"];
    if (name !== last.name && typeof text === "string") newest.set(name, text);
  }
  return [...newest.values()];
}

/** Stories that any run of the project has finished. */
async function doneStories(store: Store, place: ProjectPlace): Promise<readonly string[]> {
  const done = new Set<string>();
  for (const run of (await runsOf(store, place)).toReversed())
    for (const { id, status } of (await wholeRun(store, run)).header.stories) if (status === "done") done.add(id);
  return [...done];
}

/** A story that is finished is reported with the next one, which only waits for a word. */
function reportOf(
  state: ProjectState,
  { gate, entry, whole, context }: Pick<ProjectView, "gate" | "entry" | "whole" | "context">,
): string {
  const finished = context.done?.at(-1);
  const isNew = entry !== null && (whole?.stories[entry.id]?.attempts.length ?? 0) === 0;
  if (gate?.cause === "waits" && isNew && finished !== undefined) {
    const next = { id: entry.id, title: entry.title };
    return standingText({ ...state, story: finished, step: "done", status: "pass" }, { ...context, next });
  }
  return standingText(state, context);
}

function stateOf(
  run: Run,
  { place, entry, facts }: { place: ProjectPlace; entry: StoryEntry; facts: ReadonlyMap<string, Facts> },
): ProjectState {
  return storyDocument({
    run,
    project: place.name,
    entry,
    facts,
    imported: foundOf(place.ai, entry.id),
  }) as unknown as ProjectState;
}

function blank(project: string): ProjectState {
  return JSON.parse(firstState(project)) as ProjectState;
}

function openGateOf(run: Run, { id }: StoryEntry): Gate | null {
  const gates = [...(run.stories[id]?.gates ?? []), ...run.header.gates];
  return gates.find(({ state }) => state.status === "open") ?? null;
}

function nextStepOf(run: Run, { id }: StoryEntry): string | null {
  const step = run.stories[id]?.chain.find(({ state }) => state.status !== "done" && state.status !== "skipped");
  return step === undefined || step.name === "integrate" ? null : step.name;
}

async function factsOf(store: Pick<Store, "events">, { id }: LocatedRun): Promise<ReadonlyMap<string, Facts>> {
  const found = new Map<string, Facts>();
  for (const { event } of await store.events(id, 0, 1_000_000))
    if (event.type === "attempt_ended" && event.facts !== undefined) found.set(event.attempt, event.facts);
  return found;
}
