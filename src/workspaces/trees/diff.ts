// Diffs for people and programs. Owns: what differs between two commits, or between a commit and a tree as it is now, within limits. It
// changes nothing: no index, no lock, no object, and no program of the repository's configuration runs.

import { type GitOptions, git, gitLine, splitNul } from "../git/git.ts";
import { DiffTextCutter } from "./diff-text.ts";
import { lookAtTree } from "./snapshot.ts";

export type FileStatus = "added" | "changed" | "removed" | "renamed";

export interface DiffFile {
  readonly path: string;
  readonly status: FileStatus;
  /** The path before, of a file that was renamed. */
  readonly from?: string;
  /** Lines; 0 for a binary file. */
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
  /** Something of its text is left out. */
  readonly isCut?: true;
}

/** A file with the number of its sections in the text: one, or two where a file became a link. */
export interface ListedFile extends DiffFile {
  readonly sections: number;
}

export interface DiffLimits {
  readonly maxTextBytes: number;
  /** Of each file, so that a huge one does not hide the others. Absent: no limit of its own. */
  readonly maxFileBytes?: number;
  readonly maxFiles: number;
}

export const usualDiffLimits: DiffLimits = { maxTextBytes: 2 * 1024 * 1024, maxFiles: 5_000 };
/** For a page, which shows file by file. */
export const pageDiffLimits: DiffLimits = { ...usualDiffLimits, maxFileBytes: 256 * 1024 };

export interface Diff {
  /** In the order of git, at most `maxFiles` of them. */
  readonly files: readonly DiffFile[];
  /** Of all files, also those that are left out. */
  readonly total: { readonly files: number; readonly added: number; readonly removed: number };
  /** As `git diff` prints it, without the contents of binary files; it ends with a whole line. */
  readonly text: string;
  readonly cut: { readonly files: boolean; readonly text: boolean };
}

/** Rename detection costs a comparison for each pair of files; above this many git compares none. */
const mostRenames = 1_000;
const how = ["-r", `-M`, `-l${mostRenames}`, "--no-ext-diff", "--no-textconv", "--no-color"];
// The plumbing ignores settings of the user for the format, but for those that rename detection and these prefixes have.
const format = ["-p", "--src-prefix=a/", "--dst-prefix=b/"];
export const timeoutMs = 60_000;
/** The list of files is read whole: a name has at most 4 KiB, and no tree has more files than this has room for. */
export const maxListBytes = 256 * 1024 * 1024;
/** How much of a text is read where files are cut one by one. */
export const maxReadBytes = 256 * 1024 * 1024;

/** Between two commits or trees. */
export async function diffBetween(repo: string, from: string, to: string, limits = usualDiffLimits): Promise<Diff> {
  return await compare(repo, [from, to], limits);
}

/** Between a commit and the files at `path` as they are now, committed or not, without those that git ignores. */
export async function diffWithTree(path: string, from: string, limits = usualDiffLimits): Promise<TreeDiff> {
  return await lookAtTree(path, async ({ id, env }) => ({
    ...(await compare(path, [from, id], limits, env)),
    tree: id,
  }));
}

export interface TreeDiff extends Diff {
  /** The id of the files that were compared. */
  readonly tree: string;
}

async function compare(
  cwd: string,
  ends: readonly string[],
  { maxTextBytes, maxFileBytes, maxFiles }: DiffLimits,
  env: GitOptions["env"] = {},
): Promise<Diff> {
  const asked = { env, timeoutMs };
  // One after the other: both compare the same files, and on a cold disk the second finds them in memory.
  const list = await git(cwd, ["diff-tree", ...how, "--raw", "--numstat", "-z", ...ends, "--"], {
    ...asked,
    maxOutputBytes: maxListBytes,
  });
  const files = filesIn(list.stdout);
  const cutter = maxFileBytes === undefined ? null : new DiffTextCutter({ maxFileBytes, maxReadBytes });
  // Letters beyond ASCII are shown as they are; control characters and quotes in names stay quoted.
  const printed = await git(cwd, ["-c", "core.quotePath=false", "diff-tree", ...how, ...format, ...ends, "--"], {
    ...asked,
    maxOutputBytes: maxTextBytes,
    cutsOutput: true,
    ...(cutter === null ? {} : { keeps: (chunk: Buffer) => cutter.take(chunk) }),
  });
  const isTextCut = printed.isCut === true;
  if (cutter === null) return limitedDiff(files.map(asFile), printed.stdout, { maxFiles, isTextCut });
  const text = `${printed.stdout}${isTextCut ? "" : cutter.end().toString("utf8")}`;
  const marked = markCut(files, cutter.cutFiles, isTextCut ? sectionsIn(text) - 1 : cutter.cutFiles.length);
  return limitedDiff(marked, text, { maxFiles, isTextCut });
}

/** `sections`: whether each is cut. Those behind the first `whole` ones are not in the text, or not all of them. */
export function markCut(
  files: readonly ListedFile[],
  sections: readonly boolean[],
  whole: number,
): readonly DiffFile[] {
  let at = 0;
  return files.map((file) => {
    const own = sections.slice(at, at + file.sections);
    at += file.sections;
    return own.includes(true) || at > whole ? { ...asFile(file), isCut: true } : asFile(file);
  });
}

export function sectionsIn(text: string): number {
  return text.match(/^diff --git /gm)?.length ?? 0;
}

function asFile(listed: ListedFile): DiffFile {
  const { sections: _, ...file } = listed;
  return file;
}

export function limitedDiff(
  all: readonly DiffFile[],
  text: string,
  { maxFiles, isTextCut }: { readonly maxFiles: number; readonly isTextCut: boolean },
): Diff {
  const sum = (key: "added" | "removed") => all.reduce((total, file) => total + file[key], 0);
  return {
    files: all.slice(0, maxFiles),
    total: { files: all.length, added: sum("added"), removed: sum("removed") },
    text: isTextCut ? text.slice(0, text.lastIndexOf("\n") + 1) : text,
    cut: { files: all.length > maxFiles, text: isTextCut || all.some((file) => file.isCut) },
  };
}

/** `:mode mode id id STATUS` and one path, or two for a rename; then the counts, in the same order. */
function filesIn(text: string): readonly ListedFile[] {
  const words = splitNul(text);
  const statuses = new Map<string, Pick<ListedFile, "status" | "sections">>();
  let at = 0;
  for (; words[at]?.startsWith(":"); at += 1) {
    const letter = words[at]?.split(" ")[4]?.[0] ?? "M";
    if (letter === "R" || letter === "C") at += 1;
    at += 1;
    statuses.set(words[at] ?? "", { status: letters[letter] ?? "changed", sections: letter === "T" ? 2 : 1 });
  }
  const usual = { status: "changed", sections: 1 } as const;
  return countsIn(words.slice(at)).map((counts) => ({ ...counts, ...(statuses.get(counts.path) ?? usual) }));
}

const letters: Readonly<Record<string, FileStatus>> = { A: "added", C: "added", D: "removed", R: "renamed" };

/** `added TAB removed TAB path`, or without a path and with two words after it for a rename. A dash: the file is binary. */
export function countsIn(words: readonly string[]): readonly Omit<DiffFile, "status">[] {
  const found: Omit<DiffFile, "status">[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const [, added = "-", removed = "-", path = ""] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(words[at] ?? "") ?? [];
    const names = path === "" ? { from: words[at + 1] ?? "", path: words[at + 2] ?? "" } : { path };
    if (path === "") at += 2;
    found.push({ ...names, added: Number(added) || 0, removed: Number(removed) || 0, binary: added === "-" });
  }
  return found;
}

/** The last commit that two have in common; null if they have none, or one of them is gone. */
export async function commonCommit(repo: string, one: string, other: string): Promise<string | null> {
  return (await gitLine(repo, ["merge-base", one, other], { allowFailure: true })) || null;
}

/** The commit with this id; null if the repository does not have it any more. */
export async function existingCommit(repo: string, id: string): Promise<string | null> {
  return (await gitLine(repo, ["rev-parse", "--verify", "--quiet", `${id}^{commit}`], { allowFailure: true })) || null;
}

/** The tree with this id, or of this commit; null if the repository does not have it any more. */
export async function existingTree(repo: string, id: string): Promise<string | null> {
  return (await gitLine(repo, ["rev-parse", "--verify", "--quiet", `${id}^{tree}`], { allowFailure: true })) || null;
}

/** How many commits `to` has that `from` does not have. */
export async function countCommits(repo: string, from: string, to: string): Promise<number> {
  return Number(await gitLine(repo, ["rev-list", "--count", `${from}..${to}`, "--"]));
}
