// Finds the project that a command means: the folder that has `.ai/`, and what was chosen for it.

import { existsSync, lstatSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { type ProjectSettings, projectSettings } from "../../protocols/agentic/project-settings.ts";
import { realPath } from "../../system/files/paths.ts";
import { shellWord } from "../../system/process/words.ts";
import { inspectRepository } from "../../workspaces/git/repository.ts";
import type { Application } from "../application.ts";

export interface ProjectPlace extends ProjectSettings {
  readonly root: string;
  /** The folder `.ai/` of the project. */
  readonly ai: string;
  /** What a command needs to mean this project from the current folder: ` --dir DIR`, or nothing. */
  readonly flag: string;
}

/** The given folder; else the nearest one upwards that has `.ai/`, else the repository, else the current one. */
export async function projectPlace(app: Application, dir: string | undefined): Promise<ProjectPlace> {
  const named = dir === undefined ? (nearest(app.cwd) ?? (await repositoryOf(app.cwd))) : existing(app.path(dir), dir);
  // Two paths to one folder are one project.
  const root = realPath(named);
  const ai = join(root, ".ai");
  assertOwnFolder(ai);
  return { root, ai, flag: flagFor(app, dir, root), ...projectSettings(ai, basename(root)) };
}

function flagFor(app: Application, dir: string | undefined, root: string): string {
  if (dir === undefined || realPath(nearest(app.cwd) ?? app.cwd) === realPath(root)) return "";
  return ` --dir ${shellWord(dir)}`;
}

/** The same for commands that need `.ai/`. */
export async function projectAt(app: Application, dir: string | undefined): Promise<ProjectPlace> {
  const place = await projectPlace(app, dir);
  if (existsSync(place.ai)) return place;
  throw new AppError("NOT_FOUND", `${place.root} has no .ai/ folder`, {
    hint: "`pawl project init` sets it up; `--dir DIR` names another project",
  });
}

/** A repository may come with a link instead of the folder. What Pawl writes would then be in a place that nobody chose. */
function assertOwnFolder(ai: string): void {
  const found = lstatSync(ai, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return;
  const what = found.isSymbolicLink() ? "a link" : "no folder";
  throw new AppError("REFUSED", `${ai} is ${what}; nothing was read or written`, {
    hint: "a project needs a folder of its own there: remove it, then `pawl project init`",
  });
}

function nearest(from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".ai"))) return folder;
    if (folder === dirname(folder)) return null;
  }
}

async function repositoryOf(cwd: string): Promise<string> {
  try {
    const { root, isBare } = await inspectRepository(cwd);
    return isBare ? cwd : root;
  } catch (error) {
    // The prompts of level 0 need no repository.
    if (error instanceof AppError) return cwd;
    throw error;
  }
}

function existing(path: string, given: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new AppError("NOT_FOUND", `${given} is not a folder`, { hint: "name the folder of the project with --dir" });
}
