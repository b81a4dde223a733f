import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  commitFile,
  fingerprint,
  log,
  makeRepository,
  runGit,
  tempDir,
  writeFiles,
} from "../../../test/support/repository.ts";
import { assertOwned } from "./ownership.ts";
import { keepCommits, removeWorktree } from "./removal.ts";
import { restoreSnapshot } from "./restore.ts";
import { takeSnapshot } from "./snapshot.ts";
import { ensureWorktree } from "./worktree.ts";

async function makeTree(files: Record<string, string> = { "a.txt": "1" }, branch: string | null = null) {
  const repo = makeRepository(files);
  const path = join(tempDir("pawl-home-"), "r1");
  const base = runGit(repo, "rev-parse", "HEAD");
  await ensureWorktree({ run: "r1", repo, path, base, branch });
  return { repo, path, base };
}

const branches = (repo: string) => runGit(repo, "branch", "--format=%(refname:short)").split("\n");

test("[WS8] a clean tree is removed with its entry; twice is once", async () => {
  const { repo, path } = await makeTree({ "a.txt": "1", ".gitignore": "node_modules/\n" });
  writeFiles(path, { "node_modules/x/y.js": "" });
  expect(await removeWorktree({ repo, path, keepAs: "pawl/kept" })).toEqual({ removed: true, kept: null });
  expect(existsSync(path)).toBe(false);
  expect(runGit(repo, "worktree", "list").split("\n")).toHaveLength(1);
  expect(branches(repo)).toEqual(["main"]);
  expect(await removeWorktree({ repo, path, keepAs: "pawl/kept" })).toEqual({ removed: false, kept: null });
});

test.each([
  ["changed", { "a.txt": "2" }],
  ["new", { "b.txt": "2" }],
])("[WS8] a tree with a %s file is not removed unless forced", async (_, files) => {
  const { repo, path } = await makeTree();
  writeFiles(path, files);
  await expect(removeWorktree({ repo, path, keepAs: "k" })).rejects.toMatchObject({ code: "REPOSITORY_DIRTY" });
  expect(existsSync(path)).toBe(true);
  expect(await removeWorktree({ repo, path, keepAs: "k", force: true })).toMatchObject({ removed: true });
  expect(existsSync(path)).toBe(false);
});

test("[WS8] a tree that somebody locked is not removed unless forced", async () => {
  const { repo, path } = await makeTree();
  runGit(repo, "worktree", "lock", "--reason", "I am looking", path);
  await expect(removeWorktree({ repo, path, keepAs: "k" })).rejects.toMatchObject({
    code: "REFUSED",
    message: expect.stringContaining("I am looking"),
  });
  await removeWorktree({ repo, path, keepAs: "k", force: true });
  expect(existsSync(path)).toBe(false);
});

test("[WS8] commits that no branch holds get one, also when forced; the name is another if it is taken", async () => {
  const { repo, path } = await makeTree();
  commitFile(path, "b.txt", "work");
  runGit(repo, "branch", "pawl/kept");
  expect(await keepCommits(path, "pawl/kept")).toBe("pawl/kept-2");
  expect(await keepCommits(path, "pawl/kept")).toBe(null);
  commitFile(path, "c.txt", "more");
  writeFiles(path, { "d.txt": "uncommitted" });
  const { kept } = await removeWorktree({ repo, path, keepAs: "pawl/kept", force: true });
  expect(kept).toBe("pawl/kept-3");
  expect(log(repo, "pawl/kept-3")).toEqual(["change c.txt", "change b.txt", "first"]);
});

test("[WS8] commits on a branch, and a base that no branch holds, need no other", async () => {
  const { repo, path } = await makeTree({ "a.txt": "1" }, "pawl/1-x");
  commitFile(path, "b.txt", "work");
  expect(await removeWorktree({ repo, path, keepAs: "pawl/kept" })).toEqual({ removed: true, kept: null });
  expect(branches(repo)).toEqual(["main", "pawl/1-x"]);

  const detached = await makeTree();
  commitFile(detached.repo, "b.txt", "2");
  const base = runGit(detached.repo, "rev-parse", "HEAD");
  runGit(detached.repo, "reset", "--quiet", "--hard", "HEAD~1");
  const tree = await ensureWorktree({ ...detached, run: "r2", path: `${detached.path}-2`, base, branch: null });
  expect(await keepCommits(tree.path, "pawl/kept")).toBe(null);
});

test("[WS8] commits from before a rebase that was left in the middle are kept too", async () => {
  const { repo, path } = await makeTree();
  commitFile(path, "a.txt", "agent");
  commitFile(path, "b.txt", "agent");
  commitFile(repo, "a.txt", "user");
  expect(() => runGit(path, "rebase", "main")).toThrow("git rebase main");
  await removeWorktree({ repo, path, keepAs: "pawl/kept", force: true });
  expect(log(repo, "pawl/kept")).toEqual(["change b.txt", "change a.txt", "first"]);
});

test("[WS8] a removal that was cut off is finished, and keeps the commits", async () => {
  const { repo, path } = await makeTree();
  commitFile(path, "b.txt", "work");
  renameSync(path, `${path}.gone`);
  expect(await removeWorktree({ repo, path, keepAs: "pawl/kept" })).toEqual({ removed: true, kept: "pawl/kept" });
  expect(readdirSync(join(path, ".."))).toEqual([]);
  expect(log(repo, "pawl/kept")).toEqual(["change b.txt", "first"]);
});

test("[WS8] a tree whose .git an agent has deleted is still known as ours", async () => {
  const { repo, path } = await makeTree();
  commitFile(path, "b.txt", "work");
  rmSync(join(path, ".git"));
  expect(await removeWorktree({ repo, path, keepAs: "pawl/kept" })).toEqual({ removed: true, kept: "pawl/kept" });
});

test("[WS8] read-only directories do not stop a removal", async () => {
  const { repo, path } = await makeTree({ "a.txt": "1", ".gitignore": "cache/\n" });
  mkdirSync(join(path, "cache/deep"), { recursive: true });
  writeFileSync(join(path, "cache/deep/x"), "");
  chmodSync(join(path, "cache/deep"), 0o555);
  await removeWorktree({ repo, path, keepAs: "k" });
  expect(existsSync(path)).toBe(false);
});

test("[WS8] snapshots go with their tree; those of another tree stay", async () => {
  const { repo, path, base } = await makeTree();
  const other = `${path}-2`;
  await ensureWorktree({ run: "r2", repo, path: other, base, branch: null });
  for (const tree of [path, other]) {
    writeFiles(tree, { "b.txt": "work" });
    await takeSnapshot(tree);
  }
  await removeWorktree({ repo, path, keepAs: "k", force: true });
  const refs = runGit(repo, "for-each-ref", "--format=%(refname)", "refs/pawl");
  expect(refs).toMatch(/^refs\/pawl\/snapshots\/tree-r1-2\/[0-9a-f]+$/);
});

test("[WS4] nothing but a tree that we made is reset or removed", async () => {
  const { repo, path, base } = await makeTree({ "a.txt": "1" });
  const theirs = join(tempDir(), "theirs");
  runGit(repo, "worktree", "add", "--quiet", "-b", "theirs", theirs);
  const copy = join(tempDir(), "copy");
  cpSync(path, copy, { recursive: true });
  // Even with all that an entry of ours has in it, a main checkout is the user's.
  writeFileSync(join(repo, ".git/gitdir"), `${join(repo, ".git")}\n`);
  writeFileSync(
    join(repo, ".git/pawl.json"),
    JSON.stringify({ version: 1, run: "r1", path: repo, base, branch: null }),
  );
  const plain = tempDir();

  for (const place of [repo, theirs, copy, plain, join(path, "sub")]) {
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "precious.txt"), "mine");
    expect(() => assertOwned(place)).toThrow(expect.objectContaining({ code: "REFUSED" }));
    await expect(restoreSnapshot(place, base)).rejects.toMatchObject({ code: "REFUSED" });
    await expect(removeWorktree({ repo, path: place, keepAs: "k", force: true })).rejects.toMatchObject({
      code: "REFUSED",
    });
    expect(existsSync(join(place, "precious.txt"))).toBe(true);
  }
  rmSync(join(path, "sub"), { recursive: true });
  expect(assertOwned(path).marker.run).toBe("r1");
});

test("[WS1] the user's checkout is the same after all that can happen to a run's tree", async () => {
  const repo = makeRepository({ "a.txt": "1", "b.txt": "1", ".gitignore": "*.log\n" });
  writeFiles(repo, { "a.txt": "stashed" });
  runGit(repo, "stash", "--quiet");
  writeFiles(repo, { "a.txt": "staged", "b.txt": "changed", "new/c.txt": "untracked", "x.log": "ignored" });
  runGit(repo, "add", "a.txt");
  chmodSync(join(repo, "b.txt"), 0o755);
  const before = fingerprint(repo);

  const path = join(tempDir("pawl-home-"), "r1");
  const base = runGit(repo, "rev-parse", "HEAD");
  await ensureWorktree({ run: "r1", repo, path, base, branch: null });
  writeFiles(path, { "a.txt": "agent", "new.txt": "agent" });
  const snapshot = await takeSnapshot(path);
  runGit(path, "add", "--all");
  runGit(path, "commit", "--quiet", "--message=work");
  await restoreSnapshot(path, snapshot);
  await restoreSnapshot(path, base);
  await takeSnapshot(repo);
  await removeWorktree({ repo, path, keepAs: "pawl/kept" });
  expect(fingerprint(repo)).toEqual(before);
});
