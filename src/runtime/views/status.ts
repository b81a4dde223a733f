// The status document. Owns: what a run looks like from outside: the same for the command line and every other reader.

import type {
  GateDocument,
  NoteDocument,
  PartDocument,
  RunDocument,
  SignalDocument,
  StatusDocument,
  StepDocument,
  StoryDocument,
} from "../../contracts/run-documents.ts";
import { type Attempt, addUsage, isUnreported, noUsage, type Usage } from "../../domain/attempt.ts";
import type { StepDefinition } from "../../domain/definition.ts";
import { isQuestion, namesOf, type PersonGate } from "../../domain/gate.ts";
import type { StoryId } from "../../domain/ids.ts";
import { outermostInclude } from "../../domain/include.ts";
import type { Note } from "../../domain/note.ts";
import type { Part, PartState } from "../../domain/part.ts";
import { type Run, scopeOf, statusOf } from "../../domain/run.ts";
import type { Chain } from "../../domain/step.ts";
import { definitionOf } from "../../engine/definitions.ts";
import { type Known, why } from "../../engine/why.ts";
import type { RunSummary } from "../../store/store.ts";
import { used } from "./used.ts";

export interface StatusFacts {
  readonly now: number;
  /** The branch that has the work. */
  readonly branch: string | null;
  /** What moves it now; null: nothing. */
  readonly driver?: string | null;
  readonly known?: Known;
  /** Why the run could not be closed. */
  readonly unfinished?: readonly string[];
}

export function statusDocument(run: Run, summary: RunSummary, facts: StatusFacts): StatusDocument {
  const { now, branch, driver = null, known, unfinished = [] } = facts;
  const { header } = run;
  return {
    run: {
      ...runDocument(summary, driver),
      status: statusOf(header),
      branch,
    },
    steps: stepDocuments(run, null, header.chain),
    stories: header.stories.map((entry) => {
      const story = run.stories[entry.id];
      const steps = story ? stepDocuments(run, entry.id, story.chain) : [];
      const [first] = story?.attempts ?? [];
      return {
        id: entry.id,
        title: entry.title,
        status: entry.status,
        dependsOn: entry.dependsOn,
        attempts: Math.max(0, ...steps.map((step) => step.attempts)),
        slot: entry.slot ?? null,
        ...(entry.reverted === undefined ? {} : { reverted: entry.reverted }),
        ...(entry.leftOut ? { leftOut: true as const } : {}),
        startedAt: first ? isoTime(first.startedAt) : null,
        ...costOf(story?.attempts ?? []),
        steps,
      };
    }),
    gates: [header, ...Object.values(run.stories)].flatMap((scope) => scope.gates.filter(isQuestion).map(gateDocument)),
    signals: signalDocuments(run),
    waits: header.waits ?? "marked",
    notes: header.notes.map(noteDocument),
    unfinished,
    closing: header.end?.notes ?? [],
    why: why(run, now, known),
  };
}

function costOf(attempts: readonly Attempt[]): Pick<StoryDocument, "costUsd" | "estimatedUsd" | "unreported"> {
  const sum = attempts.reduce<Usage>((total, { usage }) => addUsage(total, usage), noUsage);
  const { costUsd, estimatedUsd, unreported } = used(sum, attempts.filter(isUnreported).length);
  return { costUsd, estimatedUsd, unreported };
}

/** `driver`: what moves the run now. */
export function runDocument(summary: RunSummary, driver: string | null): RunDocument {
  return {
    id: summary.id,
    number: summary.number,
    workflow: summary.workflow,
    task: summary.task,
    status: summary.status,
    repo: summary.repo,
    branch: null,
    driver: summary.status === "running" ? driver : null,
    startedAt: isoTime(summary.startedAt),
    endedAt: summary.endedAt === null ? null : isoTime(summary.endedAt),
    usage: used(summary.totals, summary.totals.unreported),
  };
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function kindOf(definition: StepDefinition): StepDocument["kind"] {
  return definition.kind === "gate" && definition.signal ? "signal" : definition.kind;
}

function stepDocuments(run: Run, story: StoryId | null, chain: Chain): readonly StepDocument[] {
  const attempts = scopeOf(run, story)?.attempts ?? [];
  return chain.map((step) => {
    const own = attempts.filter((attempt) => attempt.step === step.id);
    const last = own.at(-1)?.state;
    const definition = definitionOf(run, story, step.name);
    const include = outermostInclude(run.header.definition, definition);
    return {
      id: step.id,
      kind: kindOf(definition),
      name: step.name,
      ...(include === null ? {} : { include }),
      ...(step.item === undefined ? {} : { item: step.item.value }),
      status: step.state.status,
      attempts: own.length,
      notes: last?.phase === "ended" ? (last.notes ?? []) : [],
      ...(step.parts === undefined ? {} : { parts: step.parts.map((part) => partDocument(part, own)) }),
    };
  });
}

/** What steps wait for, then what came and no step has taken. */
function signalDocuments({ header, stories }: Run): readonly SignalDocument[] {
  const waiting = [header, ...Object.values(stories)].flatMap(({ gates }) =>
    gates.flatMap(({ signal, state, story, step, openedAt, deadline }): SignalDocument[] => {
      if (signal === undefined || state.status !== "open") return [];
      const until = deadline && isoTime(deadline.at);
      return [{ name: signal, story, step, status: "awaited", at: isoTime(openedAt), deadline: until }];
    }),
  );
  const kept = (header.signals ?? []).map(({ name, story, at }) => {
    return { name, story, step: null, status: "kept", at: isoTime(at), deadline: null } as const;
  });
  return [...waiting, ...kept];
}

function partDocument({ name, state, feedback }: Part, attempts: readonly Attempt[]): PartDocument {
  const own = attempts.filter(({ part }) => part === name).length;
  return { name, status: state.status, attempts: own, why: whyOfPart(state, feedback) };
}

function whyOfPart(state: PartState, told: string): string {
  if (state.status === "rejected") return state.feedback;
  return state.status === "failed" || state.status === "stopped" ? state.reason : told;
}

export function gateDocument(gate: PersonGate): GateDocument {
  return {
    id: gate.id,
    step: gate.step,
    ...(gate.part === undefined ? {} : { part: gate.part }),
    story: gate.story,
    question: gate.question,
    options: namesOf(gate.options),
    status: gate.state.status,
    cause: gate.cause,
    feedback: gate.feedback || (gate.said ?? ""),
    tree: gate.tree === "" ? null : gate.tree,
    openedAt: isoTime(gate.openedAt),
    deadline: gate.deadline && { at: isoTime(gate.deadline.at), option: gate.deadline.option },
  };
}

export function noteDocument({ at, now: _now, part, ...note }: Note): NoteDocument {
  return { ...note, at: isoTime(at), ...(part === undefined ? {} : { part: part.name }) };
}
