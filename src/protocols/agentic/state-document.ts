// The shape of STATE.json, and the one of a story as the store knows it. What the file says comes from here; it is never read back as
// what is so.

import { type Attempt, hasEnded } from "../../domain/attempt.ts";
import { isPerformed, type PerformedWork, type StepDefinition } from "../../domain/definition.ts";
import type { Gate } from "../../domain/gate.ts";
import type { Note } from "../../domain/note.ts";
import { isMoving, type Part } from "../../domain/part.ts";
import type { Facts } from "../../domain/report.ts";
import type { Run } from "../../domain/run.ts";
import { hasOpenParts, isOver, type Step } from "../../domain/step.ts";
import type { Story, StoryEntry } from "../../domain/story.ts";
import { worksInPlace } from "./ai-folder.ts";
import { type Reason, reasonOfWord } from "./aliases.ts";
import { endReason, lastEndOf, personsWords } from "./previous-attempt.ts";

type StateStatus = "pending" | "running" | "pass" | "failing" | "needs_human" | "timeout";

export interface AgenticState {
  readonly project: string;
  readonly story: string | null;
  readonly step: string;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly status: StateStatus;
  readonly reason: Reason | null;
  readonly dispatched_at: string | null;
  readonly completed_at: string | null;
  readonly timeout_min: number;
  readonly tests: unknown;
  readonly failing_tests: readonly unknown[];
  readonly lint_pass: boolean | null;
  readonly files_changed: readonly unknown[];
  readonly blocked_by: readonly string[];
  readonly human_note: string | null;
}

export interface StoryFacts {
  readonly run: Run;
  readonly project: string;
  readonly entry: StoryEntry;
  /** What is known of its attempts, by their ids. */
  readonly facts: ReadonlyMap<string, Facts>;
  /** The same fields of a STATE.json that was imported; null: it was not. */
  readonly imported: Readonly<Record<string, unknown>> | null;
}

export function storyDocument(of: StoryFacts): AgenticState & Readonly<Record<string, unknown>> {
  const { run, project, entry, imported } = of;
  const scope = run.stories[entry.id];
  const body = bodyIn(run);
  const shown = shownStep(of, scope, body);
  const last = scope?.attempts.filter(({ name }) => name === shown.step).at(-1) ?? null;
  const sessions = scope?.attempts.filter(({ name }) => !isIntegration(body, name)) ?? [];
  const ended = sessions.findLast(hasEnded) ?? null;
  const isRunning = shown.status === "running";
  // What an executor reported before is no result of the session that runs now, but a step that reads the file needs it.
  const known =
    isRunning && !readsState(shown.definition)
      ? {}
      : ended === null
        ? (imported ?? {})
        : (of.facts.get(ended.id) ?? {});
  const before = (key: string) => (ended === null && !isRunning ? (imported?.[key] ?? null) : null);
  return {
    ...imported,
    project,
    story: entry.id,
    step: shown.step,
    attempt: shown.attempt,
    max_attempts: shown.attempt + repetitionsLeft(scope, shown.definition) + (hasNext(last, shown.status) ? 1 : 0),
    status: shown.status,
    reason: reasonOf(shown.status, scope, imported),
    dispatched_at: timeText(last?.startedAt ?? ended?.startedAt) ?? textOrNull(before("dispatched_at")),
    completed_at: isRunning ? null : (timeText(ended?.state.endedAt) ?? textOrNull(before("completed_at"))),
    timeout_min: shown.timeoutMin,
    tests: known["tests"] ?? null,
    failing_tests: listIn(known["failing_tests"]),
    lint_pass: typeof known["lint_pass"] === "boolean" ? known["lint_pass"] : null,
    files_changed: listIn(known["files_changed"] ?? known["files"]),
    blocked_by: entry.dependsOn.filter((other) => !isDone(run, other)),
    human_note: noteFor(run, entry),
  };
}

/** Putting a story on its base is no session, and says nothing about the work. */
function isIntegration(body: Body, name: string): boolean {
  return body.some((step) => step.kind === "integrate" && step.name === name);
}

function readsState(definition: StepDefinition | undefined): boolean {
  return definition !== undefined && isPerformed(definition) && definition.reads?.includes(".ai/STATE.json") === true;
}

interface ShownStep {
  readonly step: string;
  readonly definition: StepDefinition | undefined;
  readonly status: StateStatus;
  readonly attempt: number;
  readonly timeoutMin: number;
}

type Body = readonly StepDefinition[];

/** The first step that is not over, or what ended last where that one only waits for a word. */
function shownStep({ run, entry }: StoryFacts, scope: Story | undefined, body: Body): ShownStep {
  const define = (step: Step | undefined) => body.find(({ name }) => name === step?.name);
  const chain = scope?.chain.filter((step) => define(step)?.kind !== "integrate") ?? [];
  const rest = scope?.chain.find((step) => !isOver(step));
  const step = chain.find((each) => !isOver(each));
  const counted = (name: string | undefined) => attemptsMade(scope, name);
  const at = (each: Step | undefined, status: StateStatus): ShownStep => {
    const definition = define(each) ?? body.find(({ kind }) => kind !== "integrate");
    const count = counted(definition?.name);
    const isNext = status === "pending" && !isPrepared(scope, definition?.name);
    const attempt = Math.max(1, isNext ? count + 1 : count);
    return { step: definition?.name ?? "done", definition, status, attempt, timeoutMin: timeoutOf(definition, body) };
  };
  if (entry.status === "done" || entry.status === "skipped") return { ...at(chain.at(-1), "pass"), step: "done" };
  if (scope === undefined) return at(undefined, entry.status === "failed" ? "failing" : "pending");
  // Only its integration is left.
  if (step === undefined)
    return at(
      chain.at(-1),
      rest?.state.status === "held" ? "needs_human" : rest?.state.status === "failed" ? "failing" : "pass",
    );
  const gate = gateOf(scope, step);
  const previous = chain.slice(0, chain.indexOf(step)).findLast((each) => each.state.status === "done");
  if (gate?.cause === "waits" && previous !== undefined && isLatest(scope, previous)) return at(previous, "pass");
  const failed = failedEnd(scope, chain, gate);
  if (failed !== null) return at(failed.step, failed.status);
  // Another program begins as soon as it reads "running". An attempt that is only prepared would be lost with its driver.
  if (worksInPlace(run.header) && isPrepared(scope, step.name)) return at(step, "pending");
  return at(step, statusOf(step, gate, scope.attempts.findLast(({ name }) => name === step.name) ?? null));
}

/** Nothing happened in the story since the step was over: the next one does not repeat a failure, and nothing was sent back. */
function isLatest({ attempts, gates }: Story, { id, name }: Step): boolean {
  const last = attempts.findLast(hasEnded);
  if (last === undefined || last.name === name) return true;
  const answered = gates.findLast(({ step, state }) => step === id && state.status === "answered");
  return answered?.state.status === "answered" && answered.state.at >= last.state.endedAt;
}

/** The attempt or review that did not pass, where nothing has begun since and a person has the word; null: there is none. */
function failedEnd(
  scope: Story,
  chain: readonly Step[],
  gate: Gate | null,
): { readonly step: Step; readonly status: StateStatus } | null {
  const end = lastEndOf(scope);
  if (end === null || end.hasPassed || scope.attempts.at(-1)?.state.phase !== "ended") return null;
  // A rejection is shown until the next session; an attempt, only where a person says when to go on.
  const isShown = gate === null ? end.kind === "review" : gate.cause === "waits";
  const id = end.kind === "review" ? end.gate.step : end.attempt.step;
  const step = chain.find((each) => each.id === id);
  if (step === undefined || isOver(step) || !isShown) return null;
  if (end.kind === "review") return { step, status: "failing" };
  const { outcome } = end.attempt.state;
  if (outcome === "timed_out") return { step, status: "timeout" };
  const hasReported = outcome === "completed" || outcome === "failed" || outcome === "invalid_output";
  return hasReported ? { step, status: "failing" } : null;
}

function isPrepared(scope: Story | undefined, step: string | undefined): boolean {
  return scope?.attempts.findLast(({ name }) => name === step)?.state.phase === "dispatched";
}

/** The number of the last attempt of a step; 0: there was none. The next one has the number after it. Roles of a team have their own. */
export function attemptsMade(scope: Story | undefined, name: string | undefined): number {
  const before = scope?.chain.find((step) => step.name === name)?.attemptsBefore ?? 0;
  const own = scope?.attempts.filter((each) => each.name === name) ?? [];
  return Math.max(before, ...own.map(({ number }) => number));
}

function statusOf({ state }: Step, gate: Gate | null, last: Attempt | null): StateStatus {
  switch (state.status) {
    case "running":
      // Of a team, only roles that wait for a person are left.
      if (gate === null) return "running";
      return gate.cause === "exhausted" ? "failing" : last !== null && hasTimedOut(last) ? "timeout" : "needs_human";
    case "failed":
      return "failing";
    case "cancelled":
      return "needs_human";
    case "held":
      if (gate?.cause === "exhausted") return "failing";
      if (last !== null && hasTimedOut(last)) return "timeout";
      return gate?.cause === "waits" ? "pending" : "needs_human";
    case "waiting":
    case "ready":
    case "done":
    case "skipped":
      return "pending";
  }
}

function hasTimedOut(attempt: Attempt): boolean {
  return hasEnded(attempt) && attempt.state.outcome === "timed_out";
}

/** The question that the step waits for; of a team, the first one of its roles once no other one moves. */
function gateOf(scope: Story, step: Step): Gate | null {
  const { state } = step;
  const held = hasOpenParts(step) && !step.parts.some(isMoving) ? step.parts.find(isHeld)?.state : undefined;
  const waits = state.status === "held" ? state : held;
  return waits?.status === "held" ? (scope.gates.find(({ id }) => id === waits.gate) ?? null) : null;
}

function isHeld({ state }: Part): boolean {
  return state.status === "held";
}

/** The last attempt of the step drew on its limit for the next one, which has not begun. */
function hasNext(last: Attempt | null, status: StateStatus): boolean {
  if (last === null || !hasEnded(last) || (status !== "failing" && status !== "timeout")) return false;
  return last.state.taken !== null && last.state.taken.draws !== null;
}

/** Repetitions that the table still allows, so that the file never shows the third attempt of two. */
export function repetitionsLeft(
  scope: Story | undefined,
  definition: StepDefinition | PerformedWork | undefined,
): number {
  if (definition === undefined || !("budget" in definition) || !definition.budget) return 0;
  const from = Math.max(scope?.countsFrom["*"] ?? 0, scope?.countsFrom[definition.name] ?? 0);
  const own = (scope?.attempts ?? []).filter((each, index) => index >= from && each.name === definition.name);
  // What a role did is no attempt of the step: its team as a whole is one.
  const whole = own.filter(({ part }) => part === undefined);
  const used = whole.filter((each) => hasEnded(each) && each.state.taken !== null && each.state.taken.draws !== null);
  const rounds = (scope?.rounds ?? []).filter(({ name, taken }) => name === definition.name && taken.draws !== null);
  return Math.max(0, definition.budget.atMost - used.length - rounds.length);
}

/** A step that a person performs has the time of the step before it. */
function timeoutOf(definition: StepDefinition | undefined, body: Body): number {
  const upTo = definition === undefined ? body : body.slice(0, body.indexOf(definition) + 1);
  const timed = upTo.findLast((each) => isPerformed(each) && each.wallMs !== null);
  const ms = timed !== undefined && isPerformed(timed) ? timed.wallMs : null;
  return ms === null ? 5 : Math.max(1, Math.ceil(ms / 60_000));
}

function reasonOf(status: StateStatus, scope: Story | undefined, imported: StoryFacts["imported"]): Reason | null {
  if (status === "pending" || status === "running" || status === "pass") return null;
  const end = lastEndOf(scope);
  return end === null ? reasonOfWord(textOrNull(imported?.["reason"]) ?? "") : endReason(end);
}

/**
 * What a person said that no prompt has yet. It stays while the attempt that has it runs: a program that knows only the files finds it
 * nowhere else.
 */
function noteFor(run: Run, { id, status }: StoryEntry): string | null {
  const isForIt = ({ story, attempt }: Note) =>
    story === id || (story === null && (attempt === null || status === "running"));
  const words = run.header.notes.filter(isForIt).map((note) => personsWords(run, note));
  const said = words.filter((text) => text.trim() !== "");
  return said.length === 0 ? null : said.join("\n\n");
}

function isDone({ header }: Run, story: string): boolean {
  const status = header.stories.find(({ id }) => id === story)?.status;
  return status === "done" || status === "skipped";
}

function bodyIn({ header }: Run): Body {
  return header.definition.steps.flatMap((step) =>
    step.kind === "stories" ? step.body.filter(({ spare }) => !spare) : [],
  );
}

function timeText(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
