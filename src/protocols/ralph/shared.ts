// The shared folder. Owns: where Dynamic Ralph's files lie, what git must not see of them, and the note that says whose they are.

import { join, relative, resolve, sep } from "node:path";
import { AppError } from "../../domain/error.ts";
import { isSafeId, type RunId, runId, type StepId, type StoryId } from "../../domain/ids.ts";
import { realPath } from "../../system/files/paths.ts";
import { readOptional } from "../../system/files/text.ts";
import { writeWhole } from "../../system/files/whole-file.ts";

/** Files that belong to no single story. All paths are absolute. */
export interface Shared {
  readonly dir: string;
  readonly stateFile: string;
  readonly stateLock: string;
  readonly scratchFile: string;
  readonly scratchArchive: string;
  readonly editsDir: string;
  /** Requests of steps that failed: not applied, and kept for whoever wants to know. */
  readonly failedEdits: string;
  /** Ours, not the seed's: see `Sidecar`. */
  readonly sidecarFile: string;
}

export function sharedIn(dir: string): Shared {
  const root = resolve(dir);
  const editsDir = join(root, "workflow_edits");
  return {
    dir: root,
    stateFile: join(root, "workflow_state.json"),
    stateLock: join(root, "workflow_state.json.lock"),
    scratchFile: join(root, "scratch.md"),
    scratchArchive: join(root, "scratch_archive"),
    editsDir,
    failedEdits: join(editsDir, "failed"),
    sidecarFile: join(root, ".pawl.json"),
  };
}

/** Where they lie when nobody says otherwise; the repository's root is the layout of the seed. */
export function defaultSharedDir(repo: string): string {
  return join(repo, ".pawl", "ralph");
}

export function storyScratch(shared: Shared, story: StoryId): string {
  return join(shared.dir, `scratch_${word(story)}.md`);
}

export function editFile(shared: Shared, story: StoryId): string {
  return join(shared.editsDir, `${word(story)}.json`);
}

/** As the state file names it: relative to the shared folder, with slashes. */
export function logName(story: StoryId, step: StepId, attempt: number): string {
  return `logs/${word(story)}/${word(step)}${attempt > 1 ? `.${attempt}` : ""}.jsonl`;
}

export function logFile(shared: Shared, story: StoryId, step: StepId, attempt: number): string {
  return join(shared.dir, ...logName(story, step, attempt).split("/"));
}

/** What a failed attempt left in its tree; a later one of the same step does not write over it. */
export function failureDiff(shared: Shared, story: StoryId, step: StepId, attempt: number): string {
  return join(shared.dir, "failures", `${word(story)}-${word(step)}${attempt > 1 ? `-${attempt}` : ""}.diff`);
}

/** What an attempt left that asked to start anew. */
export function restartDiff(shared: Shared, story: StoryId, step: StepId, attempt: number): string {
  return join(shared.dir, "restarts", `${word(story)}-${word(step)}-${attempt}.diff`);
}

/**
 * Patterns for git's exclude list, `[]` for a folder outside the repository. Git reads that list for every tree of the
 * repository, so in its root they name our files and not whole folders: a project may have a `logs/` of its own.
 */
export function excludePatterns(shared: Shared, repoRoot: string): readonly string[] {
  const path = relative(realPath(repoRoot), realPath(shared.dir));
  if (path === "") return rootPatterns;
  if (path === ".." || path.startsWith(`..${sep}`) || resolve(path) === path) return [];
  return [`/${path.split(sep).map(literally).join("/")}/`];
}

const rootPatterns = [
  "/workflow_state.*",
  "/scratch.md",
  "/scratch.md.*",
  "/scratch_*.md",
  "/scratch_*.md.*",
  "/scratch_archive/",
  "/workflow_edits/",
  "/logs/*/*.jsonl",
  "/failures/*.diff",
  "/restarts/*.diff",
  "/.pawl.json",
  "/.pawl.json.*",
  "/.pawl-*.json",
];

/** Which run writes the files of this folder, and how many events of its log they show. */
export interface Sidecar {
  readonly run: RunId;
  readonly projected: number;
}

/** Null when no run has used the folder. */
export function readSidecar(shared: Shared): Sidecar | null {
  const text = readOptional(shared.sidecarFile);
  if (text === null) return null;
  const { run, projected } = fieldsOf(text);
  if (typeof run === "string" && isSafeId(run) && Number.isSafeInteger(projected))
    return { run: runId(run), projected: projected as number };
  throw new AppError("INPUT_INVALID", `${shared.sidecarFile} does not say which run uses this folder`, {
    hint: "remove it if no run of Pawl uses the folder, or choose another folder with --shared",
  });
}

export function writeSidecar(shared: Shared, { run, projected }: Sidecar): void {
  writeWhole(shared.sidecarFile, `${JSON.stringify({ run, projected })}\n`);
}

/** An id that becomes part of a path. */
function word(id: string): string {
  if (isSafeId(id)) return id;
  throw new AppError("INPUT_INVALID", `${JSON.stringify(id.slice(0, 80))} cannot be part of a file name`, {
    hint: 'use letters, digits, ".", "_" and "-"',
  });
}

/** A name as a pattern that means only that name. A line break cannot be written in one, so any character stands for it. */
function literally(name: string): string {
  return name.replace(/[\\*?[\]]|\s$/g, "\\$&").replace(/[\r\n]/g, "?");
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
