// Repositories for tests: real git repositories in temporary directories, independent of the settings of the user who runs the tests.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { onTestFinished } from "vitest";

/** Otherwise each commit starts another process, to find that there is no garbage. */
const untidied = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "maintenance.auto",
  GIT_CONFIG_VALUE_0: "false",
};

/** Runs git in a test's own repository, and returns its output without the last line break. */
export function runGit(cwd: string, ...args: readonly string[]): string {
  const env = { ...process.env, LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "true", ...untidied };
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).replace(
    /\n$/,
    "",
  );
}

/** A directory that is removed after the test. Outside a test, the caller removes it. */
export function tempDir(name = "pawl-test-"): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), name)));
  removeAfterTest(dir);
  return dir;
}

export interface MakeRepositoryOptions {
  readonly branch?: string;
  /** Where to make it; by default a temporary directory. */
  readonly dir?: string;
}

/** A repository with one commit of `files`, or no commit if there are none. */
export function makeRepository(
  files: Readonly<Record<string, string>> = { "README.md": "# a project\n" },
  options: MakeRepositoryOptions = {},
): string {
  const repo = options.dir ?? join(tempDir(), "repo");
  const branch = options.branch ?? "main";
  mkdirSync(repo, { recursive: true });
  // What is there already becomes part of the first commit.
  const key = readdirSync(repo).length === 0 ? JSON.stringify([branch, files]) : null;
  const made = key === null ? undefined : madeBefore.get(key);
  if (made !== undefined) {
    writeCopy(repo, made);
    // The index knows the files by their inodes and times.
    if (Object.keys(files).length > 0) runGit(repo, "update-index", "--refresh");
    return repo;
  }
  initRepository(repo, branch, files);
  if (key !== null) madeBefore.set(key, copyOf(repo));
  return repo;
}

/** Repositories by what is in them. Most tests begin with the same few, and git needs six processes to make one. */
const madeBefore = new Map<string, RepositoryCopy>();

interface RepositoryCopy {
  readonly dirs: readonly string[];
  readonly files: Readonly<Record<string, Uint8Array>>;
}

function initRepository(repo: string, branch: string, files: Readonly<Record<string, string>>): void {
  runGit(repo, "init", "--quiet", "--template=", `--initial-branch=${branch}`);
  configureUser(repo);
  if (Object.keys(files).length === 0) return;
  writeFiles(repo, files);
  runGit(repo, "add", "--all");
  runGit(repo, "commit", "--quiet", "--message=first");
}

function copyOf(repo: string): RepositoryCopy {
  const entries = readdirSync(repo, { recursive: true, withFileTypes: true });
  const pathOf = ({ parentPath, name }: (typeof entries)[number]) => relative(repo, join(parentPath, name));
  const files = entries.filter((entry) => entry.isFile()).map(pathOf);
  return {
    dirs: entries.filter((entry) => entry.isDirectory()).map(pathOf),
    files: Object.fromEntries(files.map((name) => [name, readFileSync(join(repo, name))])),
  };
}

function writeCopy(repo: string, { dirs, files }: RepositoryCopy): void {
  for (const dir of dirs) mkdirSync(join(repo, dir), { recursive: true });
  writeFiles(repo, files);
}

/** Writes the file directly: one `git config` process per setting would dominate the time of a small test. */
export function configureUser(repo: string): void {
  const settings = "[user]\n\tname = Test\n\temail = test@example.invalid\n[commit]\n\tgpgSign = false\n";
  appendFileSync(join(repo, ".git/config"), settings);
}

export function writeFiles(dir: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** Commits one file and returns the commit's id. */
export function commitFile(repo: string, name: string, content: string, message = `change ${name}`): string {
  writeFiles(repo, { [name]: content });
  runGit(repo, "add", "--", name);
  runGit(repo, "commit", "--quiet", `--message=${message}`);
  return runGit(repo, "rev-parse", "HEAD");
}

/** The subjects of the commits in a range, newest first. */
export function log(repo: string, range = "HEAD"): readonly string[] {
  return runGit(repo, "log", "--format=%s", range)
    .split("\n")
    .filter((line) => line !== "");
}

/** Everything that a person could notice in a checkout: files with modes and times, index, HEAD, branches, stash, configuration. */
export function fingerprint(repo: string): Readonly<Record<string, string>> {
  const gitDir = runGit(repo, "rev-parse", "--absolute-git-dir");
  const seen: Record<string, string> = {};
  for (const entry of readdirSync(repo, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(repo, path);
    if (name === ".git" || name.startsWith(".git/")) continue;
    const stats = lstatSync(path);
    const content = entry.isFile() ? hash(readFileSync(path)) : entry.isSymbolicLink() ? readlinkSync(path) : "";
    seen[name] = `${stats.mode.toString(8)} ${entry.isDirectory() ? "" : stats.mtimeMs} ${content}`;
  }
  const readable = (name: string) => (existsSync(join(gitDir, name)) ? hash(readFileSync(join(gitDir, name))) : "none");
  for (const name of ["HEAD", "index", "config", "info/exclude", "FETCH_HEAD", "ORIG_HEAD", "logs/HEAD"]) {
    seen[`.git/${name}`] = readable(name);
  }
  seen["branches"] = runGit(repo, "for-each-ref", "refs/heads", "refs/tags");
  seen["stash"] = runGit(repo, "stash", "list");
  seen["status"] = runGit(repo, "--no-optional-locks", "status", "--porcelain=v2", "--ignored");
  return seen;
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function removeAfterTest(dir: string): void {
  try {
    // What a killed process has left behind may write its last lines meanwhile.
    onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  } catch {
    // Called from a hook or a script: there is no test to wait for.
  }
}
