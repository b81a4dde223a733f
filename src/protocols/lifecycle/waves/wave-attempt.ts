// The row of one attempt in its wave: the number of the wave, its call and its files, before it begins, while it runs and when it has
// ended. The first attempt of a wave writes the rows of all.

import { rmSync } from "node:fs";
import { isPerformed } from "../../../domain/definition.ts";
import { type AttemptId, partName } from "../../../domain/ids.ts";
import { contextOf, scopeOf } from "../../../domain/run.ts";
import { renderTemplate } from "../../../prompts/template.ts";
import { readInside, within, writeInside } from "../../../system/files/inside.ts";
import type { AttemptFacts } from "../../protocol.ts";
import { feedbackIn, templateOf } from "../session/pending-call.ts";
import { largestSessionFile, type SessionFolder, sessionFolderAt } from "../session/session-folder.ts";
import { isWave, performerOf, stepIn } from "../session/shown-steps.ts";
import { stageOf } from "../session/visit.ts";
import { phaseOf } from "../standing/phase-story.ts";
import type { WaveFacts } from "./wave.ts";
import { readWave, type WaveRow, waveText } from "./wave-csv.ts";

/** A row of a wave, as it was prepared for its attempt. */
export interface PreparedWave extends Pick<WaveFacts, "number" | "position" | "call" | "csv"> {
  /** How many rows the wave has. */
  readonly size: number;
}

/** The rows that this process prepared. Another one finds them in the files of the session. */
const prepared = new Map<AttemptId, PreparedWave>();

/** Null: its attempts are no waves, or its run has no session. */
export function folderOf({ run, definition }: AttemptFacts): SessionFolder | null {
  const { shared } = run.header.place;
  return shared === undefined || !isWave(definition) ? null : sessionFolderAt(shared);
}

/** The files of the program that performs a row: those of the wave, or of its own row where the wave has several. */
export function rowFiles(folder: SessionFolder, { number, position, size }: PreparedWave) {
  return size > 1 ? folder.row(number, position) : { wave: folder.wave(number), results: folder.results(number) };
}

/** `values`: gives each row the values of its call, and throws where one is not known. */
type ValuesOf = (work: AttemptFacts) => Readonly<Record<string, string>>;

/** Writes `wave-N.csv`, and removes results that no program can have written for it. */
export function prepareWave(work: AttemptFacts, valuesOf: ValuesOf): void {
  const folder = folderOf(work);
  const shown = folder === null ? null : shownWave(folder, work.attempt.id);
  if (folder === null || shown === null) return;
  const { number, position, rows } = shown;
  const row = rowOf(work, shown, position, valuesOf);
  const hasBegun = rows.some((each) => each.position !== position && each.attempt !== null);
  const known = hasBegun ? readWave(textIn(folder, folder.wave(number)) ?? "") : new Map<number, WaveRow>();
  const others = rows.map((each) =>
    each.position === position ? row : (known.get(each.position) ?? siblingOf(work, shown, each, valuesOf)),
  );
  const csv = waveText(others.flatMap((each) => each ?? []));
  const wave = { number, position, call: row.call, csv, size: rows.length };
  writeInside(folder.root, folder.wave(number), csv);
  if (!hasBegun) remove(folder, folder.results(number));
  if (wave.size > 1) {
    const files = rowFiles(folder, wave);
    writeInside(folder.root, files.wave, waveText([row]));
    remove(folder, files.results);
  }
  prepared.set(work.attempt.id, wave);
}

/** Null: it was not prepared, or its files do not say so any more. */
export function waveOf(work: AttemptFacts): PreparedWave | null {
  const folder = folderOf(work);
  if (folder === null) return null;
  return prepared.get(work.attempt.id) ?? waveInFiles(folder, work.attempt.id);
}

/** What a row needed while it was performed is with the end of its attempt now. */
export function settleWave(work: AttemptFacts): void {
  const wave = prepared.get(work.attempt.id);
  const folder = folderOf(work);
  prepared.delete(work.attempt.id);
  if (folder === null || wave === undefined || wave.size === 1) return;
  const files = rowFiles(folder, wave);
  remove(folder, files.wave);
  remove(folder, files.results);
}

function remove(folder: SessionFolder, file: string): void {
  within(folder.root, file, (path) => rmSync(path, { recursive: true, force: true }));
}

function rowOf(work: AttemptFacts, { total }: ShownWave, position: number, valuesOf: ValuesOf): WaveRow {
  return { position, call: callIn(work, valuesOf(work)), topic: topicOf(work, position, total) };
}

/** A row that begins beside this one. Null: its call cannot be made, which its own attempt will say. */
function siblingOf(work: AttemptFacts, shown: ShownWave, { position, stage }: ShownRow, valuesOf: ValuesOf) {
  const { run, attempt } = work;
  const whole = stepIn(run.header.definition, attempt.story, attempt.name);
  if (whole === undefined || !isPerformed(whole)) return null;
  const part = partName(stage);
  try {
    const sibling = { run, attempt: { ...attempt, part }, definition: performerOf(whole, part) };
    return rowOf(sibling, shown, position, valuesOf);
  } catch {
    return null;
  }
}

/** The same text as in the prompt of the skill. */
function callIn({ run, attempt, definition }: AttemptFacts, values: Readonly<Record<string, string>>): string {
  const { story, part } = attempt;
  const feedback = feedbackIn(
    scopeOf(run, story)?.chain.find(({ id }) => id === attempt.step),
    part,
  );
  const own = { task: run.header.task, feedback, ...(part === undefined ? {} : { part }) };
  const known = { ...contextOf(run, story), ...own, ...values };
  return renderTemplate(templateOf(definition), known, run.header.definition.knownKeys).text.trim();
}

function topicOf({ attempt }: AttemptFacts, position: number, total: number): string {
  const phase = phaseOf(attempt.story)?.phase;
  const stage = stageOf(attempt).replaceAll("-", " ");
  return `Ralph step ${position}/${total}: ${stage}${phase === undefined ? "" : ` phase ${phase}`}`;
}

interface ShownWave {
  readonly number: number;
  readonly position: number;
  readonly total: number;
  readonly rows: readonly ShownRow[];
}

interface ShownRow {
  readonly position: number;
  readonly stage: string;
  /** Null: it has not begun. */
  readonly attempt: unknown;
}

/** As status.json shows it, which is up to date before each attempt. */
function shownWave(folder: SessionFolder, attempt: AttemptId): ShownWave | null {
  const { waves, steps } = statusIn(folder);
  const own = waves.find(({ rows }) => listOf(rows).some((row) => row["attempt"] === attempt));
  const number = own?.["n"];
  const rows = listOf(own?.["rows"]).flatMap(({ id, attempt: of = null }): readonly ShownRow[] => {
    const stage = isCount(id) ? steps[id - 1]?.["stage"] : undefined;
    return isCount(id) && typeof stage === "string" ? [{ position: id, stage, attempt: of }] : [];
  });
  const row = rows.find((each) => each.attempt === attempt);
  if (!isCount(number) || row === undefined) return null;
  return { number, position: row.position, total: steps.length, rows };
}

function waveInFiles(folder: SessionFolder, attempt: AttemptId): PreparedWave | null {
  const shown = shownWave(folder, attempt);
  const csv = shown === null ? null : textIn(folder, folder.wave(shown.number));
  const row = csv === null || shown === null ? undefined : readWave(csv).get(shown.position);
  if (shown === null || csv === null || row === undefined) return null;
  return { number: shown.number, position: shown.position, call: row.call, csv, size: shown.rows.length };
}

type Fields = Readonly<Record<string, unknown>>;

function statusIn(folder: SessionFolder): { readonly waves: readonly Fields[]; readonly steps: readonly Fields[] } {
  try {
    const document: unknown = JSON.parse(textIn(folder, folder.status) ?? "");
    const { waves, steps } = Object(document) as Fields;
    return { waves: listOf(waves), steps: listOf(steps) };
  } catch {
    return { waves: [], steps: [] };
  }
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map((each) => Object(each) as Fields) : [];
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function textIn(folder: SessionFolder, file: string): string | null {
  try {
    return readInside(folder.root, file, largestSessionFile);
  } catch {
    return null;
  }
}
