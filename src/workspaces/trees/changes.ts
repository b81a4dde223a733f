// Changes of a run. Owns: which files changed since a base, and whether people see them in a browser.

import { extname } from "node:path";
import { readInside } from "../../system/files/inside.ts";
import { git, splitNul } from "../git/git.ts";
import { notInside } from "../git/repository.ts";
import { filesOfSnapshot, headIn, parseSnapshot, treeOf } from "./snapshot.ts";

const frontendEndings = new Set([
  ".html",
  ".htm",
  ".css",
  ".scss",
  ".sass",
  ".less",
  ".styl",
  ".tsx",
  ".jsx",
  ".vue",
  ".svelte",
  ".astro",
  ".hbs",
  ".ejs",
  ".pug",
]);

const timeoutMs = 9_000;

export interface Change {
  readonly path: string;
  readonly kind: "added" | "deleted" | "changed";
}

/** What differs between two commits, each path once. */
export async function changesBetween(repo: string, from: string, to: string): Promise<readonly Change[]> {
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--name-status", from, to, "--"];
  const words = splitNul((await git(repo, args)).stdout);
  const kinds: Record<string, Change["kind"]> = { A: "added", D: "deleted" };
  return words.flatMap((word, index) =>
    index % 2 === 0 ? [{ kind: kinds[word] ?? "changed", path: words[index + 1] ?? "" }] : [],
  );
}

export interface ChangedFile extends Change {
  /** Git had it before, committed or staged. */
  readonly wasInGit: boolean;
}

/** Files that differ between two snapshots of a tree. */
export async function changedBetween(path: string, before: string, after: string): Promise<readonly ChangedFile[]> {
  const changes = await changesBetween(path, filesOfSnapshot(before), filesOfSnapshot(after));
  const untracked = changes.every(isAdded) ? new Set<string>() : await untrackedIn(path, before);
  return changes.map((change) => ({ ...change, wasInGit: !isAdded(change) && !untracked.has(change.path) }));
}

/** Files of a snapshot that were neither committed nor staged. */
export async function untrackedIn(path: string, snapshot: string): Promise<ReadonlySet<string>> {
  const { head, content } = parseSnapshot(snapshot);
  if (content === null) return new Set();
  const uncommitted = await addedBetween(path, head, content);
  const staged = uncommitted.length === 0 ? null : await stagedIn(path, content);
  const tracked = new Set(staged === null ? [] : await addedBetween(path, head, staged));
  return new Set(uncommitted.filter((name) => !tracked.has(name)));
}

async function addedBetween(path: string, from: string, to: string): Promise<readonly string[]> {
  return (await changesBetween(path, from, to)).filter(isAdded).map((change) => change.path);
}

function isAdded({ kind }: Change): boolean {
  return kind === "added";
}

/** The second parent of a snapshot has what was staged. */
async function stagedIn(path: string, content: string): Promise<string | null> {
  const asked = await git(path, ["rev-parse", "--verify", "--quiet", `${content}^2`], { allowFailure: true });
  return asked.code === 0 ? asked.stdout.trim() : null;
}

const mostUntracked = 500;

/** Files that differ from a snapshot now, committed or not. None if git cannot say it. */
export async function changedSince(path: string, base: string): Promise<readonly string[]> {
  const { head, content } = parseSnapshot(base);
  try {
    const before = content ?? head;
    const [changed, untracked] = await Promise.all([
      git(path, ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", notInside, before, "--"], { timeoutMs }),
      git(path, ["ls-files", "--others", "--exclude-standard", "-z"], { timeoutMs }),
    ]);
    // Git compares no files that it does not track: of those that were there before, it knows only the names.
    const others = splitNul(untracked.stdout).slice(0, mostUntracked);
    const args = ["ls-tree", "-z", "--name-only", before, "--", ...others];
    const old = others.length === 0 ? [] : splitNul((await git(path, args, { timeoutMs })).stdout);
    const tracked = splitNul(changed.stdout).filter((name) => !others.includes(name));
    return [...tracked, ...others.filter((name) => !old.includes(name))].toSorted();
  } catch {
    return [];
  }
}

const mostAdded = 4 * 1024 * 1024;

/** The lines that were added since a snapshot, in all files, up to 4 MiB of them; null if git cannot say it. */
export async function addedSince(path: string, base: string): Promise<string | null> {
  const { head, content } = parseSnapshot(base);
  const how = [
    "--unified=0",
    "--no-color",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--submodule=short",
    notInside,
  ];
  try {
    const [diff, untracked] = await Promise.all([
      git(path, ["diff", ...how, content ?? head, "--"], { timeoutMs }),
      git(path, ["ls-files", "--others", "--exclude-standard", "-z"], { timeoutMs }),
    ]);
    let added = diff.stdout
      .split("\n")
      .flatMap((line) => (line.startsWith("+") && !line.startsWith("+++ ") ? [line.slice(1)] : []))
      .join("\n");
    for (const name of splitNul(untracked.stdout)) {
      if (added.length > mostAdded) break;
      added += `\n${textOf(path, name)}`;
    }
    return added.slice(0, mostAdded);
  } catch {
    return null;
  }
}

/** Empty for what is not a text that can be read at once. */
function textOf(root: string, name: string): string {
  try {
    return readInside(root, name, mostAdded) ?? "";
  } catch {
    return "";
  }
}

/** The files of a tree, by the id that `treeOf` gave them, that are different now. None if git cannot say it. */
export async function changedSinceTree(path: string, tree: string): Promise<readonly string[]> {
  try {
    const args = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", tree, await treeOf(path), "--"];
    return splitNul((await git(path, args, { timeoutMs })).stdout);
  } catch {
    return [];
  }
}

/** True if a file that people see in a browser changed since the base, committed or not. False if git cannot say it. */
export async function hasFrontendChanges(path: string, base: string): Promise<boolean> {
  try {
    const commit = headIn(base);
    const [changed, untracked] = await Promise.all([
      git(path, ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", notInside, commit, "--"], { timeoutMs }),
      git(path, ["ls-files", "--others", "--exclude-standard", "-z"], { timeoutMs }),
    ]);
    return splitNul(changed.stdout + untracked.stdout).some((name) => frontendEndings.has(extname(name).toLowerCase()));
  } catch {
    return false;
  }
}
