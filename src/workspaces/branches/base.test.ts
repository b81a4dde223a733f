import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import {
  commitFile,
  configureUser,
  fingerprint,
  makeRepository,
  runGit,
  tempDir,
  writeFiles,
} from "../../../test/support/repository.ts";
import { inspectRepository } from "../git/repository.ts";
import { type BaseOptions, resolveBase } from "./base.ts";

const baseIn = async (repo: string, options: BaseOptions = {}) =>
  await resolveBase(await inspectRepository(repo), options);

/** A bare remote, the user's clone, and a colleague who pushes. */
function makeTeam(): { remote: string; repo: string; push: (content: string, branch?: string) => string } {
  const dir = tempDir();
  const [remote, repo, colleague] = [join(dir, "remote.git"), join(dir, "repo"), join(dir, "colleague")];
  runGit(makeRepository({ "a.txt": "1" }), "clone", "--quiet", "--bare", ".", remote);
  for (const clone of [repo, colleague]) {
    runGit(dir, "clone", "--quiet", remote, clone);
    configureUser(clone);
  }
  const push = (content: string, branch = "main") => {
    runGit(colleague, "checkout", "--quiet", "-B", branch);
    const commit = commitFile(colleague, "a.txt", content);
    runGit(colleague, "push", "--quiet", "origin", branch);
    return commit;
  };
  return { remote, repo, push };
}

test("[WS2] without a name, the work starts from the current branch", async () => {
  const repo = makeRepository();
  runGit(repo, "checkout", "--quiet", "-b", "topic");
  const commit = commitFile(repo, "a.txt", "1");
  expect(await baseIn(repo)).toEqual({ commit, name: "topic", notes: [] });
});

test("[WS2] from a detached HEAD it starts from that commit, and says so", async () => {
  const repo = makeRepository();
  runGit(repo, "checkout", "--quiet", "--detach");
  const commit = runGit(repo, "rev-parse", "HEAD");
  expect(await baseIn(repo)).toMatchObject({ commit, name: commit.slice(0, 12), notes: [expect.any(String)] });
});

test("[WS2] a base can be a branch, a tag, a commit or an expression", async () => {
  const repo = makeRepository();
  const first = runGit(repo, "rev-parse", "HEAD");
  runGit(repo, "tag", "-m", "release", "v1.0");
  runGit(repo, "branch", "topic");
  const second = commitFile(repo, "a.txt", "1");
  for (const base of ["v1.0", "topic", first, first.slice(0, 10), "main~1", "HEAD^"]) {
    expect(await baseIn(repo, { base })).toMatchObject({ commit: first, name: base });
  }
  expect(await baseIn(repo, { base: "main" })).toMatchObject({ commit: second });
});

test("[WS2] a stale local branch gives way to its remote one, which is fetched first", async () => {
  const { repo, push } = makeTeam();
  const commit = push("2");
  const before = fingerprint(repo);
  expect(await baseIn(repo)).toEqual({
    commit,
    name: "origin/main",
    notes: ["main is behind origin/main: starting from origin/main"],
  });
  expect(fingerprint(repo)).toEqual(before);
});

test("[WS2] without fetching, what is known locally is used", async () => {
  const { repo, push } = makeTeam();
  push("2");
  const commit = runGit(repo, "rev-parse", "main");
  expect(await baseIn(repo, { fetch: false })).toEqual({ commit, name: "main", notes: [] });
});

test("[WS2] a local branch that is ahead or has diverged is used, the latter with a note", async () => {
  const { repo, push } = makeTeam();
  const ahead = commitFile(repo, "b.txt", "mine");
  expect(await baseIn(repo)).toEqual({ commit: ahead, name: "main", notes: [] });
  push("theirs");
  expect(await baseIn(repo)).toEqual({
    commit: ahead,
    name: "main",
    notes: [expect.stringContaining("diverged")],
  });
});

test("[WS2] a branch that only the remote has is found, also by its remote name", async () => {
  const { repo, push } = makeTeam();
  const commit = push("2", "release/2");
  expect(await baseIn(repo, { base: "release/2" })).toMatchObject({ commit, name: "origin/release/2" });
  const newer = push("3", "release/2");
  expect(await baseIn(repo, { base: "origin/release/2" })).toMatchObject({ commit: newer, notes: [] });
});

test("[WS2] a remote that cannot be reached is a note, not an end", async () => {
  const { repo } = makeTeam();
  runGit(repo, "remote", "set-url", "origin", join(tempDir(), "gone.git"));
  const base = await baseIn(repo);
  expect(base).toMatchObject({ commit: runGit(repo, "rev-parse", "main"), name: "main" });
  expect(base.notes).toEqual([expect.stringContaining("origin could not be fetched")]);
});

test("[WS2] a remote that hangs is not waited for", async () => {
  const { repo } = makeTeam();
  const ssh = join(tempDir(), "ssh");
  writeFileSync(ssh, "#!/bin/sh\nsleep 600\n");
  chmodSync(ssh, 0o755);
  vi.stubEnv("GIT_SSH", ssh);
  runGit(repo, "remote", "set-url", "origin", "ssh://localhost/x.git");
  const base = await baseIn(repo, { fetchTimeoutMs: 300 });
  expect(base.notes).toEqual([expect.stringContaining("did not end within")]);
});

test("[WS1] fetching moves no local branch, also where the repository is a mirror", async () => {
  const { repo, push } = makeTeam();
  runGit(repo, "config", "remote.origin.fetch", "+refs/*:refs/*");
  runGit(repo, "config", "remote.origin.mirror", "true");
  push("2");
  push("3", "other");
  runGit(repo, "branch", "other");
  writeFiles(repo, { "a.txt": "my work", "new.txt": "mine" });
  const before = fingerprint(repo);
  await baseIn(repo);
  for (const base of ["origin/main", "other", "origin/other"]) await baseIn(repo, { base });
  expect(fingerprint(repo)).toEqual(before);
});

test("[WS9] an unknown base is refused with names that are near", async () => {
  const repo = makeRepository();
  runGit(repo, "branch", "develop");
  runGit(repo, "tag", "v2.0");
  await expect(baseIn(repo, { base: "develp" })).rejects.toMatchObject({
    code: "BASE_NOT_FOUND",
    hint: "did you mean develop?",
  });
});

test.each(["", "-x", "--upload-pack=touch pwned", "a..b", "a b", "a:b", "+main", "*", "refs/*", "a\0b", "a\nb"])(
  "[WS9] %j is not taken for a base",
  async (base) => {
    await expect(baseIn(makeRepository(), { base })).rejects.toMatchObject({ code: "BASE_NOT_FOUND" });
  },
);

test("[WS2] a repository without commits has no base", async () => {
  await expect(baseIn(makeRepository({}))).rejects.toMatchObject({
    code: "REPOSITORY_UNUSABLE",
    message: expect.stringContaining("no commits"),
    hint: expect.stringContaining("git commit"),
  });
});
