// The project that a lifecycle command means, and where its skills work: in a tree of the run's own, or in the project itself.

import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { realPath } from "../../system/files/paths.ts";
import { shellWord } from "../../system/process/words.ts";
import { git, splitNul } from "../../workspaces/git/git.ts";
import { inspectRepository, type RepositoryFacts, uncommittedFiles } from "../../workspaces/git/repository.ts";
import type { Application } from "../application.ts";

export interface LifecycleProject {
  readonly root: string;
  /** What a command needs to mean this project from the current folder: ` --dir DIR`, or nothing. */
  readonly flag: string;
}

/** The given folder; else the nearest one upwards that has `.workflow`, inside of its repository; else the current one. */
export function lifecycleProject(app: Application, dir: string | undefined): LifecycleProject {
  if (dir === undefined) return { root: realPath(nearest(app.cwd) ?? app.cwd), flag: "" };
  const root = app.path(dir);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory())
    throw new AppError("NOT_FOUND", `${dir} is not a folder`, { hint: "name the folder of the project with --dir" });
  return { root: realPath(root), flag: ` --dir ${shellWord(dir)}` };
}

function nearest(from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".workflow"))) return folder;
    if (existsSync(join(folder, ".git")) || folder === dirname(folder)) return null;
  }
}

export interface WorkPlace {
  readonly inPlace: boolean;
  readonly plainFolder: boolean;
  /** What the work starts from; absent: there is no commit. */
  readonly base?: string;
  /** What a person should know about it. */
  readonly note: string | null;
}

/**
 * `.workflow` says something about the code beside it, so the two are never apart: where git tracks it, the skills work in a tree of the
 * run's own that has both, else in the project itself.
 */
export async function workPlace({ root }: LifecycleProject, wantsInPlace: boolean): Promise<WorkPlace> {
  const facts = await repositoryAt(root);
  const why = noTreeFor(facts, root);
  if (facts === null || why !== null) return { inPlace: false, plainFolder: true, note: inProject(why, root) };
  // Where the project stands was read in the checkout: the tree starts from exactly that commit.
  const base = facts.head ?? "HEAD";
  if (wantsInPlace) return { inPlace: true, plainFolder: false, base, note: null };
  if (!(await isTracked(root)))
    return { inPlace: false, plainFolder: true, note: inProject("git does not track .workflow", root) };
  await assertCommitted(root);
  return { inPlace: false, plainFolder: false, base, note: null };
}

function inProject(why: string | null, root: string): string {
  return `${why ?? ""}: the skills work in ${root} itself, and nothing that they do is put back`;
}

async function repositoryAt(root: string): Promise<RepositoryFacts | null> {
  try {
    return await inspectRepository(root);
  } catch (error) {
    if (error instanceof AppError && error.code === "REPOSITORY_UNUSABLE") return null;
    throw error;
  }
}

function noTreeFor(facts: RepositoryFacts | null, root: string): string | null {
  if (facts === null || facts.isBare) return "this is not a git repository";
  if (facts.head === null) return "the repository has no commit yet";
  return realPath(facts.root) === root ? null : "this is not the top of its repository";
}

const ownFiles = ".workflow/.ralph/";

async function isTracked(root: string): Promise<boolean> {
  const { stdout } = await git(root, ["ls-files", "-z", "--", ".workflow"]);
  return splitNul(stdout).some((file) => !file.startsWith(ownFiles));
}

async function assertCommitted(root: string): Promise<void> {
  const dirty = (await uncommittedFiles(root)).filter(
    (file) => file.startsWith(".workflow/") && !file.startsWith(ownFiles),
  );
  if (dirty.length === 0) return await assertWhole(root);
  throw new AppError("REPOSITORY_DIRTY", `git tracks .workflow, and ${dirty[0]} is not committed`, {
    details: dirty.slice(0, 10),
    hint: "commit .workflow, so that the run's own tree has it, or work in the project itself with --in-place",
  });
}

/** Where git ignores a part of it, the tree of a run would stand elsewhere than the project. */
async function assertWhole(root: string): Promise<void> {
  const read = ["state.json", "roadmap.md", "scratch"].map((name) => `.workflow/${name}`);
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", ...read];
  const [ignored] = splitNul((await git(root, args)).stdout);
  if (ignored === undefined) return;
  throw new AppError("REPOSITORY_DIRTY", `git tracks .workflow, but ignores ${ignored}`, {
    hint: "let git track all of .workflow or none of it (git rm -r --cached .workflow), or work in the project itself with --in-place",
  });
}
