import { rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitFile, makeRepository, runGit } from "../../../test/support/repository.ts";
import { indexFlags } from "./index-file.ts";

const files = Object.fromEntries(
  // Names of every length modulo 8, because entries are padded to it.
  ["a", "ab/c", "ab/cde", "ab/cdefgh", `long/${"x".repeat(200)}`, "ü.txt", "z z.txt"].map((name) => [
    name,
    `${name}\n`,
  ]),
);

test.each([2, 4])("[GP4] an index of version %i says whether it hides a file or has a conflict", (version) => {
  const repo = makeRepository(files);
  const index = join(repo, ".git/index");
  const flags = () => indexFlags(index, 40);
  runGit(repo, "update-index", "--index-version", String(version));
  expect(flags()).toEqual({ hidesFiles: false, isUnmerged: false });
  runGit(repo, "update-index", "--assume-unchanged", "z z.txt");
  expect(flags()).toEqual({ hidesFiles: true, isUnmerged: false });
  runGit(repo, "update-index", "--no-assume-unchanged", "z z.txt");
  // Version 2 becomes 3 by this.
  runGit(repo, "update-index", "--skip-worktree", "ab/cde");
  expect(flags()).toEqual({ hidesFiles: true, isUnmerged: false });
  runGit(repo, "update-index", "--no-skip-worktree", "ab/cde");
  runGit(repo, "rm", "--cached", "--quiet", "a");
  writeFileSync(join(repo, "new"), "x");
  runGit(repo, "add", "--intent-to-add", "new");
  expect(flags()).toEqual({ hidesFiles: false, isUnmerged: false });
  runGit(repo, "reset", "--quiet", "--hard");

  runGit(repo, "checkout", "--quiet", "-b", "side");
  commitFile(repo, "a", "side\n");
  runGit(repo, "checkout", "--quiet", "main");
  commitFile(repo, "a", "main\n");
  expect(() => runGit(repo, "merge", "--quiet", "side")).toThrow("Command failed");
  expect(flags()).toEqual({ hidesFiles: false, isUnmerged: true });
});

test("[GP4] an index that is broken, split or sparse is not judged; one that is missing hides nothing", () => {
  const repo = makeRepository(files);
  const index = join(repo, ".git/index");
  runGit(repo, "update-index", "--split-index");
  expect(indexFlags(index, 40)).toBe(null);
  runGit(repo, "update-index", "--no-split-index");
  expect(indexFlags(index, 40)).toEqual({ hidesFiles: false, isUnmerged: false });
  runGit(repo, "sparse-checkout", "set", "--cone", "--sparse-index", "ab");
  expect(indexFlags(index, 40)).toBe(null);
  truncateSync(index, 150);
  expect(indexFlags(index, 40)).toBe(null);
  writeFileSync(index, "junk");
  expect(indexFlags(index, 40)).toBe(null);
  rmSync(index);
  expect(indexFlags(index, 40)).toEqual({ hidesFiles: false, isUnmerged: false });
});
