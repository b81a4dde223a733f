// The status of a tree. Owns: remembering that a tree is clean while everything that git would look at is the same, so that git need not
// be started before each of many steps that change nothing. A larger tree is left to git, which looks at it faster.

import { type Dirent, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { commitOfHead, type Layout, layoutOf } from "../../system/git-directory.ts";
import { splitNul } from "../git/git.ts";
import { porcelainStatus } from "../git/repository.ts";
import { gitSettings, settingsFiles, settingsVariables } from "../git/settings.ts";
import { stampTreeRecord } from "./ownership.ts";

/** How many files and directories are looked at. Starting a process keeps a driver busy for longer than that takes. */
const mostEntries = 1_000;
const mostTrees = 200;
const tooLarge = Symbol("too large");

interface Known {
  /** Directories that git ignores as a whole, as it said last: nothing in them can change the answer. */
  readonly ignored: ReadonlySet<string>;
  /** How the tree looked when git called it clean; null: it was not, or had changed a moment before. */
  readonly clean: string | null;
}

/** By path; `tooLarge`: git is always asked. The oldest is forgotten when there are too many. */
const known = new Map<string, Known | typeof tooLarge>();

/** One entry per path that differs from HEAD or is untracked and not ignored, separated by NUL; empty for a clean tree. */
export async function treeStatus(path: string): Promise<string> {
  const before = known.get(path);
  if (before === tooLarge) return await porcelainStatus(path);
  // Taken before git looks: what changes meanwhile makes the next look differ.
  const look = before === undefined ? null : lookOf(path, before.ignored);
  if (look !== null && look === before?.clean) return "";
  const { changes, ignored } = await askWithIgnored(path);
  const isKept = changes === "" && look !== null && (await readsUsualFiles(path));
  remember(path, look === tooLarge ? look : { ignored, clean: isKept ? look : null });
  return changes;
}

function remember(path: string, now: Known | typeof tooLarge): void {
  const [oldest] = known.keys();
  if (known.size >= mostTrees && oldest !== undefined && !known.has(path)) known.delete(oldest);
  known.set(path, now);
}

/** False where the configuration names files of its own that a status depends on. */
async function readsUsualFiles(path: string): Promise<boolean> {
  const named = /^(?:include|core\.(?:excludesfile|attributesfile|worktree)$)/;
  return ![...(await gitSettings(path)).keys()].some((key) => named.test(key));
}

/** The changes, and the directories that git ignores as a whole. */
async function askWithIgnored(path: string): Promise<{ readonly changes: string; readonly ignored: Known["ignored"] }> {
  const entries = splitNul(await porcelainStatus(path, "--ignored=matching"));
  const isIgnored = (entry: string) => entry.startsWith("!! ");
  const ignored = entries.filter((entry) => isIgnored(entry) && entry.endsWith("/")).map((entry) => entry.slice(3, -1));
  const changes = entries.filter((entry) => !isIgnored(entry)).map((entry) => `${entry}\0`);
  return { changes: changes.join(""), ignored: new Set(ignored) };
}

/**
 * Everything that a status depends on: HEAD, the index, what configures and ignores, and every file that is not ignored.
 * Null where that cannot be told, as in a tree that Pawl did not make, or is too young to be told apart from a later change.
 */
function lookOf(path: string, ignored: ReadonlySet<string>): string | typeof tooLarge | null {
  // What is written from now on is at least as new, whatever the resolution of the times is.
  const now = stampTreeRecord(path);
  const layout = layoutOf(path);
  const head = layout && commitOfHead(layout);
  if (now === null || layout === null || head === null) return null;
  const look = new Look();
  look.add(head);
  look.add(settingsVariables());
  for (const file of besideTheTree(path, layout)) look.addFile(file);
  const open = [""];
  let seen = 0;
  for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
    const entries = entriesIn(join(path, dir));
    if (entries === null) return null;
    seen += entries.length;
    if (seen > mostEntries) return tooLarge;
    for (const entry of entries) {
      const name = dir === "" ? entry.name : `${dir}/${entry.name}`;
      if (name === ".git") continue;
      // The status of a repository inside the tree depends on files that may be elsewhere.
      if (entry.name === ".git") return null;
      if (ignored.has(name)) look.add(`${name} is ignored`);
      else if (entry.isDirectory()) open.push(name);
      else look.addEntry(`${path}/${name}`, name);
    }
  }
  return look.isOlderThan(now) ? look.text() : null;
}

class Look {
  readonly #lines: string[] = [];
  #newest = 0;

  add(line: string): void {
    this.#lines.push(line);
  }

  /** A file beside the tree, whether it is there or not. */
  addFile(file: string): void {
    const stats = statSync(file, { throwIfNoEntry: false });
    this.add(stats === undefined ? "" : [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(" "));
    this.#newest = Math.max(this.#newest, stats?.ctimeMs ?? 0);
  }

  /** A time of change cannot be set, so that a file which was written again never looks the same. */
  addEntry(file: string, name: string): void {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return this.add(`${name} is gone`);
    const { ino, mode, size, mtimeMs, ctimeMs } = stats;
    this.add(`${name} ${ino} ${mode} ${size} ${mtimeMs} ${ctimeMs}`);
    this.#newest = Math.max(this.#newest, ctimeMs);
  }

  /** A file that is changed later cannot have the time of change that it has now. */
  isOlderThan(time: number): boolean {
    return this.#newest < time;
  }

  text(): string {
    return this.#lines.join("\n");
  }
}

/** What git reads for a status, outside of the tree's files. */
function besideTheTree(path: string, { gitDir, commonDir }: Layout): readonly string[] {
  const info = ["exclude", "attributes", "sparse-checkout"].flatMap((name) => [
    join(commonDir, "info", name),
    join(gitDir, "info", name),
  ]);
  return [join(gitDir, "index"), ...info, ...settingsFiles(path)];
}

function entriesIn(dir: string): readonly Dirent[] | null {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    // Removed a moment ago, or not readable: git says what that means.
    return null;
  }
}
