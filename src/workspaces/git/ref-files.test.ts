import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitFile, makeRepository, runGit } from "../../../test/support/repository.ts";
import { refsStarting } from "./ref-files.ts";

const askGit = (repo: string, ...patterns: readonly string[]) =>
  new Map(
    runGit(repo, "for-each-ref", "--format=%(refname) %(objectname)", ...patterns)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(" ") as [string, string]),
  );

test("[GP1] refs read from files are those that git names: loose, packed, packed and moved since, and deleted since", () => {
  const repo = makeRepository();
  const first = runGit(repo, "rev-parse", "HEAD");
  const dir = join(repo, ".git");
  for (const name of ["a", "a-2", "b/c", "b/d/e", "gone"]) runGit(repo, "branch", name);
  runGit(repo, "tag", "--annotate", "--message=x", "v1");
  runGit(repo, "pack-refs", "--all");
  const second = commitFile(repo, "x.txt", "1");
  runGit(repo, "branch", "--force", "b/c", second);
  runGit(repo, "branch", "b/new", second);
  runGit(repo, "branch", "-D", "gone");
  writeFileSync(join(dir, "refs/heads/b/new.lock"), "");

  const heads = refsStarting(dir, ["refs/heads/"]);
  expect(heads).toEqual(askGit(repo, "refs/heads"));
  expect(heads?.get("refs/heads/b/c")).toBe(second);
  expect(refsStarting(dir, ["refs/heads/a"])).toEqual(askGit(repo, "refs/heads/a", "refs/heads/a-2"));
  expect(refsStarting(dir, ["refs/heads/b/", "refs/heads/gone"])).toEqual(askGit(repo, "refs/heads/b"));
  expect(refsStarting(dir, ["refs/heads/main"])).toEqual(new Map([["refs/heads/main", second]]));
  expect(refsStarting(dir, ["refs/tags/v1"])).toEqual(askGit(repo, "refs/tags/v1"));
  expect(refsStarting(dir, ["refs/pawl/x/y"])).toEqual(new Map());
  expect(refsStarting(dir, ["refs/heads/a/b"])).toEqual(new Map());
  expect(first).not.toBe(second);
});

test("[GP1] what the files alone do not say is left to git", () => {
  const repo = makeRepository();
  const dir = join(repo, ".git");
  runGit(repo, "symbolic-ref", "refs/heads/alias", "refs/heads/main");
  expect(refsStarting(dir, ["refs/heads/alias"])).toBe(null);
  expect(refsStarting(dir, ["refs/heads/main"])?.size).toBe(1);
  mkdirSync(join(dir, "refs/pawl"));
  writeFileSync(join(dir, "refs/pawl/half"), "12");
  expect(refsStarting(dir, ["refs/pawl/"])).toBe(null);
  rmSync(join(dir, "packed-refs"), { force: true });
  symlinkSync("packed-refs", join(dir, "packed-refs"));
  expect(refsStarting(dir, ["refs/heads/main"])).toBe(null);
  rmSync(join(dir, "packed-refs"));
  writeFileSync(join(dir, "HEAD"), "ref: refs/heads/.invalid\n");
  expect(refsStarting(dir, ["refs/heads/main"])).toBe(null);
});
