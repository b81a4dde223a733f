// `.workflow/state.json` as skills write it, in all the forms seen: milestones, their phases, and the artifacts of the work. It is only
// read. What cannot be understood is said, and never guessed.

import { AppError } from "../../../domain/error.ts";
import { openJson } from "../../files/json-places.ts";
import { isObject, type ResultObject, repeatedKey } from "../readers/places.ts";
import { plainWord } from "../readers/words.ts";

export interface LifecycleState {
  /** The id of the milestone that the file calls current; null: it names none. */
  readonly current: string | null;
  readonly milestones: readonly Milestone[];
  /** Completed ones alone, oldest first. */
  readonly artifacts: readonly Artifact[];
}

export interface Milestone {
  readonly id: string;
  readonly name: string;
  readonly isComplete: boolean;
  readonly phases: readonly string[];
}

export interface Artifact {
  readonly type: string;
  readonly milestone: string | null;
  readonly phase: string | null;
  readonly path: string;
  /** Its JSON Pointer in the file. */
  readonly place: string;
}

/** A file that says something which cannot be right: `place` is where. */
export class StateUnclear extends Error {
  readonly place: string;

  constructor(why: string, place: string) {
    super(place === "" ? why : `${why}, in ${place}`);
    this.place = place;
  }
}

/** A file of the project that is there and that nobody can read. */
export class FileUnreadable extends StateUnclear {
  readonly file: string;

  constructor(file: string, why: string) {
    super(why, "");
    this.file = file;
  }
}

/** The forms that were seen are 1.0, 2.0 and 3.1. In a newer one, the same words may mean something else. */
const newestVersion = 3;
const versionKeys = ["version", "schema_version", "schemaVersion", "format_version", "state_version"];

/** Ids become parts of paths, of story ids and of prompts. */
const safeId = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,79}$/u;

export function readProjectState(text: string): LifecycleState {
  const document = parse(text);
  for (const key of versionKeys) refuseNewer(document[key], `/${key}`);
  const milestones = listAt(document, "milestones").map((value, index) => milestoneOf(value, `/milestones/${index}`));
  refuseTwice(
    milestones.map(({ id }) => id),
    "milestone",
    "/milestones",
  );
  const current = wordOrNull(document["current_milestone"], "/current_milestone");
  return {
    current: current === null ? null : (named(milestones, current)?.id ?? unknownMilestone(current)),
    milestones,
    artifacts: artifactsOf(listAt(document, "artifacts")),
  };
}

export function named(milestones: readonly Milestone[], word: string): Milestone | undefined {
  return milestones.find(({ id }) => id === word) ?? milestones.find(({ name }) => name === word);
}

function parse(text: string): ResultObject {
  let value: unknown;
  let twice: string | null;
  try {
    const json = openJson(text, "it", "");
    value = json.value;
    twice = repeatedKey(json.text, json.root);
  } catch (error) {
    if (error instanceof AppError) throw new StateUnclear(error.message.replace(/^it:/, "line "), "");
    throw error;
  }
  if (!isObject(value)) throw new StateUnclear("it is not an object", "");
  if (twice !== null) throw new StateUnclear("a key is there twice, and only one of them can be meant", twice);
  return value;
}

function refuseNewer(value: unknown, place: string): void {
  if (value === undefined || value === null || value === "") return;
  const version = typeof value === "string" ? value : JSON.stringify(value);
  const [, major] = /^\s*v?(\d+)(?:\.|\s*$)/i.exec(version) ?? [];
  if (major !== undefined && Number(major) <= newestVersion) return;
  throw new StateUnclear(`its version is ${quoted(version)}, and Pawl knows versions up to ${newestVersion}`, place);
}

function unknownMilestone(current: string): never {
  throw new StateUnclear(`its current milestone ${quoted(current)} is none of its milestones`, "/current_milestone");
}

function milestoneOf(value: unknown, place: string): Milestone {
  if (!isObject(value)) throw new StateUnclear("a milestone is not an object", place);
  const id = idOf(value["id"] ?? value["name"], `${place}/id`);
  const name = wordOrNull(value["name"] ?? value["title"], `${place}/name`) ?? id;
  const phases = listAt(value, "phases", place).map((phase, index) =>
    phaseId(idOf(isObject(phase) ? phase["id"] : phase, `${place}/phases/${index}`)),
  );
  refuseTwice(phases, "phase", `${place}/phases`);
  return { id, name, isComplete: isDone(value["status"]), phases };
}

function artifactsOf(list: readonly unknown[]): readonly Artifact[] {
  const found = list.flatMap((value, index) => {
    if (!isObject(value) || !isDone(value["status"])) return [];
    const place = `/artifacts/${index}`;
    const phase = value["phase"] ?? null;
    const artifact: Artifact = {
      type: plainWord(wordOrNull(value["type"], `${place}/type`) ?? "").replaceAll("_", "-"),
      milestone: wordOrNull(value["milestone"], `${place}/milestone`),
      phase: phase === null ? null : phaseId(idOf(phase, `${place}/phase`)),
      path: wordOrNull(value["path"], `${place}/path`) ?? "",
      place,
    };
    return [{ artifact, at: timeOf(value["created_at"]) }];
  });
  // Times order them only if all have one: skills append, so the order of the list is as good.
  if (found.some(({ at }) => Number.isNaN(at))) return found.map(({ artifact }) => artifact);
  return found.toSorted((a, b) => a.at - b.at).map(({ artifact }) => artifact);
}

/** A day alone is no time: midnight would be before everything else of that day. */
function timeOf(value: unknown): number {
  return typeof value === "string" && value.includes(":") ? Date.parse(value) : Number.NaN;
}

function refuseTwice(ids: readonly string[], what: string, place: string): void {
  const index = ids.findIndex((id, at) => ids.indexOf(id) < at);
  if (index >= 0) throw new StateUnclear(`${what} ${ids[index]} is there twice`, `${place}/${index}`);
}

function listAt(object: ResultObject, key: string, place = ""): readonly unknown[] {
  const value = object[key] ?? [];
  if (!Array.isArray(value)) throw new StateUnclear(`its ${key} are not a list`, `${place}/${key}`);
  return value as readonly unknown[];
}

/** A phase `1`, `"01"` and `"P1"` are the same. */
export function phaseId(text: string): string {
  const [, digits] = /^p?(\d+)$/i.exec(text.trim()) ?? [];
  return digits === undefined ? text.trim() : String(Number(digits));
}

function idOf(value: unknown, place: string): string {
  const text = typeof value === "number" || typeof value === "string" ? String(value).trim() : "";
  if (!safeId.test(text)) throw new StateUnclear(`${quoted(text)} is no id: letters, digits, dots, dashes`, place);
  return text;
}

function wordOrNull(value: unknown, place: string): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value !== "string" && typeof value !== "number") throw new StateUnclear("a word is expected", place);
  return String(value);
}

function isDone(status: unknown): boolean {
  return typeof status === "string" && ["complete", "completed", "done"].includes(plainWord(status));
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
