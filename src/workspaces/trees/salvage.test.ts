import { chmodSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitFile, makeRepository, runGit, tempDir, writeFiles } from "../../../test/support/repository.ts";
import { saveDiff } from "./salvage.ts";
import { takeSnapshot, treeOf } from "./snapshot.ts";

const bytes = Uint8Array.from({ length: 600 }, (_, n) => (n * 7) % 256);

test("[WS6] commits, uncommitted and untracked files are saved as a diff that applies on the snapshot", async () => {
  const repo = makeRepository({ "a.txt": "1\n2\n3\n", "gone.txt": "x\n", "moved.txt": "y\n", ".gitignore": "*.log\n" });
  // Settings that would give a diff another shape.
  runGit(repo, "config", "diff.noprefix", "true");
  runGit(repo, "config", "diff.external", "false");
  runGit(repo, "config", "color.ui", "always");
  writeFiles(repo, { "a.txt": "1\nbefore\n3\n", "early.txt": "untracked before\n" });
  const since = await takeSnapshot(repo);
  const clone = join(tempDir(), "clone");
  runGit(repo, "clone", "--quiet", "--no-hardlinks", ".", clone);
  runGit(clone, "fetch", "--quiet", repo, "refs/pawl/*:refs/pawl/*");
  runGit(clone, "checkout", "--quiet", "--detach", since.split(/[+@]/)[1] ?? "");

  commitFile(repo, "committed.txt", "c\n");
  writeFiles(repo, {
    "a.txt": "1\nafter\n3\nno newline at the end",
    "early.txt": "untracked, changed\n",
    "sub/dir/binary.bin": bytes,
    "latin1.txt": Uint8Array.of(0xe9, 0x0a, 0xff),
    "odd\n\"name' -ü.txt": "odd\n",
    "empty.txt": "",
    "ignored.log": "no",
  });
  runGit(repo, "rm", "--quiet", "gone.txt");
  runGit(repo, "mv", "moved.txt", "sub/moved.txt");
  writeFiles(repo, { "run.sh": "#!/bin/sh\n" });
  chmodSync(join(repo, "run.sh"), 0o755);
  symlinkSync("a.txt", join(repo, "link"));

  const file = join(tempDir(), "failures/deep/attempt.diff");
  expect(await saveDiff(repo, since, file)).toBe(true);
  runGit(clone, "apply", "--whitespace=nowarn", file);
  expect(await treeOf(clone)).toBe(await treeOf(repo));
  expect(readFileSync(join(clone, "sub/dir/binary.bin")).equals(bytes)).toBe(true);
});

test("[WS6] without a change there is no file", async () => {
  const repo = makeRepository({ "a.txt": "1\n" });
  const since = await takeSnapshot(repo);
  const file = join(tempDir(), "attempt.diff");
  expect(await saveDiff(repo, since, file)).toBe(false);
  expect(readdirSync(join(file, ".."))).toEqual([]);
});

test("[WS6] a rollback that was cut off does not write over what was saved first", async () => {
  const repo = makeRepository({ "a.txt": "1\n", "b.txt": "1\n" });
  const since = await takeSnapshot(repo);
  writeFiles(repo, { "a.txt": "2\n", "b.txt": "2\n" });
  const file = join(tempDir(), "attempt.diff");
  expect(await saveDiff(repo, since, file)).toBe(true);
  const saved = readFileSync(file, "utf8");
  runGit(repo, "checkout", "--quiet", "a.txt");
  expect(await saveDiff(repo, since, file)).toBe(true);
  expect(readFileSync(file, "utf8")).toBe(saved);
});

test("[WS6] the work of a merge that was left with conflicts is saved as it lies there", async () => {
  const repo = makeRepository({ "a.txt": "1\n" });
  const since = await takeSnapshot(repo);
  runGit(repo, "checkout", "--quiet", "-b", "side");
  commitFile(repo, "a.txt", "side\n");
  runGit(repo, "checkout", "--quiet", "main");
  commitFile(repo, "a.txt", "main\n");
  expect(() => runGit(repo, "merge", "side")).toThrow("git merge side");
  const file = join(tempDir(), "attempt.diff");
  expect(await saveDiff(repo, since, file)).toBe(true);
  expect(readFileSync(file, "utf8")).toContain("+<<<<<<< HEAD");
});

test("[WS6] a repository inside the tree does not stop the rest from being saved", async () => {
  const repo = makeRepository({ "a.txt": "1\n" });
  const since = await takeSnapshot(repo);
  makeRepository({}, { dir: join(repo, "nested empty") });
  makeRepository({}, { dir: join(repo, "other/empty") });
  makeRepository({ x: "1" }, { dir: join(repo, "nested") });
  writeFiles(repo, { "b.txt": "work\n" });
  const file = join(tempDir(), "attempt.diff");
  expect(await saveDiff(repo, since, file)).toBe(true);
  rmSync(join(repo, "b.txt"));
  for (const name of ["nested empty", "other", "nested"]) rmSync(join(repo, name), { recursive: true });
  runGit(repo, "apply", file);
  expect(readFileSync(join(repo, "b.txt"), "utf8")).toBe("work\n");
});
