// The paths of the files in Dynamic Ralph's shared folder, and the patterns that hide them from git.

import { join, resolve } from "node:path";
import { AppError } from "../../domain/error.ts";
import { isSafeId, type StepId, type StoryId } from "../../domain/ids.ts";
import { folderPatterns } from "../files/folder.ts";
import { sidecarName } from "../files/sidecar.ts";

/** Files that belong to no single story. All paths are absolute. */
export interface Shared {
  readonly dir: string;
  readonly stateFile: string;
  readonly stateLock: string;
  readonly scratchFile: string;
  readonly scratchArchive: string;
  readonly editsDir: string;
  /** Requests that were not applied, kept for people to read. */
  readonly failedEdits: string;
  /** Says which run the files belong to. */
  readonly sidecarFile: string;
}

/** A copy of the state file that a run was imported from, since it has facts about steps that ran before. */
export const importedName = ".pawl-imported.json";

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
    sidecarFile: join(root, sidecarName),
  };
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

export function stepLogFile(shared: Shared, story: StoryId, step: StepId, attempt: number): string {
  return join(shared.dir, ...logName(story, step, attempt).split("/"));
}

/** The diff of a failed attempt. A later attempt of the same step does not overwrite it. */
export function failureDiff(shared: Shared, story: StoryId, step: StepId, attempt: number): string {
  return join(shared.dir, "failures", `${word(story)}-${word(step)}${attempt > 1 ? `-${attempt}` : ""}.diff`);
}

/** The diff of an attempt that requested a restart. */
export function restartDiff(shared: Shared, story: StoryId, step: StepId, attempt: number): string {
  return join(shared.dir, "restarts", `${word(story)}-${word(step)}-${attempt}.diff`);
}

/**
 * Patterns for git's exclude list. In the root of the repository, where Dynamic Ralph keeps its files, they name files rather than
 * whole folders, since a project may have its own `logs/`.
 */
export function excludePatterns(shared: Shared, repoRoot: string): readonly string[] {
  return folderPatterns(shared.dir, repoRoot, rootPatterns);
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

/** Checks an id that becomes part of a path. */
function word(id: string): string {
  if (isSafeId(id)) return id;
  throw new AppError("INPUT_INVALID", `${JSON.stringify(id.slice(0, 80))} cannot be part of a file name`, {
    hint: 'use letters, digits, ".", "_" and "-"',
  });
}
