// The shape of a session's status.json, and the one of a run as the store and its log know it. It is never read back as what is so.

import { isPerformed } from "../../../domain/definition.ts";
import type { Gate } from "../../../domain/gate.ts";
import { stepId } from "../../../domain/ids.ts";
import { type Run, statusOf } from "../../../domain/run.ts";
import { isSettled, type StoryEntry } from "../../../domain/story.ts";
import { phaseOf, phaseValue } from "../standing/phase-story.ts";
import { type SpawnCall, spawnCall } from "../waves/spawn-call.ts";
import { resultsFile, waveFile } from "../waves/wave.ts";
import type { LifecycleCode } from "./codes.ts";
import { contextIn, type SessionContext } from "./session-context.ts";
import { sessionFolderAt } from "./session-folder.ts";
import type { AttemptEnd, SessionLog } from "./session-log.ts";
import { type SessionStep, sessionSteps } from "./session-steps.ts";
import type { LoggedRow, Wave } from "./session-waves.ts";
import { bodyIn, isWave, stagesIn, stepIn, targetIn } from "./shown-steps.ts";
import { visitKey } from "./visit.ts";

interface SessionWave {
  readonly n: number;
  readonly step_indexes: readonly number[];
  readonly csv: string;
  readonly results_csv: string;
  readonly status: "running" | "completed" | "failed";
  readonly started_at: string;
  readonly completed_at: string | null;
  readonly rows: readonly SessionWaveRow[];
  /** The call of a spawner for the whole wave, while it runs: for another program that performs it. */
  readonly spawn: SpawnCall | null;
}

interface SessionWaveRow {
  /** The 1-based position of its step, as in the CSV. */
  readonly id: number;
  readonly status: "pending" | "running" | "completed" | "failed" | "skipped";
  /** The attempt of Pawl's; null: it has not begun. */
  readonly attempt: string | null;
}

export interface SessionDocument {
  readonly id: string;
  readonly created_at: string;
  readonly intent: string;
  readonly status: "running" | "paused" | "completed";
  readonly lifecycle_position: string;
  readonly target: string;
  readonly phase: string | number | null;
  readonly milestone: string | null;
  readonly auto_mode: boolean;
  readonly context: SessionContext;
  readonly steps: readonly SessionStep[];
  readonly waves: readonly SessionWave[];
  readonly current_step: number;
  readonly updated_at: string;
  readonly pawl: PawlFacts;
}

interface PawlFacts {
  readonly run: string;
  readonly status: string;
  /** Why it does not move; empty: it does, or it is done. */
  readonly why: string;
  readonly codes: readonly {
    readonly code: LifecycleCode;
    readonly at: string;
    readonly step: string;
    readonly why: string;
    readonly inserted?: readonly string[];
  }[];
}

export function sessionDocument(id: string, run: Run, log: SessionLog): SessionDocument {
  const { header } = run;
  const steps = sessionSteps(run, log);
  const at = phaseOf(currentPhase(header.stories)?.id ?? null);
  return {
    id,
    created_at: timeText(log.startedAt),
    intent: header.task,
    status: sessionStatus(run),
    lifecycle_position: positionOf(run, log, steps),
    target: targetIn(header.definition),
    phase: phaseValue(at?.phase ?? null),
    milestone: at === null ? null : (header.context["milestone"] ?? at.milestone),
    auto_mode: header.waits === "none",
    context: contextIn(log),
    steps,
    waves: wavesOf(run, log, steps),
    current_step: currentStep(steps),
    updated_at: timeText(log.changedAt),
    pawl: { run: header.id, status: statusOf(header), why: whyHeld(run), codes: codesIn(log) },
  };
}

export function sessionText(document: SessionDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** A session that only waits for the word to go on is running. */
function sessionStatus(run: Run): SessionDocument["status"] {
  const status = statusOf(run.header);
  if (status === "done") return "completed";
  if (status === "running") return "running";
  const open = gatesOpenIn(run);
  return status === "held" && open.length > 0 && open.every(({ cause }) => cause === "waits") ? "running" : "paused";
}

export function gatesOpenIn({ header, stories }: Run): readonly Gate[] {
  return [header, ...Object.values(stories)].flatMap(({ gates }) =>
    gates.filter(({ state }) => state.status === "open"),
  );
}

function whyHeld(run: Run): string {
  const { end } = run.header;
  if (end !== null) return end.reason;
  return gatesOpenIn(run)
    .map(({ question }) => question)
    .join("\n");
}

/** The phase at work, else the next one, which may be cancelled with its run, else the last one. */
function currentPhase(stories: readonly StoryEntry[]): StoryEntry | null {
  const atWork = stories.find(({ status }) => status === "running" || status === "held");
  return atWork ?? stories.find((entry) => !isSettled(entry) || entry.status === "cancelled") ?? stories.at(-1) ?? null;
}

function currentStep(steps: readonly SessionStep[]): number {
  const first = steps.findIndex(({ status }) => status !== "completed" && status !== "skipped");
  return first === -1 ? steps.length : first;
}

/** The words of a position that are not those of a stage. */
const positionWords: Readonly<Record<string, string>> = {
  phases: "analyze",
  audit: "milestone-audit",
  finished: "milestone-audit",
};

/** What was found out last; as soon as a stage is done after that, the stage that follows it. */
function positionOf({ header }: Run, log: SessionLog, steps: readonly SessionStep[]): string {
  if (header.end?.status === "done") return "complete";
  const { position } = log;
  const isNewer = log.past.slice(position?.after ?? 0).some(({ story, name }) => isWave(log.define(story, name)));
  if (position !== null && !isNewer && position.value !== "unknown")
    return positionWords[position.value] ?? position.value;
  const body = bodyIn(header.definition);
  const stages = body.filter(({ spare }) => spare !== true).flatMap(stagesIn);
  const repairs = body.flatMap(stagesIn).filter((stage) => !stages.includes(stage));
  const isStage = ({ type, status, stage }: SessionStep) =>
    type !== "decision" && status !== "completed" && status !== "skipped" && !repairs.includes(stage);
  return steps.find(isStage)?.stage ?? targetIn(header.definition);
}

function wavesOf(run: Run, log: SessionLog, steps: readonly SessionStep[]): readonly SessionWave[] {
  const indexes = new Map(steps.map(({ id, index }) => [id, index]));
  return log.waves.map((wave) => {
    const rows = wave.rows.flatMap((row): readonly SessionWaveRow[] => {
      const index = indexes.get(visitKey({ ...wave, ...(row.part === undefined ? {} : { part: row.part }) }));
      return index === undefined ? [] : [{ id: index + 1, status: rowStatus(log, row), attempt: row.attempt }];
    });
    const ends = isOverWave(log, wave) ? wave.rows.flatMap(({ attempt }) => endOf(log, attempt)?.at ?? []) : [];
    return {
      n: wave.number,
      step_indexes: rows.map(({ id }) => id - 1),
      csv: waveFile(wave.number),
      results_csv: resultsFile(wave.number),
      status: waveStatus(log, wave),
      started_at: timeText(wave.startedAt),
      completed_at: ends.length === 0 ? null : timeText(Math.max(...ends)),
      rows,
      spawn: isOverWave(log, wave) ? null : spawnOf(run, wave),
    };
  });
}

/** Null: the run has no folder for its files. */
function spawnOf(run: Run, { story, name, number, rows }: Wave): SpawnCall | null {
  const definition = stepIn(run.header.definition, story, name);
  const { shared } = run.header.place;
  if (shared === undefined || definition === undefined || !isPerformed(definition)) return null;
  const folder = sessionFolderAt(shared);
  return spawnCall({ run, definition }, { wave: folder.wave(number), results: folder.results(number) }, rows.length);
}

function endOf({ ends }: SessionLog, attempt: LoggedRow["attempt"]): AttemptEnd | undefined {
  return attempt === null ? undefined : ends.get(attempt);
}

/** Every row of it has ended, or is not needed any more. */
export function isOverWave(log: SessionLog, { rows }: Wave): boolean {
  return rows.every(({ attempt, isOut }) => isOut || (attempt !== null && log.ends.has(attempt)));
}

function waveStatus(log: SessionLog, wave: Wave): SessionWave["status"] {
  if (!isOverWave(log, wave)) return "running";
  return wave.rows.some((row) => rowStatus(log, row) === "failed") ? "failed" : "completed";
}

function rowStatus(log: SessionLog, { attempt, isOut }: LoggedRow): SessionWaveRow["status"] {
  if (attempt === null) return isOut ? "skipped" : "pending";
  const end = endOf(log, attempt);
  if (end === undefined) return "running";
  return end.outcome === "completed" && end.verdict?.kind !== "rejected" ? "completed" : "failed";
}

function codesIn({ codes }: SessionLog): PawlFacts["codes"] {
  return codes.map(({ code, at, story, name, why, steps }) => ({
    code,
    at: timeText(at),
    step: visitKey({ story, step: stepId(name), visit: 1 }),
    why,
    ...(steps.length === 0 ? {} : { inserted: steps }),
  }));
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}
