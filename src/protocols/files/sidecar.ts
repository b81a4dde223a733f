// Reads and writes the sidecar: a small file beside the files of a protocol with the run that they belong to and how much of its
// log they show.

import { dirname, join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { isSafeId, type RunId, runId } from "../../domain/ids.ts";
import { writeInside } from "../../system/files/inside.ts";
import { readIfReadable, readOptional } from "../../system/files/text.ts";

export const sidecarName = ".pawl.json";

export interface Sidecar {
  readonly run: RunId;
  /** How many events of the run's log the files show. */
  readonly projected: number;
  /** The same of earlier runs that used the folder, by their ids. */
  readonly earlier?: Readonly<Record<string, number>>;
}

/** What a person chose for the folder, by the protocol's own words. */
export type Settings = Readonly<Record<string, string | number>>;

/** Older ones are forgotten. */
const maxEarlier = 50;

/** null: no run has used the folder. */
export function readSidecar(file: string): Sidecar | null {
  const text = readOptional(file);
  if (text === null) return null;
  const { run, projected, earlier, settings } = fieldsOf(text);
  if (run === undefined && settings !== undefined) return null;
  if (typeof run === "string" && isSafeId(run) && Number.isSafeInteger(projected))
    return { run: runId(run), projected: projected as number, ...earlierIn(earlier) };
  throw new AppError("INPUT_INVALID", `${file} does not say which run uses this folder`, {
    hint: "remove it if no run of Pawl uses the folder, or choose another folder with --shared",
  });
}

/** How much of a run's log the files of a folder show; null: the folder does not say. Agents may write there. */
export function shownOf(folder: string, run: RunId): number | null {
  const sidecar = readOrNull(join(folder, sidecarName));
  if (sidecar === null) return null;
  return sidecar.run === run ? sidecar.projected : (sidecar.earlier?.[run] ?? null);
}

/** The runs that used a folder, the current one first; null: the folder has no sidecar. */
export function readOwner(folder: string): readonly RunId[] | "unreadable" | null {
  try {
    const file = join(folder, sidecarName);
    const sidecar = readSidecar(file);
    if (sidecar === null) return readOptional(file) === null ? null : [];
    return [sidecar.run, ...Object.keys(sidecar.earlier ?? {}).map((id) => runId(id))];
  } catch {
    return "unreadable";
  }
}

/** Empty where nothing was chosen. */
export function readSettings(folder: string): Settings {
  return settingsIn(readIfReadable(join(folder, sidecarName)) ?? "");
}

/** What it says about runs stays. */
export function writeSettings(folder: string, settings: Settings): void {
  const file = join(folder, sidecarName);
  const fields = fieldsOf(readOptional(file) ?? "");
  writeInside(folder, file, `${JSON.stringify({ ...fields, settings })}\n`);
}

/** What it says about earlier runs of the folder, and what a person chose, stays. */
export function writeSidecar(
  file: string,
  { run, projected }: Omit<Sidecar, "earlier">,
  root: string = dirname(file),
): void {
  const known = readOrNull(file);
  const before = { ...known?.earlier, ...(known === null ? {} : { [known.run]: known.projected }) };
  const others = Object.entries(before).filter(([id]) => id !== run);
  const earlier = others.length === 0 ? {} : { earlier: Object.fromEntries(others.slice(-maxEarlier)) };
  const chosen = settingsIn(readIfReadable(file) ?? "");
  const settings = Object.keys(chosen).length === 0 ? {} : { settings: chosen };
  writeInside(root, file, `${JSON.stringify({ run, projected, ...earlier, ...settings })}\n`);
}

function readOrNull(file: string): Sidecar | null {
  try {
    return readSidecar(file);
  } catch {
    return null;
  }
}

function earlierIn(value: unknown): Pick<Sidecar, "earlier"> {
  if (typeof value !== "object" || value === null) return {};
  const numbers = Object.entries(value).filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1]));
  return { earlier: Object.fromEntries(numbers) };
}

function settingsIn(text: string): Settings {
  const { settings } = fieldsOf(text);
  if (typeof settings !== "object" || settings === null) return {};
  const known = Object.entries(settings).filter(([, value]) => ["string", "number"].includes(typeof value));
  return Object.fromEntries(known);
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
