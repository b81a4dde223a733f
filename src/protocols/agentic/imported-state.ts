// Reads a STATE.json that another orchestrator wrote, so that its story goes on where it was.

import type { StepDefinition } from "../../domain/definition.ts";
import { AppError } from "../../domain/error.ts";
import { isSafeId, type StoryId, stepId, storyId } from "../../domain/ids.ts";
import type { AdoptedStep, AdoptedStory, StorySpec } from "../../domain/story.ts";
import { openJson } from "../files/json-places.ts";
import { isNothing, reasonOfWord, statusOfWord, stepOfWord } from "./aliases.ts";
import { stateFields } from "./found-state.ts";

export interface ImportRequest {
  /** What messages call the file. */
  readonly file: string;
  /** The steps of the effective table. */
  readonly body: readonly StepDefinition[];
  /** Stories that the project knows. */
  readonly known: readonly StoryId[];
  readonly now: number;
  /** Also where another orchestrator left the story in `running`. */
  readonly takeOver: boolean;
}

export interface ImportedProject {
  readonly project: string;
  /** null: no story was chosen. */
  readonly story: { readonly spec: StorySpec; readonly adopted: AdoptedStory } | null;
  /** What a person said, for the next session; null: nothing. */
  readonly humanNote: string | null;
  /** For the person who continues. */
  readonly notes: readonly string[];
}

/** Steps of other versions of the protocol, and the step of this table that a story goes on with; null: its first one. */
const foreignSteps: Readonly<Record<string, string | null>> = {
  bootstrap: null,
  custom: null,
  // Everything before it is done, and Pawl commits by itself.
  commit: "update-memory",
};

export function importStory(text: string, request: ImportRequest): ImportedProject {
  const { file, body, now, takeOver } = request;
  const hint = "correct it, move it away, or name another project with --dir";
  const { value } = openJson(text, file, hint);
  const fields = stateFields(text);
  if (fields === null) {
    const keys = typeof value === "object" && value !== null ? Object.keys(value).slice(0, 6).join(", ") : "";
    const what = `is not of this protocol (it has ${keys || "no fields"}); nothing was changed`;
    throw new AppError("REFUSED", `${file} ${what}`, { hint: "use --dir or move it" });
  }
  const refuse = (what: string) => new AppError("INPUT_INVALID", `${file}: ${what}`, { hint });
  const project = textIn(fields["project"]) ?? "";
  const humanNote = textIn(fields["human_note"]);
  const id = textIn(fields["story"]);
  if (id === null) return { project, story: null, humanNote, notes: [] };
  if (!isSafeId(id)) throw refuse(`story "${id}" is not an id of letters, digits, dots, dashes and underscores`);
  const status = statusIn(fields["status"]);
  if (status === null) throw refuse(`status ${JSON.stringify(fields["status"])} is not a status of this protocol`);
  if (status === "running" && !takeOver) assertOver(fields, file, now);
  const table = body.filter(({ kind, spare }) => kind !== "integrate" && spare !== true);
  const step = stepOfWord(
    textIn(fields["step"]) ?? "",
    table.map(({ name }) => name),
  );
  const shown = table.findIndex(({ name }) => name === step);
  if (shown < 0 && step !== "done" && !Object.hasOwn(foreignSteps, step))
    throw refuse(`step "${step}" is not in the table; it has ${table.map(({ name }) => name).join(", ")} and done`);
  const { dependsOn, unknown } = dependencies(fields["blocked_by"], request.known);
  const story = storyId(id);
  const spec = { id: story, title: id, description: "", acceptanceCriteria: [], dependsOn };
  const isStuck =
    status === "failing" &&
    table[shown]?.kind !== "gate" &&
    Number(fields["attempt"]) >= Number(fields["max_attempts"]);
  const reason = reasonOfWord(textIn(fields["reason"]) ?? "");
  const routed = status === "failing" && !isStuck ? routeOf(table[shown], reason) : null;
  const to = shown < 0 ? foreignSteps[step] : routed;
  const target = table.findIndex(({ name }) => name === to);
  const at = target < 0 ? shown : target;
  const notes = notesFor({
    file,
    id,
    step,
    status,
    reason,
    goesOn: table[at]?.name ?? table[0]?.name ?? "",
    isForeign: shown < 0,
    unknown,
    attempt: fields["attempt"],
  });
  if (step === "done")
    return { project, story: { spec, adopted: { id: story, status: "done", chain: [] } }, humanNote, notes };
  const place = { at, shown, isPassed: status === "pass" && shown >= 0, isStuck, attempts: attemptsIn(fields) };
  const chain = at < 0 ? [] : table.map(({ name, title }, index) => adoptedStep({ ...place, name, title, index }));
  return {
    project,
    story: { spec, adopted: { id: story, status: isStuck ? "failed" : "waiting", chain } },
    humanNote,
    notes,
  };
}

/** Where a failure leads, also one that a person has said at a review; null: to the same step. */
function routeOf(definition: StepDefinition | undefined, reason: string | null): string | null {
  if (definition === undefined || definition.kind === "stories") return null;
  const route =
    definition.kind === "gate"
      ? (definition.options[`reject:${reason}`] ?? definition.options["reject"])
      : (definition.on[`rejected:${reason}`] ?? definition.on.rejected)?.route;
  return route !== undefined && (route.to === "back_to" || route.to === "go_to") ? route.step : null;
}

type Status = "pending" | "running" | "pass" | "failing" | "needs_human" | "timeout";

function statusIn(value: unknown): Status | null {
  const word = textIn(value)?.toLowerCase() ?? "";
  if (word === "pending" || word === "running" || word === "timeout") return word;
  return statusOfWord(word);
}

/** Another orchestrator may be at work. */
function assertOver(fields: Readonly<Record<string, unknown>>, file: string, now: number): void {
  const begun = Date.parse(textIn(fields["dispatched_at"]) ?? "");
  const minutes = Number(fields["timeout_min"] ?? 0);
  if (!Number.isFinite(begun) || !Number.isFinite(minutes) || now >= begun + minutes * 60_000) return;
  const left = Math.ceil((begun + minutes * 60_000 - now) / 60_000);
  throw new AppError("REFUSED", `${file} says that a session is at work for another ${left} min; nothing was changed`, {
    hint: "wait until it ends, or `pawl project continue --take-over`",
  });
}

interface StepPlace {
  readonly name: StepDefinition["name"];
  readonly title: string;
  readonly index: number;
  /** The step that the story goes on at. */
  readonly at: number;
  /** The step that the file shows; -1: it is not in the table. */
  readonly shown: number;
  /** The file says that it passed. */
  readonly isPassed: boolean;
  readonly isStuck: boolean;
  /** Of the step that the file shows. */
  readonly attempts: number;
}

function adoptedStep({ name, title, index, at, shown, isPassed, isStuck, attempts }: StepPlace): AdoptedStep {
  const isDone = index < at || (index === at && isPassed);
  const isFailed = index === at && isStuck;
  return {
    id: stepId(name),
    name,
    description: title,
    state: isDone ? "done" : isFailed ? "failed" : "waiting",
    reason: isFailed ? "its attempts were used up before it was imported" : "",
    notes: "",
    restarts: 0,
    ...(index === shown && attempts > 0 ? { attempts } : {}),
  };
}

/** Sessions of the step that there were; one that is pending has not begun. */
function attemptsIn({ attempt, status }: Readonly<Record<string, unknown>>): number {
  if (typeof attempt !== "number" || !Number.isSafeInteger(attempt) || attempt < 1) return 0;
  return status === "pending" ? attempt - 1 : attempt;
}

function dependencies(value: unknown, known: readonly StoryId[]) {
  const given = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  const dependsOn = known.filter((id) => given.includes(id));
  return { dependsOn, unknown: given.filter((id) => !dependsOn.some((other) => other === id)) };
}

interface Imported {
  readonly file: string;
  readonly id: string;
  readonly step: string;
  readonly status: Status;
  readonly reason: string | null;
  readonly goesOn: string;
  readonly isForeign: boolean;
  readonly unknown: readonly string[];
  readonly attempt: unknown;
}

function notesFor(imported: Imported): readonly string[] {
  const { file, id, step, status, reason, goesOn, isForeign, unknown, attempt } = imported;
  if (step === "done") return [`${id} is done according to ${file}`];
  const isPassed = status === "pass" && !isForeign;
  return [
    `${file} was found: ${id} goes on ${isPassed ? `after ${step}` : `at ${goesOn}`}`,
    ...(isForeign ? [`step ${step} is not in this project's table; the story goes on at ${goesOn}`] : []),
    ...(!isForeign && !isPassed && goesOn !== step
      ? [`${step} failed${reason === null ? "" : ` (${reason})`}, which leads to ${goesOn}`]
      : []),
    ...(status === "running" ? ["its last session was left running; it is dispatched again"] : []),
    ...(status === "needs_human" && step !== "review" ? [`it was waiting for a person at ${step}`] : []),
    ...(typeof attempt === "number" && attempt > 1 ? [`${attempt} attempts were made before; limits count anew`] : []),
    ...(unknown.length > 0
      ? [`it is blocked by ${unknown.join(", ")}, which this project does not have: that is not waited for`]
      : []),
  ];
}

function textIn(value: unknown): string | null {
  return typeof value === "string" && !isNothing(value) ? value : null;
}
