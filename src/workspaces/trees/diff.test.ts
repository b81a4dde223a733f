// Diffs of real trees: odd names, binary files, limits, and nothing that is written or run.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitFile, makeRepository, runGit, tempDir, writeFiles } from "../../../test/support/repository.ts";
import { diffBetween, diffWithTree, pageDiffLimits } from "./diff.ts";
import { saveDiff } from "./salvage.ts";
import { savedDiff } from "./saved-diff.ts";
import { takeSnapshot } from "./snapshot.ts";

function objectsIn(repo: string): readonly string[] {
  return readdirSync(join(repo, ".git"), { recursive: true, encoding: "utf8" }).toSorted();
}

test("[DF1 DF9] a tree is compared as it is, whatever its names are, and nothing is written", async () => {
  const repo = makeRepository({
    "a.txt": "1\n2\n",
    "gone.txt": "x\n",
    "old name.txt": "same\n".repeat(20),
    ".gitignore": "*.log\n",
  });
  const base = runGit(repo, "rev-parse", "HEAD");
  commitFile(repo, "committed.txt", "c\n");
  writeFiles(repo, {
    "a.txt": "1\ntwo\nthree\n",
    'odd\n\t"name\u001b[31m.txt': "odd\n",
    "b.bin": Uint8Array.of(0, 1, 2),
    "über.txt": "ü\n",
    "no.log": "x",
  });
  runGit(repo, "rm", "--quiet", "gone.txt");
  runGit(repo, "mv", "old name.txt", "new name.txt");
  const before = {
    files: objectsIn(repo),
    index: readFileSync(join(repo, ".git/index")),
    time: statSync(join(repo, ".git/index")).mtimeMs,
  };

  const { files, total, text, cut } = await diffWithTree(repo, base);
  expect(files).toEqual([
    { path: "a.txt", status: "changed", added: 2, removed: 1, binary: false },
    { path: "b.bin", status: "added", added: 0, removed: 0, binary: true },
    { path: "committed.txt", status: "added", added: 1, removed: 0, binary: false },
    { path: "gone.txt", status: "removed", added: 0, removed: 1, binary: false },
    { path: "new name.txt", from: "old name.txt", status: "renamed", added: 0, removed: 0, binary: false },
    { path: 'odd\n\t"name\u001b[31m.txt', status: "added", added: 1, removed: 0, binary: false },
    { path: "über.txt", status: "added", added: 1, removed: 0, binary: false },
  ]);
  expect({ total, cut }).toEqual({ total: { files: 7, added: 5, removed: 2 }, cut: { files: false, text: false } });
  expect(text).toContain("diff --git a/a.txt b/a.txt");
  expect(text).toContain("diff --git a/über.txt b/über.txt");
  expect(text).not.toContain("\u001b");
  const after = {
    files: objectsIn(repo),
    index: readFileSync(join(repo, ".git/index")),
    time: statSync(join(repo, ".git/index")).mtimeMs,
  };
  expect(after).toEqual(before);
});

test("[DF1] the lock of a git that is at work is not waited for", async () => {
  const repo = makeRepository({ "a.txt": "1\n" });
  const base = runGit(repo, "rev-parse", "HEAD");
  writeFiles(repo, { "a.txt": "2\n", ".git/index.lock": "" });
  expect((await diffWithTree(repo, base)).files).toHaveLength(1);
  expect(statSync(join(repo, ".git/index.lock")).size).toBe(0);
});

test("[DF7] no program that the repository configures runs", async () => {
  const repo = makeRepository({ "a.txt": "1\n", ".gitattributes": "*.txt diff=odd filter=odd\n" });
  const base = runGit(repo, "rev-parse", "HEAD");
  const ran = join(tempDir(), "ran");
  for (const key of ["diff.external", "diff.odd.command", "diff.odd.textconv", "filter.odd.clean", "core.fsmonitor"])
    runGit(repo, "config", key, `sh -c 'echo ${key} >>${ran}; cat'`);
  writeFileSync(join(repo, "a.txt"), "2\n");
  const { text } = await diffWithTree(repo, base);
  expect(text).toContain("-1\n+2\n");
  expect(() => readFileSync(ran, "utf8")).toThrow("ENOENT");
});

test("[DF8] a text ends with a whole line, a list has its most files, and the total counts everything", async () => {
  const repo = makeRepository({ "a.txt": "1\n" });
  const base = runGit(repo, "rev-parse", "HEAD");
  writeFiles(
    repo,
    Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}.txt`, `${"äöü".repeat(20)}\n`.repeat(10)])),
  );
  const { files, total, text, cut } = await diffWithTree(repo, base, { maxTextBytes: 3_000, maxFiles: 7 });
  expect({ listed: files.length, total, cut }).toEqual({
    listed: 7,
    total: { files: 30, added: 300, removed: 0 },
    cut: { files: true, text: true },
  });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3_000);
  expect(text.endsWith("äöü\n")).toBe(true);
  expect(text).not.toContain("\ufffd");
});

test("[DF3 DF9] a saved diff has its files and counts, without the repository that it came from", async () => {
  const repo = makeRepository({ "a.txt": "1\n", "gone.txt": "x\n" });
  const since = await takeSnapshot(repo);
  writeFiles(repo, { "a.txt": "2\n", "new.txt": "n\n", "b.bin": Uint8Array.of(0, 1, 2) });
  runGit(repo, "rm", "--quiet", "gone.txt");
  const file = join(tempDir(), "saved.diff");
  await saveDiff(repo, since, file);
  const { files } = await savedDiff(file);
  expect(files.map(({ path, status, added, removed, binary }) => [path, status, added, removed, binary])).toEqual([
    ["a.txt", "changed", 1, 1, false],
    ["b.bin", "added", 0, 0, true],
    ["gone.txt", "removed", 0, 1, false],
    ["new.txt", "added", 1, 0, false],
  ]);
});

test("[HT48] of a saved diff a huge file does not hide the others: each is cut by itself, and all are listed", async () => {
  const repo = makeRepository({ "a.txt": "1\n" });
  const since = await takeSnapshot(repo);
  writeFiles(repo, { "a-large.txt": "a line of a huge file\n".repeat(150_000), "z-small.txt": "small\n" });
  const file = join(tempDir(), "saved.diff");
  await saveDiff(repo, since, file);
  const { files, total, text, cut } = await savedDiff(file, pageDiffLimits);
  expect(files).toMatchObject([
    { path: "a-large.txt", status: "added", added: 150_000, isCut: true },
    { path: "z-small.txt", status: "added", added: 1 },
  ]);
  expect(files[1]).not.toHaveProperty("isCut");
  expect({ total, cut }).toEqual({
    total: { files: 2, added: 150_001, removed: 0 },
    cut: { files: false, text: true },
  });
  expect(text.length).toBeLessThan(300 * 1024);
  expect(text).toMatch(/a line of a huge file\ndiff --git [^]*\+small\n$/);
  const little = await savedDiff(file, { maxTextBytes: 400, maxFiles: 1 });
  expect(little).toMatchObject({ files: [{ path: "a-large.txt", isCut: true }], cut: { files: true, text: true } });
  expect(little.text).toMatch(/a line of a huge file\n$/);
  expect(little.text.length).toBeLessThanOrEqual(400);
});

test("[DF2] between two commits it is what git itself prints", async () => {
  const repo = makeRepository({ "a.txt": "1\n" });
  const base = runGit(repo, "rev-parse", "HEAD");
  const head = commitFile(repo, "a.txt", "2\n");
  runGit(repo, "config", "diff.noprefix", "true");
  runGit(repo, "config", "color.ui", "always");
  const { text } = await diffBetween(repo, base, head || "HEAD");
  expect(text).toMatch(
    /^diff --git a\/a\.txt b\/a\.txt\nindex .*\n--- a\/a\.txt\n\+\+\+ b\/a\.txt\n@@ -1 \+1 @@\n-1\n\+2\n$/,
  );
});
