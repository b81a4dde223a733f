import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { countGit } from "../../../test/support/git-count.ts";
import { makeRepository, runGit } from "../../../test/support/repository.ts";
import { keepObject, writeCommit } from "./own-objects.ts";

const dated = {
  GIT_AUTHOR_NAME: "Pawl",
  GIT_AUTHOR_EMAIL: "pawl@localhost",
  GIT_AUTHOR_DATE: "@1 +0000",
  GIT_COMMITTER_NAME: "Pawl",
  GIT_COMMITTER_EMAIL: "pawl@localhost",
  GIT_COMMITTER_DATE: "@1 +0000",
};

test("[GP3] a commit that Pawl writes has the id that git gives it, and git takes it for sound", () => {
  const repo = makeRepository();
  const [tree, head] = [runGit(repo, "rev-parse", "HEAD^{tree}"), runGit(repo, "rev-parse", "HEAD")];
  const ours = writeCommit(join(repo, ".git"), { tree, parents: [head], message: "kept" });
  expect(runGit(repo, "fsck", "--strict")).not.toContain("error");
  expect(runGit(repo, "log", "--format=%an %ae %at %s", "-1", ours)).toBe("Pawl pawl@localhost 1 kept");
  const file = join(repo, ".git/objects", ours.slice(0, 2), ours.slice(2));
  expect(statSync(file).mode & 0o777).toBe(0o444);
  for (const [name, value] of Object.entries(dated)) vi.stubEnv(name, value);
  expect(runGit(repo, "commit-tree", tree, "-p", head, "-m", "kept")).toBe(ours);
  const merged = writeCommit(join(repo, ".git"), { tree, parents: [head, ours], message: "kept" });
  expect(runGit(repo, "commit-tree", tree, "-p", head, "-p", ours, "-m", "kept")).toBe(merged);
});

test("[GP3] a ref that keeps it survives git gc, needs no process, and waits for no lock that a killed process left", async () => {
  const repo = makeRepository();
  const dir = join(repo, ".git");
  const tree = runGit(repo, "rev-parse", "HEAD^{tree}");
  const kept = writeCommit(dir, { tree, parents: [], message: "kept" });
  const count = countGit();
  await keepObject(dir, `refs/pawl/x/${kept}`, kept);
  await keepObject(dir, `refs/pawl/x/${kept}`, kept);
  expect(count()).toEqual([]);
  runGit(repo, "gc", "--quiet", "--prune=now");
  expect(runGit(repo, "cat-file", "-t", kept)).toBe("commit");
  expect(runGit(repo, "for-each-ref", "--format=%(refname)", "refs/pawl")).toBe(`refs/pawl/x/${kept}`);

  const other = writeCommit(dir, { tree, parents: [], message: "other" });
  const lock = join(dir, `refs/pawl/x/${other}.lock`);
  mkdirSync(join(dir, "refs/pawl/x"), { recursive: true });
  writeFileSync(lock, "");
  utimesSync(lock, 1, 1);
  await keepObject(dir, `refs/pawl/x/${other}`, other);
  expect(runGit(repo, "rev-parse", `refs/pawl/x/${other}`)).toBe(other);
  expect(existsSync(lock)).toBe(false);
});
