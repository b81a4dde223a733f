// Sessions that another program left, of any generation. They are read for what a person wanted: intent, phase, milestone, mode. Where
// the project stands is never taken from them; their steps are only counted, so that a contradiction can be said.

import { errorText } from "../../../domain/error.ts";
import { openJson } from "../../files/json-places.ts";
import { isObject, type ResultObject } from "../readers/places.ts";
import type { ProjectFolder } from "../standing/project-folder.ts";

export interface ForeignSession {
  readonly kind: "session";
  /** As it calls itself; null: it does not. */
  readonly id: string | null;
  readonly intent: string;
  readonly phase: string | null;
  readonly milestone: string | null;
  readonly autoMode: boolean;
  /** Its own word for how it stands, for people; null: it has none. */
  readonly status: string | null;
  /** It says so, and none of its steps says otherwise. */
  readonly isOver: boolean;
  /** The last time that it names, in milliseconds since 1970; null: it names none. */
  readonly at: number | null;
  /** What of it cannot be right or was left out, for people. */
  readonly notes: readonly string[];
}

export interface NoSession {
  readonly kind: "unreadable";
  readonly why: string;
}

export interface FoundSession {
  /** From the project's root. */
  readonly file: string;
  readonly session: ForeignSession | NoSession;
}

const longestIntent = 20_000;
const phaseId = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,79}$/u;

export function readSession(text: string): ForeignSession | NoSession {
  let value: unknown;
  try {
    ({ value } = openJson(text, "it", ""));
  } catch (error) {
    return { kind: "unreadable", why: errorText(error).replace(/^it:/, "line ") };
  }
  if (!isObject(value)) return { kind: "unreadable", why: "it is not an object" };
  const intent = intentOf(value);
  if (intent === null) return { kind: "unreadable", why: "it names no intent" };
  const notes: string[] = [];
  const orchestration = isObject(value["orchestration"]) ? value["orchestration"] : {};
  return {
    kind: "session",
    id: wordIn(value["session_id"]) ?? wordIn(value["id"]),
    intent,
    phase: idIn(value["phase"], "phase", notes),
    milestone: idIn(value["milestone"], "milestone", notes),
    autoMode: isTrue(value["auto_mode"] ?? orchestration["auto_mode"]),
    status: wordIn(value["status"]),
    isOver: saysOver(value) && openIn(stepsOf(value, orchestration)) === 0,
    at: timeIn(value["updated_at"]) ?? timeIn(value["created_at"]),
    notes: [...notes, ...contradictions(value, orchestration)],
  };
}

/** The newest first. A folder that a run of this Pawl owns is not foreign: `isOwn` knows. */
export function findSessions(folder: ProjectFolder, isOwn: (dir: string) => boolean): readonly FoundSession[] {
  const files = homes.flatMap(({ dir, file }) =>
    folder.directories(dir).flatMap((name) => (isOwn(`${dir}/${name}`) ? [] : [`${dir}/${name}/${file}`])),
  );
  return files
    .flatMap((file): FoundSession[] => {
      const session = sessionIn(folder, file);
      return session === null ? [] : [{ file, session }];
    })
    .toSorted((one, other) => timeOf(other) - timeOf(one) || other.file.localeCompare(one.file));
}

const homes = [
  { dir: ".workflow/.ralph", file: "status.json" },
  { dir: ".workflow/.maestro", file: "status.json" },
  { dir: ".workflow/sessions", file: "session.json" },
] as const;

function sessionIn(folder: ProjectFolder, file: string): FoundSession["session"] | null {
  try {
    const text = folder.text(file);
    return text === null ? null : readSession(text);
  } catch (error) {
    return { kind: "unreadable", why: errorText(error) };
  }
}

/** By what it says; else by the name of its folder, which has the time that it began. */
function timeOf({ file, session }: FoundSession): number {
  const [, day, time] = /(\d{8})-(\d{6})/.exec(file) ?? [];
  const named = `${day?.replace(/(....)(..)(..)/, "$1-$2-$3")}T${time?.replace(/(..)(..)(..)/, "$1:$2:$3")}Z`;
  const said = session.kind === "session" ? session.at : null;
  return said ?? timeIn(named) ?? 0;
}

function intentOf(value: ResultObject): string | null {
  const identity = isObject(value["intent_identity"]) ? value["intent_identity"]["verbatim"] : undefined;
  const intent = wordIn(value["intent"]) ?? wordIn(identity);
  return intent === null ? null : intent.slice(0, longestIntent).toWellFormed();
}

/** What is no id would become a part of paths. */
function idIn(value: unknown, what: string, notes: string[]): string | null {
  if (value === undefined || value === null || value === "") return null;
  const text = typeof value === "number" || typeof value === "string" ? String(value).trim() : "";
  if (phaseId.test(text)) return /^\d+$/.test(text) ? String(Number(text)) : text;
  notes.push(`its ${what} ${JSON.stringify(value)?.slice(0, 80)} is no id and was left out`);
  return null;
}

const overWords = new Set(["completed", "complete", "sealed", "done"]);

function contradictions(value: ResultObject, orchestration: ResultObject): readonly string[] {
  const steps = stepsOf(value, orchestration);
  const open = openIn(steps);
  const current = value["current_step"];
  const notes: string[] = [];
  if (saysOver(value) && open > 0)
    notes.push(
      `it says ${wordIn(value["status"])?.toLowerCase()}, and ${open} of its ${steps.length} steps are not: where it stands was read from the project`,
    );
  if (typeof current === "number" && (current < 0 || current > steps.length))
    notes.push(`its current step ${current} is none of its ${steps.length} steps`);
  return notes;
}

function saysOver(value: ResultObject): boolean {
  return overWords.has(wordIn(value["status"])?.toLowerCase() ?? "");
}

function stepsOf(value: ResultObject, orchestration: ResultObject): readonly unknown[] {
  const list = [value["steps"], orchestration["chain"]].find((steps) => Array.isArray(steps));
  return Array.isArray(list) ? list : [];
}

function openIn(steps: readonly unknown[]): number {
  return steps.filter((step) => !isObject(step) || isOpen(step)).length;
}

function isOpen(step: ResultObject): boolean {
  const status = wordIn(step["status"])?.toLowerCase() ?? "";
  return !overWords.has(status) && status !== "skipped";
}

function wordIn(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === "string" && /^(?:true|yes|on)$/i.test(value.trim()));
}

function timeIn(value: unknown): number | null {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}
