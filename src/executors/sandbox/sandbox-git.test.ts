// What git obeys, and a sandbox: nobody inside says where git works and what it runs, now or in the next attempt.

import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { log, makeRepository, runGit } from "../../../test/support/repository.ts";
import { failedToWrite, inside, problem, visibleDir } from "../../../test/support/sandboxes.ts";
import { stubAcp } from "../../../test/support/stub-acp.ts";
import { performWith, printing, stubAgent } from "../../../test/support/stub-agents.ts";
import { transcripts } from "../../../test/support/transcripts.ts";
import { until } from "../../../test/support/until.ts";
import { codex } from "../codex/codex.ts";
import { gitPlaces } from "./git-places.ts";

interface Worktree {
  readonly repo: string;
  readonly cwd: string;
  /** The git directory of this worktree alone. */
  readonly own: string;
}

function worktree(): Worktree {
  const repo = makeRepository({ a: "1" }, { dir: visibleDir() });
  const cwd = join(visibleDir(), "tree");
  runGit(repo, "worktree", "add", "--quiet", cwd, "-b", "work");
  return { repo, cwd, own: join(repo, ".git/worktrees/tree") };
}

/** A repository that is one in name, and whose logs are somebody else's directory. */
function fakeRepository({ repo, cwd }: Worktree, precious: string): string {
  const fake = join(cwd, "fake");
  mkdirSync(fake);
  for (const name of ["objects", "refs"]) symlinkSync(join(repo, ".git", name), join(fake, name));
  symlinkSync(precious, join(fake, "logs"));
  return fake;
}

describe.skipIf(problem !== null)("[EX90] in a sandbox", () => {
  test("nobody changes what says where git works, and a commit is made all the same", async () => {
    const tree = worktree();
    runGit(tree.repo, "config", "extensions.worktreeConfig", "true");
    const { cwd, own } = tree;
    const pointers = [join(cwd, ".git"), join(own, "commondir"), join(own, "gitdir")];
    const before = pointers.map((file) => readFileSync(file, "utf8"));
    for (const file of pointers) {
      failedToWrite(await inside(`echo /elsewhere > '${file}'`, { cwd }));
      expect(await inside(`rm -f '${file}'`, { cwd })).toMatchObject({ outcome: "failed" });
      expect(await inside(`touch new && mv new '${file}'`, { cwd })).toMatchObject({ outcome: "failed" });
    }
    expect(pointers.map((file) => readFileSync(file, "utf8"))).toEqual(before);
    expect(await inside("git config --worktree core.fsmonitor 'touch intruder'", { cwd })).toMatchObject({
      outcome: "failed",
    });
    expect(await inside("echo 2 > a && git commit -qam inside && git branch other", { cwd })).toMatchObject({
      outcome: "ran",
    });
    expect(log(tree.repo, "work")).toEqual(["inside", "first"]);
  });

  test("in a checkout that is no worktree, its settings and hooks stay as they are", async () => {
    const cwd = makeRepository({ a: "1" }, { dir: visibleDir() });
    mkdirSync(join(cwd, ".git/hooks"), { recursive: true });
    failedToWrite(await inside("echo x > .git/config", { cwd }));
    failedToWrite(await inside("echo x > .git/hooks/post-commit", { cwd }));
    expect(await inside("mv .git mine", { cwd })).toMatchObject({ outcome: "failed" });
    expect(await inside("git commit -q --allow-empty -m inside", { cwd })).toMatchObject({ outcome: "ran" });
    expect(log(cwd)).toEqual(["inside", "first"]);
  });

  test("what was led astray before opens nothing: nothing is started", async () => {
    const [tree, precious] = [worktree(), visibleDir()];
    writeFileSync(join(tree.own, "commondir"), fakeRepository(tree, precious));
    const end = await inside(`echo x > '${precious}/intruder'`, { cwd: tree.cwd });
    expect(end).toMatchObject({
      outcome: "failed",
      why: `\`sh\` could not be started: git would work elsewhere: ${tree.own}/commondir leads to another repository (put it right with \`git worktree repair\`, or discard the run)`,
    });
    expect(existsSync(join(precious, "intruder"))).toBe(false);
  });
});

describe.skipIf(problem !== null)("[EX98] in a sandbox, of the branches", () => {
  /** A worktree on a branch of Pawl's, in a repository with other branches, one of which is packed. */
  function pawlsTree(): Worktree {
    const tree = worktree();
    for (const name of ["packed", "pawl/other", "loose", "team/theirs"]) {
      runGit(tree.repo, "branch", name);
      if (name === "packed") runGit(tree.repo, "pack-refs", "--all");
    }
    runGit(tree.cwd, "checkout", "--quiet", "-b", "pawl/mine");
    return tree;
  }
  const branches = ["main", "packed", "pawl/other", "loose", "team/theirs"];
  const placesOf = (repo: string) => branches.map((name) => runGit(repo, "rev-parse", name));

  test("that of the worktree moves, and no other one", async () => {
    const { repo, cwd } = pawlsTree();
    const before = placesOf(repo);
    expect(await inside("echo 2 > a && git commit -qam inside && git stash list", { cwd })).toMatchObject({
      outcome: "ran",
    });
    expect(log(repo, "pawl/mine")).toEqual(["inside", "first"]);
    expect(runGit(repo, "reflog", "pawl/mine")).toContain("inside");
    for (const name of branches) {
      for (const way of [`update-ref refs/heads/${name} HEAD`, `branch -D ${name}`, `branch -M ${name} x`])
        expect(await inside(`git ${way}`, { cwd })).toMatchObject({ outcome: "failed" });
      expect(await inside(`git rev-parse HEAD > '${repo}/.git/refs/heads/${name}'`, { cwd })).toMatchObject({
        outcome: "failed",
      });
    }
    failedToWrite(await inside(`echo x > '${repo}/.git/logs/HEAD'`, { cwd }));
    failedToWrite(await inside(`echo x > '${repo}/.git/logs/refs/heads/main'`, { cwd }));
    failedToWrite(await inside(`echo /x > '${repo}/.git/objects/info/alternates'`, { cwd }));
    failedToWrite(
      await inside(`rm '${repo}/.git/packed-refs' && exit 0; echo x > '${repo}/.git/packed-refs'`, { cwd }),
    );
    expect(placesOf(repo)).toEqual(before);
    expect(runGit(repo, "fsck")).not.toMatch(/error|bad/);
    expect(runGit(repo, "for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n")).toEqual(
      [...branches, "pawl/mine", "work"].toSorted(),
    );
  });

  test("a person moves and packs them meanwhile, and the program commits all the same", async () => {
    const { repo, cwd } = pawlsTree();
    const text = `git commit -q --allow-empty -m one && touch ready && until [ -e go ]; do sleep 0.05; done
      git commit -q --allow-empty -m two`;
    const ended = inside(text, { cwd });
    await until(() => existsSync(join(cwd, "ready")));
    runGit(repo, "commit", "--quiet", "--allow-empty", "-m", "theirs");
    runGit(repo, "branch", "--quiet", "-f", "pawl/other", "main");
    runGit(repo, "branch", "--quiet", "-D", "loose");
    runGit(repo, "pack-refs", "--all", "--prune");
    writeFileSync(join(cwd, "go"), "");
    expect(await ended).toMatchObject({ outcome: "ran" });
    expect([log(repo, "pawl/mine"), log(repo), log(repo, "pawl/other")]).toEqual([
      ["two", "one", "first"],
      ["theirs", "first"],
      ["theirs", "first"],
    ]);
  });

  test("outside of Pawl's folder, those that are files stay, and new ones can be made", async () => {
    const { repo, cwd } = pawlsTree();
    for (const tree of ["work", "team/own", "--detach"]) {
      if (tree === "team/own") runGit(cwd, "checkout", "--quiet", "-b", tree);
      else runGit(cwd, "checkout", "--quiet", tree);
      const before = placesOf(repo);
      const name = `new-${tree.replace(/\W/g, "")}`;
      const text = `git commit -q --allow-empty -m inside && git checkout -q -b ${name} && git commit -q --allow-empty -m more`;
      expect(await inside(text, { cwd })).toMatchObject({ outcome: "ran" });
      expect(log(repo, name).slice(0, 2)).toEqual(["more", "inside"]);
      for (const other of ["main", "pawl/other", "loose", "team/theirs"])
        expect(await inside(`git update-ref refs/heads/${other} HEAD`, { cwd })).toMatchObject({ outcome: "failed" });
      expect(placesOf(repo)).toEqual(before);
    }
  });

  test("a HEAD that leads out of them opens nothing", async () => {
    const { repo, cwd, own } = pawlsTree();
    writeFileSync(join(own, "HEAD"), "ref: refs/heads/pawl/../../../hooks/x\n");
    expect(gitPlaces(cwd).branches.reopened).toEqual([]);
    writeFileSync(join(own, "HEAD"), "ref: refs/heads/pawl/sub/x\n");
    symlinkSync(visibleDir(), join(repo, ".git/refs/heads/pawl/sub"));
    expect(() => gitPlaces(cwd)).toThrow("refs/heads/pawl/sub leads to ");
  });
});

describe("[EX90] pointers that lead astray are followed by nobody", () => {
  test("a worktree's, to a repository that it is not in", () => {
    const tree = worktree();
    expect(gitPlaces(tree.cwd).written).toEqual([tree.own, ...["objects", "refs", "logs"].map(inRepository(tree))]);
    writeFileSync(join(tree.own, "commondir"), fakeRepository(tree, visibleDir()));
    expect(() => gitPlaces(tree.cwd)).toThrow("leads to another repository");
  });

  test("a checkout's, to a directory that says it is a worktree's", () => {
    const [tree, other] = [worktree(), worktree()];
    writeFileSync(join(tree.cwd, ".git"), `gitdir: ${other.own}\n`);
    expect(() => gitPlaces(tree.cwd)).toThrow("which is another worktree's");
    const fake = join(fakeRepository(tree, visibleDir()), "worktrees/tree");
    mkdirSync(fake, { recursive: true });
    writeFileSync(join(fake, "commondir"), "../..");
    writeFileSync(join(fake, "gitdir"), join(tree.cwd, ".git"));
    writeFileSync(join(tree.cwd, ".git"), `gitdir: ${fake}\n`);
    expect(() => gitPlaces(tree.cwd)).toThrow("objects leads to ");
  });

  test("a link in the place of a git directory", () => {
    const cwd = makeRepository();
    renameSync(join(cwd, ".git"), join(cwd, "mine"));
    symlinkSync(visibleDir(), join(cwd, ".git"));
    expect(gitPlaces(cwd).written).toEqual([]);
  });

  test("for Codex in its own sandbox, and for an agent over ACP, as for ours", async () => {
    const tree = worktree();
    writeFileSync(join(tree.own, "commondir"), fakeRepository(tree, visibleDir()));
    const executors = [stubAgent(codex, printing(transcripts["codex"] ?? [])), stubAcp({ acts: [{ say: "hello" }] })];
    for (const executor of executors)
      expect(await performWith(executor, { cwd: tree.cwd })).toMatchObject({
        outcome: "failed",
        why: expect.stringContaining("git would work elsewhere"),
      });
  });
});

function inRepository({ repo }: Worktree): (name: string) => string {
  return (name) => join(repo, ".git", name);
}
