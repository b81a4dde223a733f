// Repositories that an agent made inside of a tree. Git would leave out the files of one without a commit, and record of another one only a
// commit that no other repository has. Owns: making plain files of theirs. Submodules, and trees of a repository that lies elsewhere, stay.

import { lstatSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { readInside, within } from "../../system/files/inside.ts";
import { git, splitNul } from "../git/git.ts";
import { mayRecordRepositories } from "../git/index-file.ts";
import { porcelainStatus } from "../git/repository.ts";
import { type OwnedTree, ownedTree } from "./ownership.ts";
import { treeStatus } from "./status.ts";

/** One may lie in the other. */
const mostDepth = 10;

/** Moves the `.git` of each to where `aside` says. Returns their folders; none of a tree that Pawl did not make. */
export async function takeInNested(path: string, aside: (folder: string) => string): Promise<readonly string[]> {
  const tree = ownedTree(path);
  const taken: string[] = [];
  for (let depth = 0; tree !== null && depth < mostDepth; depth += 1) {
    const [loose, recorded] = await Promise.all([looseIn(tree), recordedIn(tree)]);
    const found = [...loose, ...recorded];
    if (found.length === 0) break;
    for (const folder of found) {
      mkdirSync(dirname(aside(folder)), { recursive: true, mode: 0o700 });
      within(tree.path, join(folder, ".git"), (from) => renameSync(from, aside(folder)));
    }
    const input = recorded.map((folder) => `${folder}\0`).join("");
    if (input !== "") await git(tree.path, ["update-index", "--force-remove", "-z", "--stdin"], { input });
    taken.push(...found);
  }
  return taken;
}

/** Of a folder that git does not have, a status names the folder alone; one of all files does so only where it is a repository. */
async function looseIn({ path }: OwnedTree): Promise<readonly string[]> {
  if (!mayHaveNested(path) || foldersIn(await treeStatus(path)).length === 0) return [];
  const names = foldersIn(await porcelainStatus(path, "--untracked-files=all"));
  return names.filter((name) => isRepository(path, name));
}

/** How many folders are looked at. To start git takes longer than that. */
const mostFolders = 1_000;

/** False: it has none. What others installed is ignored, and takes long to look at. */
function mayHaveNested(path: string): boolean {
  const open = [path];
  let seen = 0;
  for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
    for (const entry of foldersOf(dir)) {
      seen += 1;
      if (seen > mostFolders || (entry === ".git" && dir !== path)) return true;
      if (entry !== ".git" && entry !== "node_modules") open.push(join(dir, entry));
    }
  }
  return false;
}

function foldersOf(dir: string): readonly string[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    // It cannot be read, or is gone: git says what that means.
    return [];
  }
}

function foldersIn(status: string): readonly string[] {
  return splitNul(status).flatMap((entry) => /^\?\? (.+)\/$/s.exec(entry)?.[1] ?? []);
}

/** The folders of which an index records a commit. */
export async function recordedRepositories(
  path: string,
  index: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  if (!mayRecordRepositories(index)) return [];
  const { stdout } = await git(path, ["ls-files", "--stage", "-z"], { env });
  return splitNul(stdout).flatMap((entry) =>
    entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : [],
  );
}

async function recordedIn({ path, gitDir }: OwnedTree): Promise<readonly string[]> {
  const names = await recordedRepositories(path, join(gitDir, "index"));
  if (names.length === 0) return [];
  const modules = readInside(path, ".gitmodules") ?? "";
  const isModule = (name: string) => modules.split("\n").some((line) => line.trim() === `path = ${name}`);
  return names.filter((name) => isRepository(path, name) && !isModule(name));
}

/** A `.git` that is a file leads to a repository elsewhere. */
function isRepository(path: string, name: string): boolean {
  return lstatSync(join(path, name, ".git"), { throwIfNoEntry: false })?.isDirectory() === true;
}
