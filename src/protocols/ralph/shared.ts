// The shared folder of Dynamic Ralph: where its files lie, and what git must not see of them.

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
  /** Requests that were not applied, kept for people to see. */
  readonly failedEdits: string;
  /** Says which run the files belong to. */
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

/** What a failed attempt left in its tree; a later one of the same step does not write over it. */
export function failureDiff(shared: Shared, story: StoryId, step: StepId, attempt: number): string {
  return join(shared.dir, "failures", `${word(story)}-${word(step)}${attempt > 1 ? `-${attempt}` : ""}.diff`);
}

/** What an attempt left that asked to start anew. */
export function restartDiff(shared: Shared, story: StoryId, step: StepId, attempt: number): string {
  return join(shared.dir, "restarts", `${word(story)}-${word(step)}-${attempt}.diff`);
}

/**
 * Patterns for git's exclude list. In the root of the repository, where the seed has its files, they name our files and not whole
 * folders: a project may have a `logs/` of its own.
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

/** An id that becomes part of a path. */
function word(id: string): string {
  if (isSafeId(id)) return id;
  throw new AppError("INPUT_INVALID", `${JSON.stringify(id.slice(0, 80))} cannot be part of a file name`, {
    hint: 'use letters, digits, ".", "_" and "-"',
  });
}
