// The wave of one attempt: its number, its call and its files, before it begins, while it runs and when it has ended.

import { rmSync } from "node:fs";
import type { AttemptId } from "../../../domain/ids.ts";
import { contextOf, scopeOf } from "../../../domain/run.ts";
import { renderTemplate } from "../../../prompts/template.ts";
import { readInside, within, writeInside } from "../../../system/files/inside.ts";
import type { AttemptFacts } from "../../protocol.ts";
import { templateOf } from "../session/pending-call.ts";
import { largestSessionFile, type SessionFolder, sessionFolderAt } from "../session/session-folder.ts";
import { isWave } from "../session/shown-steps.ts";
import { phaseOf } from "../standing/phase-story.ts";
import { readCsv } from "./csv.ts";
import { calledBy } from "./skill-call.ts";
import type { WaveFacts } from "./wave.ts";
import { waveText } from "./wave-csv.ts";

export type PreparedWave = Pick<WaveFacts, "number" | "position" | "call" | "csv">;

/** The waves that this process prepared. Another one finds them in the files of the session. */
const prepared = new Map<AttemptId, PreparedWave>();

/** Null: its attempts are no waves, or its run has no session. */
export function folderOf({ run, definition }: AttemptFacts): SessionFolder | null {
  const { shared } = run.header.place;
  return shared === undefined || !isWave(definition) ? null : sessionFolderAt(shared);
}

/** Writes `wave-N.csv`, and removes results that no program can have written for it. */
export function prepareWave(work: AttemptFacts, values: Readonly<Record<string, string>>): void {
  const folder = folderOf(work);
  const shown = folder === null ? null : shownWave(folder, work.attempt.id);
  if (folder === null || shown === null) return;
  const { number, position, total } = shown;
  const call = callIn(work, values);
  const csv = waveText({ position, call, topic: topicOf(work, position, total) });
  writeInside(folder.root, folder.wave(number), csv);
  within(folder.root, folder.results(number), (path) => rmSync(path, { recursive: true, force: true }));
  prepared.set(work.attempt.id, { number, position, call, csv });
}

/** Null: it was not prepared, or its files do not say so any more. */
export function waveOf(work: AttemptFacts): PreparedWave | null {
  const folder = folderOf(work);
  if (folder === null) return null;
  return prepared.get(work.attempt.id) ?? waveInFiles(folder, work.attempt.id);
}

export function forgetWave(attempt: AttemptId): void {
  prepared.delete(attempt);
}

/** The same text as in the prompt of the skill. */
function callIn({ run, attempt, definition }: AttemptFacts, values: Readonly<Record<string, string>>): string {
  const feedback = scopeOf(run, attempt.story)?.chain.find(({ id }) => id === attempt.step)?.feedback ?? "";
  const known = { ...contextOf(run, attempt.story), task: run.header.task, feedback, ...values };
  return renderTemplate(templateOf(definition), known, run.header.definition.knownKeys).text.trim();
}

function topicOf({ attempt }: AttemptFacts, position: number, total: number): string {
  const phase = phaseOf(attempt.story)?.phase;
  const stage = attempt.name.replaceAll("-", " ");
  return `Ralph step ${position}/${total}: ${stage}${phase === undefined ? "" : ` phase ${phase}`}`;
}

interface ShownWave {
  readonly number: number;
  readonly position: number;
  readonly total: number;
}

/** As status.json shows it, which is up to date before each attempt. */
function shownWave(folder: SessionFolder, attempt: AttemptId): ShownWave | null {
  const { waves, steps } = statusIn(folder);
  const own = waves.find((wave) => wave["attempt"] === attempt);
  const [index] = Array.isArray(own?.["step_indexes"]) ? (own["step_indexes"] as readonly unknown[]) : [];
  const number = own?.["n"];
  if (!isCount(number) || typeof index !== "number") return null;
  return { number, position: index + 1, total: steps.length };
}

function waveInFiles(folder: SessionFolder, attempt: AttemptId): PreparedWave | null {
  const number = statusIn(folder).waves.find((wave) => wave["attempt"] === attempt)?.["n"];
  if (!isCount(number)) return null;
  const csv = textIn(folder, folder.wave(number));
  const read = csv === null ? null : readCsv(csv);
  const [head, row] = read?.kind === "rows" ? read.rows : [];
  if (csv === null || head?.fields[0] !== "id" || row === undefined) return null;
  const position = Number(row.fields[0]);
  const call = calledBy(row.fields[1] ?? "");
  return call === null || !isCount(position) ? null : { number, position, call, csv };
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
