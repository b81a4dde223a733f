// The scene of the chaos with stories: a store, a repository with a person's checkout in one of several states, and the commands that
// run the plan there.

import { createHash } from "node:crypto";
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { git } from "../scene.ts";
import { actions, check, prd, projectFiles } from "./plan.ts";

/** The state of the person's checkout. */
export const variants = [
  /** The base is checked out and clean, and follows the work. The PRD is in git. */
  "clean",
  /** Another branch is checked out, with every kind of uncommitted change. */
  "elsewhere",
  /** A rebase of the base itself has stopped at a conflict: the base cannot be moved, so all work goes to a branch of the run. */
  "rebasing",
] as const;
export type Variant = (typeof variants)[number];

/** The base is checked out in one of them only. */
export const hasForwarding = (variant: Variant) => variant === "clean";

export interface StoryScene {
  readonly variant: Variant;
  readonly dir: string;
  readonly home: string;
  readonly repo: string;
  readonly prd: string;
  readonly shared: string;
  readonly audit: string;
  /** Git's own trace of every git that a driver runs. */
  readonly trace: string;
  readonly storeFile: string;
  /** The commit of the base before the run. */
  readonly first: string;
  /** The state of the checkout before the run. */
  readonly checkout: string;
}

export function makeStoryScene(dir: string, variant: Variant): StoryScene {
  const at = (name: string) => join(dir, name);
  mkdirSync(at("repo"), { recursive: true });
  writeFileSync(at("act.sh"), actions);
  writeFileSync(at("check.sh"), check);
  writeFileSync(at("audit.log"), "");
  writeFileSync(at("trace"), "");
  const repo = at("repo");
  git(repo, "init", "--quiet", "--template=", "--initial-branch=main");
  git(repo, "config", "user.name", "User");
  git(repo, "config", "user.email", "user@example.invalid");
  writeFiles(repo, projectFiles());
  // If the checkout must not change, the PRD is outside it.
  const file = variant === "clean" ? join(repo, "prd.json") : at("prd.json");
  writeFileSync(file, prd);
  git(repo, "add", "--all");
  git(repo, "commit", "--quiet", "--message=first");
  if (variant !== "clean") interrupt(repo, variant);
  writeFiles(repo, { "untracked.txt": "nobody's\n", "deep/er/left.ignored": "ignored\n" });
  return {
    variant,
    dir,
    home: at("home"),
    repo,
    prd: file,
    shared: join(repo, ".pawl/ralph"),
    audit: at("audit.log"),
    trace: at("trace"),
    storeFile: join(at("home"), "pawl.db"),
    first: git(repo, "rev-parse", "main").trim(),
    checkout: checkoutOf(repo),
  };
}

export function runCommand({ prd: file, repo, dir }: StoryScene): readonly string[] {
  const act = `command: sh ${join(dir, "act.sh")} ${dir}`;
  const test = `sh ${join(dir, "check.sh")} ${dir}`;
  return ["prd", "run", file, "--repo", repo, "--base", "main", "--agents", "4", "--executor", act, "--test", test];
}

/** Every kind of unfinished work. */
function interrupt(repo: string, variant: Exclude<Variant, "clean">): void {
  if (variant === "rebasing") {
    git(repo, "branch", "other");
    writeFiles(repo, { "README.md": "# mine\n" });
    git(repo, "commit", "--quiet", "--all", "--message=mine");
    git(repo, "checkout", "--quiet", "other");
    writeFiles(repo, { "README.md": "# theirs\n" });
    git(repo, "commit", "--quiet", "--all", "--message=theirs");
    git(repo, "checkout", "--quiet", "main");
    try {
      git(repo, "rebase", "--quiet", "other");
    } catch {
      // Expected: it stops at a conflict.
    }
    if (!existsSync(join(repo, ".git/rebase-merge"))) throw new Error("the rebase has not stopped");
    return;
  }
  git(repo, "checkout", "--quiet", "-b", "feature");
  writeFiles(repo, { "mine.txt": "committed\n" });
  git(repo, "add", "--all");
  git(repo, "commit", "--quiet", "--message=mine");
  writeFiles(repo, { "staged.txt": "staged\n", "README.md": "# staged\n", "still/1.txt": "staged\n" });
  git(repo, "add", "--all");
  git(repo, "rm", "--quiet", "still/2.txt");
  // These paths collide with what stories add and change, should Pawl ever write here.
  writeFiles(repo, { "README.md": "# not staged\n", "lib/US-001.txt": "mine\n", "work/US-001/1.txt": "mine\n" });
  chmodSync(join(repo, "test.sh"), 0o755);
}

function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

/** Everything that belongs to the person: files with modes and times, index, HEAD, an operation, configuration, stash. */
export function checkoutOf(repo: string): string {
  const hash = createHash("sha256");
  const names = readdirSync(repo, { recursive: true, withFileTypes: true })
    .map((entry) => relative(repo, join(entry.parentPath, entry.name)))
    .filter((name) => !/^\.(git|pawl)(\/|$)/.test(name))
    .toSorted();
  for (const name of names) {
    const stats = lstatSync(join(repo, name));
    const content = stats.isFile() ? readFileSync(join(repo, name), "base64") : "";
    hash.update(`${name}\0${stats.mode}\0${stats.isFile() ? stats.mtimeMs : ""}\0${content}\0`);
  }
  const kept = ["HEAD", "ORIG_HEAD", "REBASE_HEAD", "MERGE_MSG", "AUTO_MERGE", "index", "config", "logs/HEAD"];
  const operation = join(repo, ".git/rebase-merge");
  const steps = existsSync(operation) ? readdirSync(operation).map((name) => `rebase-merge/${name}`) : [];
  for (const name of [...kept, ...steps.toSorted()]) {
    const path = join(repo, ".git", name);
    hash.update(`${name}\0${existsSync(path) ? readFileSync(path, "base64") : "none"}\0`);
  }
  hash.update(git(repo, "--no-optional-locks", "status", "--porcelain=v2"));
  hash.update(git(repo, "stash", "list"));
  return hash.digest("hex");
}
