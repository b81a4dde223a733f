// The context of a session: the folders and counts that its barriers left, read from the artifacts of the phase after each skill.

import type { StoryId } from "../../../domain/ids.ts";
import type { Facts, Json } from "../../../domain/report.ts";
import { artifactDir } from "../standing/artifact-dir.ts";
import type { PhaseStory } from "../standing/phase-story.ts";
import type { ProjectFolder } from "../standing/project-folder.ts";
import { type Artifact, named, readProjectState } from "../standing/project-state.ts";
import { readCsv } from "../waves/csv.ts";
import { isRecord } from "../waves/wave.ts";
import { tableOf } from "../waves/wave-csv.ts";
import type { SessionLog } from "./session-log.ts";

export interface SessionContext {
  readonly plan_dir: string | null;
  readonly analysis_dir: string | null;
  readonly brainstorm_dir: string | null;
  /** The gaps that the analysis names. */
  readonly gaps?: readonly string[];
  readonly task_count?: number;
  readonly exec_status?: string;
  readonly spec_session_id?: string;
}

const nothing: SessionContext = { plan_dir: null, analysis_dir: null, brainstorm_dir: null };

/** As the last skills left it. What is about a phase stays until the next phase begins. */
export function contextIn({ ends, waves }: Pick<SessionLog, "ends" | "waves">): SessionContext {
  let of: StoryId | null = null;
  let project: Facts = {};
  let phase: Facts = {};
  const attempts = waves.flatMap(({ story, rows }) => rows.map(({ attempt }) => ({ story, attempt })));
  for (const { attempt, story } of attempts) {
    const context = attempt === null ? undefined : ends.get(attempt)?.facts["context"];
    if (story !== null && story !== of) phase = {};
    of = story ?? of;
    if (!isRecord(context)) continue;
    const known = Object.entries(context).filter(([, value]) => value !== null);
    const isOfProject = ([key]: readonly [string, unknown]) => projectKeys.includes(key);
    project = { ...project, ...Object.fromEntries(known.filter(isOfProject)) };
    phase = { ...phase, ...Object.fromEntries(known.filter((entry) => !isOfProject(entry))) };
  }
  return { ...nothing, ...phase, ...project };
}

const projectKeys = ["brainstorm_dir", "spec_session_id"];

/** What the files say now. A file that is missing or cannot be read says nothing. */
export function readSessionContext(folder: ProjectFolder, at: PhaseStory | null): Facts {
  const brainstorm = newestOf(folder, ".workflow/.brainstorming");
  const specs = newestOf(folder, ".workflow/specs") ?? newestOf(folder, ".workflow/.spec");
  return {
    plan_dir: null,
    analysis_dir: null,
    brainstorm_dir: brainstorm === null ? null : `.workflow/.brainstorming${brainstorm === "" ? "" : `/${brainstorm}`}`,
    ...(specs === null || specs === "" ? {} : { spec_session_id: specs }),
    ...phaseContext(folder, at),
  };
}

/** The folder of the newest artifact that a stage, or any (null), left in its phase; null: there is none. */
export function artifactOf(folder: ProjectFolder, at: PhaseStory | null, stage: string | null): string | null {
  return dirsOf(folder, at)(stage);
}

function phaseContext(folder: ProjectFolder, at: PhaseStory | null): Facts {
  const dir = dirsOf(folder, at);
  const [analysis, plan, execution] = [dir("analyze"), dir("plan"), dir("execute")];
  const found: Record<string, Json> = {};
  if (analysis !== null) {
    found["analysis_dir"] = analysis;
    found["gaps"] = gapsIn(textOf(folder, `${analysis}/context.md`));
  }
  if (plan !== null) {
    found["plan_dir"] = plan;
    const count = tasksIn(textOf(folder, `${plan}/plan.json`));
    if (count !== null) found["task_count"] = count;
  }
  const status = execution === null ? null : statusIn(textOf(folder, `${execution}/results.csv`));
  if (status !== null) found["exec_status"] = status;
  return found;
}

/** The folder of the newest completed artifact of a type. */
function dirsOf(folder: ProjectFolder, at: PhaseStory | null): (type: string | null) => string | null {
  if (at === null) return () => null;
  try {
    const text = folder.text(".workflow/state.json");
    if (text === null) return () => null;
    const { artifacts, milestones } = readProjectState(text);
    const isOwn = ({ milestone, phase }: Artifact) =>
      phase === at.phase && milestone !== null && (named(milestones, milestone)?.id ?? milestone) === at.milestone;
    const own = artifacts.filter(isOwn);
    return (type) => {
      const newest = own.findLast((artifact) => type === null || artifact.type === type);
      return newest === undefined ? null : artifactDir(folder, newest).dir;
    };
  } catch {
    return () => null;
  }
}

const mostGaps = 50;

/** The list below a heading about gaps. */
function gapsIn(text: string | null): readonly string[] {
  const gaps: string[] = [];
  let isBelow = false;
  for (const line of (text ?? "").split(/\r?\n/)) {
    const [, heading] = /^#{1,6}\s+(.*)$/.exec(line) ?? [];
    if (heading !== undefined) isBelow = /\bgaps?\b/i.test(heading);
    const [, item] = /^\s*(?:[-*]|\d+[.)])\s+(.+)$/.exec(line) ?? [];
    if (isBelow && item !== undefined && gaps.length < mostGaps) gaps.push(item.trim().slice(0, 500));
  }
  return gaps;
}

/** Null: the plan does not list its tasks. */
function tasksIn(text: string | null): number | null {
  try {
    const plan: unknown = text === null ? null : JSON.parse(text);
    if (typeof plan !== "object" || plan === null) return null;
    const fields: Readonly<Record<string, unknown>> = { ...plan };
    const list = [fields["tasks"], fields["task_ids"], fields["waves"]].find((value) => Array.isArray(value));
    if (Array.isArray(list) && list !== fields["waves"]) return list.length;
    const count = fields["task_count"];
    return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : null;
  } catch {
    return null;
  }
}

/** `completed`, or how many rows are. */
function statusIn(text: string | null): string | null {
  const read = text === null ? null : readCsv(text);
  const table = read?.kind === "rows" ? tableOf(read) : null;
  if (table === null || table.rows.length === 0) return null;
  const done = table.rows.filter((row) => row["status"]?.trim().toLowerCase() === "completed").length;
  return done === table.rows.length ? "completed" : `${done} of ${table.rows.length} completed`;
}

/** The name of the newest folder in a folder; empty: it has none; null: there is no such folder. */
function newestOf(folder: ProjectFolder, path: string): string | null {
  if (!folder.isDirectory(path)) return null;
  return [...folder.directories(path)].toSorted().at(-1) ?? "";
}

function textOf(folder: ProjectFolder, file: string): string | null {
  try {
    return folder.text(file);
  } catch {
    return null;
  }
}
