import { utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  commitFile,
  fingerprint,
  makeRepository,
  runGit,
  tempDir,
  writeFiles,
} from "../../../test/support/repository.ts";
import { inPlace, inspectRepository, type Operation } from "./repository.ts";

/** Two branches that change the same line. */
function makeConflict(): string {
  const repo = makeRepository({ "a.txt": "one\n" });
  runGit(repo, "checkout", "--quiet", "-b", "side");
  commitFile(repo, "a.txt", "side\n");
  runGit(repo, "checkout", "--quiet", "main");
  commitFile(repo, "a.txt", "main\n");
  return repo;
}

function tryGit(repo: string, ...args: string[]): void {
  try {
    runGit(repo, ...args);
  } catch {
    // A conflict is what the test is after.
  }
}

test("[WS1] tells what a repository is, also from a directory inside it", async () => {
  const repo = makeRepository({ "src/a.txt": "one\n" }, { branch: "trunk" });
  writeFiles(repo, { "src/a.txt": "two\n", "new.txt": "new\n", "odd\nname -x.txt": "" });
  expect(await inspectRepository(join(repo, "src"))).toEqual({
    root: repo,
    isBare: false,
    head: runGit(repo, "rev-parse", "HEAD"),
    branch: "trunk",
    dirty: 3,
    operation: null,
    remotes: [],
    defaultBranch: "trunk",
    isShallow: false,
  });
});

test("[WS1] knows a clone's remote and default branch, and that it is shallow", async () => {
  const origin = makeRepository({ "a.txt": "1" }, { branch: "develop" });
  commitFile(origin, "a.txt", "2");
  const clone = join(tempDir(), "clone");
  runGit(origin, "clone", "--quiet", "--depth=1", `file://${origin}`, clone);
  runGit(clone, "checkout", "--quiet", "--detach");
  const facts = await inspectRepository(clone);
  expect(facts).toMatchObject({ branch: null, remotes: ["origin"], defaultBranch: "develop", isShallow: true });
});

test("[WS1] a bare repository is a repository", async () => {
  const bare = join(tempDir(), "bare.git");
  runGit(makeRepository(), "clone", "--quiet", "--bare", ".", bare);
  expect(await inspectRepository(bare)).toMatchObject({ root: bare, isBare: true, dirty: 0, branch: "main" });
});

test("[WS1] a directory that is no repository is refused with what to do, in any language", async () => {
  vi.stubEnv("LC_ALL", "C.UTF-8");
  vi.stubEnv("LANGUAGE", "de");
  const dir = tempDir();
  await expect(inspectRepository(dir)).rejects.toMatchObject({
    code: "REPOSITORY_UNUSABLE",
    message: `${dir} is not a git repository`,
    hint: expect.stringContaining("git init"),
  });
  await expect(inspectRepository(join(makeRepository(), ".git"))).rejects.toMatchObject({
    message: expect.stringContaining("inside a .git directory"),
  });
});

test("[WS1] a repository without commits has no head", async () => {
  expect(await inspectRepository(makeRepository({}))).toMatchObject({ head: null, branch: "main" });
});

const operations: [Operation, (repo: string) => void][] = [
  ["merge", (repo) => tryGit(repo, "merge", "side")],
  ["rebase", (repo) => tryGit(repo, "rebase", "side")],
  ["rebase", (repo) => tryGit(repo, "rebase", "--apply", "side")],
  ["cherry-pick", (repo) => tryGit(repo, "cherry-pick", "side")],
  ["revert", (repo) => tryGit(repo, "revert", "--no-edit", "HEAD~1")],
  ["bisect", (repo) => runGit(repo, "bisect", "start")],
];

test.each(operations)("[WS1] [WS7] sees a %s in progress and does not work in place then", async (operation, begin) => {
  const repo = makeConflict();
  begin(repo);
  expect((await inspectRepository(repo)).operation).toBe(operation);
  await expect(inPlace(repo)).rejects.toMatchObject({
    code: "REPOSITORY_DIRTY",
    message: expect.stringContaining(`in the middle of a ${operation}`),
    hint: expect.stringContaining(operation),
  });
});

test("[WS7] in place on a clean tree only", async () => {
  const repo = makeRepository({ "a.txt": "1", ".gitignore": "*.log\n" });
  writeFiles(repo, { "ignored.log": "" });
  expect(await inPlace(repo)).toMatchObject({ root: repo, head: runGit(repo, "rev-parse", "HEAD") });
  writeFiles(repo, { "untracked.txt": "" });
  await expect(inPlace(repo)).rejects.toMatchObject({
    code: "REPOSITORY_DIRTY",
    message: `${repo} has 1 uncommitted file`,
    hint: expect.stringContaining("worktree"),
  });
});

test("[WS7] not in place without a commit or without files", async () => {
  await expect(inPlace(makeRepository({}))).rejects.toMatchObject({
    code: "REPOSITORY_UNUSABLE",
    message: expect.stringContaining("no commits"),
  });
  const bare = join(tempDir(), "bare.git");
  runGit(makeRepository(), "clone", "--quiet", "--bare", ".", bare);
  await expect(inPlace(bare)).rejects.toMatchObject({ code: "REPOSITORY_UNUSABLE" });
});

test("[WS1] looking changes nothing, not even the index's memory of file times", async () => {
  const repo = makeRepository({ "a.txt": "1", "b.txt": "2" });
  writeFiles(repo, { "b.txt": "stashed" });
  runGit(repo, "stash", "--quiet");
  // The same content at another time: an ordinary `git status` would write that into the index.
  utimesSync(join(repo, "a.txt"), 1, 1);
  writeFiles(repo, { "b.txt": "changed", "new/c.txt": "3" });
  const before = fingerprint(repo);
  await inspectRepository(repo);
  await inPlace(repo).catch(() => undefined);
  expect(fingerprint(repo)).toEqual(before);
});
