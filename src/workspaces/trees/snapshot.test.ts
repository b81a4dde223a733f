import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
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
import { branchRefOf, headOf } from "../git/head.ts";
import { dropSnapshots, headIn, isClean, parseSnapshot, snapshotRefs, takeSnapshot, treeOf } from "./snapshot.ts";
import { ensureWorktree } from "./worktree.ts";

const head = (path: string) => runGit(path, "rev-parse", "HEAD");

test("[WS5] HEAD is read in a checkout, in a worktree, from packed refs, detached and from a directory inside", async () => {
  const repo = makeRepository({ "sub/a.txt": "1" });
  const path = join(tempDir(), "tree");
  await ensureWorktree({ run: "r1", repo, path, base: head(repo), branch: "pawl/1" });
  commitFile(path, "b.txt", "2");
  for (const place of [repo, path, join(repo, "sub")]) expect(await headOf(place)).toBe(head(place));
  runGit(repo, "branch", "pawl/1-longer-name");
  runGit(repo, "pack-refs", "--all");
  for (const place of [repo, path]) expect(await headOf(place)).toBe(head(place));
  expect(await branchRefOf(path)).toBe("refs/heads/pawl/1");
  runGit(repo, "symbolic-ref", "refs/heads/alias", "refs/heads/main");
  runGit(repo, "symbolic-ref", "HEAD", "refs/heads/alias");
  expect(await headOf(repo)).toBe(head(repo));
  runGit(path, "checkout", "--quiet", "--detach");
  expect(await headOf(path)).toBe(head(path));
  expect(await branchRefOf(path)).toBe(null);
});

test("[WS5] HEAD without a commit is an error that says so", async () => {
  await expect(headOf(makeRepository({}))).rejects.toMatchObject({ code: "REPOSITORY_UNUSABLE" });
  await expect(headOf(tempDir())).rejects.toMatchObject({ code: "REPOSITORY_UNUSABLE" });
});

test("[WS5] HEAD is read in less than a millisecond of work: no git is started", async () => {
  const repo = makeRepository();
  const path = join(tempDir(), "tree");
  await ensureWorktree({ run: "r1", repo, path, base: head(repo), branch: "pawl/1" });
  const commit = head(repo);
  vi.stubEnv("PATH", tempDir());
  const msOfWork = async () => {
    const before = process.cpuUsage();
    for (let round = 0; round < 200; round += 1) expect(await headOf(path)).toBe(commit);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / 200;
  };
  // Asked again: the work of other threads of this process counts, too.
  await expect.poll(msOfWork).toBeLessThan(1);
});

test("[WS5] a clean tree's snapshot is its commit, with the branch that it is on", async () => {
  const repo = makeRepository({ "a.txt": "1", ".gitignore": "*.log\n" });
  writeFiles(repo, { "x.log": "ignored" });
  expect(await isClean(repo)).toBe(true);
  expect(await takeSnapshot(repo)).toBe(`${head(repo)}@main`);
  runGit(repo, "checkout", "--quiet", "--detach");
  expect(await takeSnapshot(repo)).toBe(head(repo));
  expect(runGit(repo, "for-each-ref", "refs/pawl")).toBe("");
});

test("[WS5] a dirty tree's snapshot holds all files, twice the same, and outlives a garbage collection", async () => {
  const repo = makeRepository({ "a.txt": "1", ".gitignore": "*.log\n" });
  writeFiles(repo, { "a.txt": "2", "new.txt": "3", "x.log": "ignored" });
  const snapshot = await takeSnapshot(repo);
  expect(await takeSnapshot(repo)).toBe(snapshot);
  const { content } = parseSnapshot(snapshot);
  expect(headIn(snapshot)).toBe(head(repo));
  runGit(repo, "-c", "gc.pruneExpire=now", "gc", "--quiet", "--prune=now");
  expect(runGit(repo, "ls-tree", "--name-only", content ?? "")).toBe(".gitignore\na.txt\nnew.txt");
  expect(runGit(repo, "show", `${content}:a.txt`)).toBe("2");
});

test("[WS1] a snapshot touches neither the tree nor its index", async () => {
  const repo = makeRepository({ "a.txt": "1", "b.txt": "1" });
  writeFiles(repo, { "a.txt": "staged" });
  runGit(repo, "add", "a.txt");
  writeFiles(repo, { "a.txt": "changed again", "b.txt": "changed", "new.txt": "" });
  const before = fingerprint(repo);
  await takeSnapshot(repo);
  await treeOf(repo);
  expect(fingerprint(repo)).toEqual(before);
});

test("[WS5] the id of a tree depends on its files alone", async () => {
  const repo = makeRepository({ "a.txt": "1" });
  const clean = await treeOf(repo);
  expect(clean).toBe(runGit(repo, "rev-parse", "HEAD^{tree}"));
  writeFiles(repo, { "a.txt": "2", "new.txt": "x" });
  const dirty = await treeOf(repo);
  expect(dirty).not.toBe(clean);
  runGit(repo, "add", "a.txt");
  expect(await treeOf(repo)).toBe(dirty);
  runGit(repo, "add", "--all");
  runGit(repo, "commit", "--quiet", "--message=same files");
  expect(await treeOf(repo)).toBe(dirty);
  chmodSync(join(repo, "a.txt"), 0o755);
  expect(await treeOf(repo)).not.toBe(dirty);
});

test("[WS5] a change of the same size in the moment that the index was written is seen", async () => {
  const repo = makeRepository({ "a.txt": "1" });
  const index = join(repo, ".git/index");
  // The times of file and index agree, as they do when an agent is fast and the clock is coarse.
  const at = Math.floor(Date.now() / 1000) - 10;
  utimesSync(join(repo, "a.txt"), at, at);
  runGit(repo, "update-index", "--refresh");
  utimesSync(index, at, at);
  writeFileSync(join(repo, "a.txt"), "2");
  utimesSync(join(repo, "a.txt"), at, at);
  expect(statSync(index).mtimeMs).toBe(statSync(join(repo, "a.txt")).mtimeMs);
  const { content } = parseSnapshot(await takeSnapshot(repo));
  expect(runGit(repo, "show", `${content ?? "HEAD"}:a.txt`)).toBe("2");
});

test("[WS5] conflicts and repositories inside the tree do not stop a snapshot", async () => {
  const repo = makeRepository({ "a.txt": "1\n" });
  runGit(repo, "checkout", "--quiet", "-b", "side");
  commitFile(repo, "a.txt", "side\n");
  runGit(repo, "checkout", "--quiet", "main");
  commitFile(repo, "a.txt", "main\n");
  expect(() => runGit(repo, "merge", "side")).toThrow("git merge side");
  makeRepository({}, { dir: join(repo, "nested") });
  mkdirSync(join(repo, "empty"));
  const { content } = parseSnapshot(await takeSnapshot(repo));
  expect(runGit(repo, "show", `${content}:a.txt`)).toContain("<<<<<<<");
});

test.each(["", "main", "--hard", `${"a".repeat(40)} `, `${"a".repeat(40)}+x`, "a".repeat(39)])(
  "[WS9] %j is not taken for a snapshot",
  (text) => {
    expect(() => parseSnapshot(text)).toThrow(expect.objectContaining({ code: "INPUT_INVALID" }));
  },
);

test("[WS9] a snapshot is read back as it was written, whatever the branch is called", () => {
  const [a, b] = ["a".repeat(40), "b".repeat(64)];
  expect(parseSnapshot(a)).toEqual({ head: a, content: null, branch: null });
  expect(parseSnapshot(`${a}+${b}@x@y+z`)).toEqual({ head: a, content: b, branch: "x@y+z" });
});

test("[WS5] the lock of a git that was killed while it kept a snapshot does not stop the next one, and goes with the tree", async () => {
  const repo = makeRepository();
  const path = join(tempDir(), "tree");
  await ensureWorktree({ run: "r1", repo, path, base: head(repo), branch: "pawl/1" });
  writeFiles(path, { "new.txt": "not committed\n" });
  const refs = join(repo, ".git", snapshotRefs(path));
  const [, content] = (await takeSnapshot(path)).match(/\+([0-9a-f]+)/) ?? [];
  await dropSnapshots(path);
  for (const name of [content, "0".repeat(40)]) writeFiles(refs, { [`${name}.lock`]: "" });
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(join(refs, `${content}.lock`), longAgo, longAgo);
  expect(await takeSnapshot(path)).toContain(`+${content}`);
  await dropSnapshots(path);
  expect(existsSync(refs) ? readdirSync(refs) : []).toEqual([]);
});
