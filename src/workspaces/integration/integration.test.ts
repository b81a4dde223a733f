import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { startModule } from "../../../test/support/program-words.ts";
import {
  commitFile,
  fingerprint,
  log,
  makeRepository,
  runGit,
  tempDir,
  writeFiles,
} from "../../../test/support/repository.ts";
import { type SlotWorld, shimGit, slotsFor } from "../../../test/support/slots.ts";
import { until } from "../../../test/support/until.ts";
import { processIdentity } from "../../system/process/identity.ts";
import { findMarked } from "../../system/process/strays.ts";
import { gitMarker } from "../git/git.ts";
import { parkStory } from "../slots/parking.ts";
import { leaveStory, occupantOf } from "../slots/slot.ts";
import { takeSnapshot } from "../trees/snapshot.ts";
import { type IntegrationRequest, integrateStory, publishSide, tipOf } from "./integration.ts";

const at = (repo: string, ref: string) => runGit(repo, "rev-parse", ref);
const branches = (repo: string) => runGit(repo, "for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n");
const fsck = (repo: string) => runGit(repo, "fsck", "--no-dangling", "--strict");
const show = (repo: string, file: string) => runGit(repo, "show", file);

/** All that must be the same after a refusal. */
async function stateOf(path: string) {
  return {
    snapshot: await takeSnapshot(path),
    status: runGit(path, "status", "--porcelain=v2", "--branch", "--untracked-files=all"),
    head: runGit(path, "reflog", "-1", "--format=%H"),
    merging: existsSync(join(runGit(path, "rev-parse", "--absolute-git-dir"), "MERGE_HEAD")),
  };
}

/** A user who works on another branch, so that main can be moved. */
async function makeWorld(files: Record<string, string> = { "a.txt": "1\n", "b.txt": "1\n" }): Promise<SlotWorld> {
  const repo = makeRepository(files);
  runGit(repo, "checkout", "--quiet", "-b", "elsewhere");
  return slotsFor(repo);
}

async function integrated(world: SlotWorld, story: string, more: Partial<IntegrationRequest> = {}) {
  const integration = await integrateStory(world.request(story, more));
  if (integration.result !== "integrated") throw new Error(JSON.stringify(integration));
  return integration;
}

test.each([true, false])(
  "[WS23] by-products that a story left untracked are not in its commit; tracked and staged ones are (base moved: %s)",
  async (isMoved) => {
    const world = await makeWorld({ "a.txt": "1\n", "coverage/kept.txt": "1\n" });
    const { path } = await world.enter("US-1");
    if (isMoved) {
      runGit(world.repo, "checkout", "--quiet", "main");
      commitFile(world.repo, "theirs.txt", "1\n");
      runGit(world.repo, "checkout", "--quiet", "elsewhere");
    }
    writeFiles(path, { "fixtures/sample.log": "staged\n" });
    runGit(path, "add", "fixtures/sample.log");
    writeFiles(path, { "coverage/kept.txt": "2\n", "coverage/lcov.info": "x\n", "src/a.ts": "x\n" });
    writeFiles(path, { "src/__pycache__/a.pyc": "x\n", "reports/r.xml": "x\n", "debug.log": "x\n" });
    const { notes, commit } = await integrated(world, "US-1");
    expect(runGit(world.repo, "show", "--name-only", "--format=", commit).split("\n")).toEqual([
      "coverage/kept.txt",
      "fixtures/sample.log",
      "src/a.ts",
    ]);
    expect(notes).toEqual([
      "what tools left behind is not in the commit: coverage/lcov.info, debug.log, reports/r.xml, src/__pycache__/a.pyc",
    ]);
    await leaveStory({ path, repo: world.repo, commit });

    await world.enter("US-2");
    writeFiles(path, { "coverage/lcov.info": "x\n" });
    expect(await integrateStory(world.request("US-2"))).toMatchObject({ result: "unchanged" });
  },
);

test("[WS23] by-products stay out where the work is merged in its tree, too", async () => {
  const world = await makeWorld();
  const { path } = await world.enter("US-1");
  runGit(path, "checkout", "--quiet", "-b", "other");
  commitFile(path, "other.txt", "1\n");
  runGit(path, "checkout", "--quiet", "pawl/1/US-1");
  commitFile(path, "own.txt", "1\n");
  runGit(path, "merge", "--quiet", "--no-commit", "other");
  writeFiles(path, { "x.log": "x\n" });
  const { commit } = await integrated(world, "US-1");
  expect(runGit(world.repo, "ls-tree", "--name-only", commit).split("\n")).toEqual([
    "a.txt",
    "b.txt",
    "other.txt",
    "own.txt",
  ]);
});

test.each([true, false])(
  "[WS21] a story whose agent began a history of its own is integrated by its files (base moved: %s)",
  async (isMoved) => {
    const world = await makeWorld();
    const { path } = await world.enter("US-1");
    if (isMoved) {
      runGit(world.repo, "checkout", "--quiet", "main");
      commitFile(world.repo, "theirs.txt", "1\n");
      runGit(world.repo, "checkout", "--quiet", "elsewhere");
    }
    runGit(path, "checkout", "--quiet", "--orphan", "fresh");
    runGit(path, "rm", "--quiet", "--force", "b.txt");
    commitFile(path, "own.txt", "1\n");
    writeFiles(path, { "a.txt": "changed\n" });
    const { commit } = await integrated(world, "US-1");
    expect(runGit(world.repo, "show", "--no-renames", "--name-status", "--format=", commit)).toBe(
      "M\ta.txt\nD\tb.txt\nA\town.txt",
    );
    expect(log(world.repo, "main")).toEqual(["feat: US-1", ...(isMoved ? ["change theirs.txt"] : []), "first"]);
    expect(fsck(world.repo)).toBe("");
  },
);

test("[WS14] commits, staged, changed and new files of a story become one commit of the user's on the base", async () => {
  const world = await makeWorld({ "a.txt": "1\n", "b.txt": "1\n", ".gitignore": "*.log\n" });
  const { path } = await world.enter("US-1");
  commitFile(path, "c.txt", "committed\n");
  commitFile(path, "c.txt", "committed again\n");
  writeFiles(path, { "a.txt": "staged\n", "new.txt": "new\n", "x.log": "ignored\n" });
  runGit(path, "add", "a.txt");
  writeFiles(path, { "b.txt": "changed\n" });
  const seen: string[] = [];
  const check = async (place: string) => {
    seen.push(runGit(place, "status", "--porcelain"), runGit(place, "log", "-1", "--format=%s"));
    writeFiles(place, { "report.txt": "left by a check\n", "a.txt": "and this\n" });
    return null;
  };
  const { commit, on, notes } = await integrated(world, "US-1", { check });
  expect([on, notes, at(world.repo, "main")]).toEqual(["main", [], commit]);
  expect(seen).toEqual(["", "feat: US-1"]);
  expect(log(world.repo, "main")).toEqual(["feat: US-1", "first"]);
  expect(runGit(world.repo, "log", "-1", "--format=%an <%ae>", "main")).toBe("Test <test@example.invalid>");
  expect(runGit(world.repo, "diff", "--name-status", "elsewhere", "main")).toBe(
    "M\ta.txt\nM\tb.txt\nA\tc.txt\nA\tnew.txt",
  );
  expect(show(world.repo, "main:a.txt")).toBe("staged");
  // Its branch ends by the move of the base.
  expect(branches(world.repo)).toEqual(["elsewhere", "main"]);
  await leaveStory({ path, repo: world.repo, commit });
  expect(branches(world.repo)).toEqual(["elsewhere", "main"]);
  expect([occupantOf(path), at(path, "HEAD")]).toEqual([null, commit]);
  expect(fsck(world.repo)).toBe("");
});

test("[WS14] binary files, modes, links, deleted and renamed files arrive as they are, over changes of others", async () => {
  const world = await makeWorld({ "a.txt": "1\n", "old.txt": "x\n".repeat(30), "gone.txt": "1\n", "run.sh": "true\n" });
  const { path } = await world.enter("US-1");
  renameSync(join(path, "old.txt"), join(path, "renamed.txt"));
  rmSync(join(path, "gone.txt"));
  chmodSync(join(path, "run.sh"), 0o755);
  symlinkSync("a.txt", join(path, "link"));
  const bytes = new Uint8Array([0, 255, 13, 10, 1]);
  writeFiles(path, { "pixel.png": bytes, "dir/ü x.txt": "1\n" });
  commitOnMain(world, "old.txt", `${"x\n".repeat(30)}by another\n`);
  const { commit } = await integrated(world, "US-1");
  const out = join(tempDir(), "out");
  runGit(world.repo, "worktree", "add", "--quiet", "--detach", out, commit);
  expect(readFileSync(join(out, "renamed.txt"), "utf8")).toBe(`${"x\n".repeat(30)}by another\n`);
  expect(["old.txt", "gone.txt"].filter((name) => existsSync(join(out, name)))).toEqual([]);
  expect(lstatSync(join(out, "run.sh")).mode & 0o111).toBe(0o111);
  expect(lstatSync(join(out, "link")).isSymbolicLink()).toBe(true);
  expect(new Uint8Array(readFileSync(join(out, "pixel.png")))).toEqual(bytes);
  expect(readFileSync(join(out, "dir/ü x.txt"), "utf8")).toBe("1\n");
});

/** A commit by somebody else, without a checkout. */
function commitOnMain(world: SlotWorld, name: string, content: string): string {
  const tree = join(world.home, `other-${readdirSync(world.home).length}`);
  runGit(world.repo, "worktree", "add", "--quiet", "--detach", tree, "main");
  const commit = commitFile(tree, name, content);
  runGit(world.repo, "update-ref", "refs/heads/main", commit);
  runGit(world.repo, "worktree", "remove", "--force", tree);
  return commit;
}

test("[WS14] a base that has moved on: the commit is put on top of it, and checked there", async () => {
  const world = await makeWorld();
  const { path } = await world.enter("US-1");
  commitFile(path, "a.txt", "mine\n");
  commitOnMain(world, "b.txt", "theirs\n");
  const check = async (place: string) =>
    readFileSync(join(place, "b.txt"), "utf8") === "theirs\n" ? null : "too early";
  await integrated(world, "US-1", { check });
  expect(log(world.repo, "main")).toEqual(["feat: US-1", "change b.txt", "first"]);
});

test("[WS14] a base that moves while the checks run: again from its new tip, and every commit is there once", async () => {
  const world = await makeWorld();
  const { path } = await world.enter("US-1");
  commitFile(path, "a.txt", "mine\n");
  let checks = 0;
  const check = async (place: string) => {
    checks += 1;
    // In the way of a file that comes from the base.
    writeFiles(place, { [`later-${checks}.txt`]: "left by a check\n" });
    if (checks < 4) commitOnMain(world, `later-${checks}.txt`, "theirs\n");
    return null;
  };
  await integrated(world, "US-1", { check });
  expect(checks).toBe(4);
  expect(log(world.repo, "main")).toEqual([
    "feat: US-1",
    "change later-3.txt",
    "change later-2.txt",
    "change later-1.txt",
    "first",
  ]);
  expect(show(world.repo, "main:later-1.txt")).toBe("theirs");
});

test("[WS14] a base that never stops moving is given up, with the tree as it was", async () => {
  const world = await makeWorld();
  const { path } = await world.enter("US-1");
  commitFile(path, "a.txt", "mine\n");
  const before = await stateOf(path);
  let checks = 0;
  const check = async () => {
    commitOnMain(world, "b.txt", `change ${(checks += 1)}\n`);
    return null;
  };
  await expect(integrateStory(world.request("US-1", { check }))).rejects.toMatchObject({ code: "WORKSPACE_BUSY" });
  expect(checks).toBe(10);
  expect(await stateOf(path)).toEqual(before);
});

test("[WS15] a conflict names the files and leaves tree, branch and base exactly as they were", async () => {
  const world = await makeWorld();
  const { path } = await world.enter("US-1");
  commitFile(path, "a.txt", "mine\n");
  writeFiles(path, { "b.txt": "mine too\n", "new.txt": "untracked\n" });
  runGit(path, "add", "b.txt");
  const onto = commitOnMain(world, "a.txt", "theirs\n");
  const before = await stateOf(path);
  expect(await integrateStory(world.request("US-1"))).toEqual({ result: "conflict", onto, files: ["a.txt"] });
  expect(await stateOf(path)).toEqual(before);
  expect(at(world.repo, "main")).toBe(onto);

  // The agent resolves it in a rebase of its own, and the story is integrated.
  runGit(path, "stash", "--quiet", "--include-untracked");
  expect(() => runGit(path, "rebase", "main")).toThrow("a.txt");
  writeFiles(path, { "a.txt": "both\n" });
  runGit(path, "add", "a.txt");
  expect(await integrateStory(world.request("US-1"))).toMatchObject({ result: "conflict", files: [] });
  runGit(path, "rebase", "--continue");
  await integrated(world, "US-1");
  expect(show(world.repo, "main:a.txt")).toBe("both");
  expect(log(world.repo, "main")).toEqual(["feat: US-1", "change a.txt", "first"]);
});

test("[WS15] an agent that merged the base instead: one commit with its resolution, committed or not, red or green", async () => {
  const world = await makeWorld();
  const { path } = await world.enter("US-1");
  commitFile(path, "a.txt", "mine\n");
  const onto = commitOnMain(world, "a.txt", "theirs\n");
  expect(() => runGit(path, "merge", "main")).toThrow("git merge main");
  expect(await integrateStory(world.request("US-1"))).toEqual({ result: "conflict", onto, files: ["a.txt"] });
  writeFiles(path, { "a.txt": "both\n" });
  runGit(path, "add", "a.txt");
  const before = await stateOf(path);
  expect(before.merging).toBe(true);
  const red = await integrateStory(world.request("US-1", { check: async () => "1 test failed" }));
  expect(red).toEqual({ result: "red", onto, output: "1 test failed" });
  expect(await stateOf(path)).toEqual(before);

  commitOnMain(world, "c.txt", "later\n");
  await integrated(world, "US-1");
  expect(show(world.repo, "main:a.txt")).toBe("both");
  expect(log(world.repo, "main")).toEqual(["feat: US-1", "change c.txt", "change a.txt", "first"]);
  expect(runGit(world.repo, "log", "--merges", "--format=%s", "main")).toBe("");
});

test("[WS15] red checks leave everything as it was, also when nothing had to be rebased, and when they throw", async () => {
  const world = await makeWorld();
  const { path } = await world.enter("US-1");
  commitFile(path, "a.txt", "mine\n");
  writeFiles(path, { "b.txt": "uncommitted\n", "new.txt": "new\n" });
  const before = await stateOf(path);
  const onto = at(world.repo, "main");
  const check = async (place: string) => {
    writeFiles(place, { "a.txt": "by a check\n", "left.txt": "by a check\n" });
    return "1 test failed";
  };
  expect(await integrateStory(world.request("US-1", { check }))).toEqual({
    result: "red",
    onto,
    output: "1 test failed",
  });
  expect(await stateOf(path)).toEqual(before);
  expect(existsSync(join(path, "left.txt"))).toBe(false);
  const broken = async () => {
    throw new Error("no shell");
  };
  await expect(integrateStory(world.request("US-1", { check: broken }))).rejects.toThrow("no shell");
  expect(await stateOf(path)).toEqual(before);
  expect(at(world.repo, "main")).toBe(onto);
});

test("[WS14] a story that changed nothing, or only what is there already, makes no commit", async () => {
  const world = await makeWorld();
  const { path } = await world.enter("US-1");
  const tip = at(world.repo, "main");
  expect(await integrateStory(world.request("US-1"))).toEqual({ result: "unchanged", commit: tip });
  commitFile(path, "a.txt", "the same\n");
  const theirs = commitOnMain(world, "a.txt", "the same\n");
  const before = await stateOf(path);
  expect(await integrateStory(world.request("US-1"))).toEqual({ result: "unchanged", commit: theirs });
  expect(await stateOf(path)).toEqual(before);
});

test("[WS14] integrating twice gives one commit, also after others have followed", async () => {
  const world = await makeWorld();
  const { path } = await world.enter("US-1");
  commitFile(path, "a.txt", "mine\n");
  const first = await integrated(world, "US-1");
  commitOnMain(world, "b.txt", "later\n");
  expect(await integrated(world, "US-1", { check: async () => "not asked again" })).toEqual(first);
  await leaveStory({ path, repo: world.repo, commit: first.commit });
  expect(await integrated(world, "US-1")).toEqual(first);
  expect(log(world.repo, "main")).toEqual(["change b.txt", "feat: US-1", "first"]);
});

test("[WS14] in a bare repository", async () => {
  const bare = join(tempDir(), "bare.git");
  const origin = makeRepository({ "a.txt": "1\n" });
  runGit(origin, "clone", "--quiet", "--bare", ".", bare);
  const world = slotsFor(bare);
  const { path } = await world.enter("US-1");
  writeFiles(path, { "a.txt": "mine\n" });
  const { commit, on } = await integrated(world, "US-1");
  expect([on, at(bare, "main"), log(bare, "main")]).toEqual(["main", commit, ["feat: US-1", "first"]]);
});

test("[WS14] without an identity it is ours; with any settings nothing waits, signs, asks or runs", async () => {
  const world = await makeWorld({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", ".gitattributes": "*.txt merge=slow\n" });
  const hooks = tempDir();
  writeFileSync(join(hooks, "pre-rebase"), "#!/bin/sh\nexit 1\n");
  chmodSync(join(hooks, "pre-rebase"), 0o755);
  const { path } = await world.enter("US-1");
  commitFile(path, "a.txt", "mine\n2\n3\n4\n5\n6\n7\n8\n9\n");
  commitOnMain(world, "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\ntheirs\n");
  runGit(world.repo, "branch", "bystander", "pawl/1/US-1");
  const work = at(world.repo, "bystander");
  const settings = `[commit]\n\tgpgSign = true\n\ttemplate = /nowhere\n\tcleanup = strip\n[gpg]\n\tprogram = false\n[rebase]
\tautoStash = true\n\tautoSquash = true\n\tupdateRefs = true\n\tbackend = apply\n\tmissingCommitsCheck = error\n[rerere]\n\tenabled = true
[merge "slow"]\n\tdriver = sleep 1000\n[core]\n\thooksPath = ${hooks}\n\teditor = sleep 1000\n[sequence]\n\teditor = sleep 1000\n`;
  writeFileSync(join(world.repo, ".git/config"), `[core]\n\tbare = false\n${settings}`);
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
  const message = "feat: US-1\n\n# not a comment\nÄ";
  const { commit } = await integrated(world, "US-1", { message });
  vi.unstubAllEnvs();
  expect(show(world.repo, "main:a.txt")).toBe("mine\n2\n3\n4\n5\n6\n7\n8\ntheirs");
  const format = "--format=%an <%ae> %cn <%ce>%n%B";
  expect(runGit(world.repo, "log", "-1", format, commit).trimEnd()).toBe(
    `Pawl <pawl@localhost> Pawl <pawl@localhost>\n${message}`,
  );
  expect(at(world.repo, "bystander")).toBe(work);
});

test("[WS14] submodules and repositories inside the tree do not break it", async () => {
  const world = await makeWorld();
  const other = makeRepository({ "x.txt": "1\n" });
  const { path } = await world.enter("US-1");
  runGit(path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub");
  runGit(path, "init", "--quiet", "empty");
  writeFiles(path, { "a.txt": "mine\n" });
  commitOnMain(world, "b.txt", "theirs\n");
  const { commit } = await integrated(world, "US-1");
  expect(runGit(world.repo, "ls-tree", "main", "sub")).toContain("160000 commit");
  await leaveStory({ path, repo: world.repo, commit });
  const second = await world.enter("US-2");
  writeFiles(second.path, { "b.txt": "mine\n" });
  await integrated(world, "US-2");
  expect(log(world.repo, "main")).toEqual(["feat: US-2", "feat: US-1", "change b.txt", "first"]);
});

test("[WS16] a base that is checked out and clean goes along with its files", async () => {
  const world = slotsFor(makeRepository({ "a.txt": "1\n" }));
  const { path } = await world.enter("US-1");
  writeFiles(world.repo, { "notes.txt": "untracked\n" });
  writeFiles(path, { "a.txt": "mine\n", "new.txt": "new\n" });
  const { commit } = await integrated(world, "US-1");
  expect(at(world.repo, "HEAD")).toBe(commit);
  expect(runGit(world.repo, "status", "--porcelain", "--branch")).toBe("## main\n?? notes.txt");
  expect(readFileSync(join(world.repo, "new.txt"), "utf8")).toBe("new\n");
});

test("[WS16] a base with somebody's work on it: commits go to the side branch, the next stories start there, all is published in the end", async () => {
  const world = slotsFor(makeRepository({ "a.txt": "1\n", "b.txt": "1\n", "c.txt": "1\n", ".gitignore": "*.log\n" }));
  const { repo } = world;
  const first = await world.enter("US-1");
  writeFiles(repo, { "a.txt": "staged\n", "b.txt": "changed\n", "u.txt": "untracked\n", "x.log": "ignored\n" });
  runGit(repo, "add", "a.txt");
  const before = { ...fingerprint(repo), branches: "" };
  writeFiles(first.path, { "c.txt": "one\n" });
  const one = await integrated(world, "US-1");
  expect(one).toMatchObject({ on: "pawl/1-side", commit: at(repo, "pawl/1-side") });
  expect(one.notes.join()).toContain(`main is checked out in ${repo} with 2 uncommitted files`);
  expect(one.notes.join()).toContain("`git merge pawl/1-side`");
  expect(await tipOf(world.request("US-2"))).toBe(one.commit);
  expect(await integrated(world, "US-1")).toMatchObject({ on: "pawl/1-side", commit: one.commit });
  await leaveStory({ path: first.path, repo, commit: one.commit });

  const second = await world.enter("US-2");
  writeFiles(second.path, { "d.txt": "two\n" });
  const two = await integrated(world, "US-2");
  expect(two.on).toBe("pawl/1-side");
  expect(log(repo, "pawl/1-side")).toEqual(["feat: US-2", "feat: US-1", "first"]);
  const { published, note } = await publishSide(world.request("US-2"));
  expect([published, note]).toEqual([false, expect.stringContaining("2 uncommitted files")]);
  await leaveStory({ path: second.path, repo, commit: two.commit });
  expect({ ...fingerprint(repo), branches: "" }).toEqual(before);

  runGit(repo, "stash", "--quiet");
  const third = await world.enter("US-3");
  writeFiles(third.path, { "e.txt": "three\n" });
  expect(await integrated(world, "US-3")).toMatchObject({ on: "main", notes: [], commit: at(repo, "main") });
  expect(log(repo)).toEqual(["feat: US-3", "feat: US-2", "feat: US-1", "first"]);
  expect(branches(repo)).toEqual(["main", "pawl/1/US-3"]);
  expect(await publishSide(world.request("US-3"))).toEqual({ published: true, note: null });
});

test("[WS16] a base in the middle of a rebase stays as it is, to the byte", async () => {
  const world = slotsFor(makeRepository({ "a.txt": "1\n", "b.txt": "1\n" }));
  const { repo } = world;
  const { path } = await world.enter("US-1");
  writeFiles(path, { "b.txt": "mine\n" });
  runGit(repo, "checkout", "--quiet", "-b", "other");
  commitFile(repo, "a.txt", "other\n");
  runGit(repo, "checkout", "--quiet", "main");
  commitFile(repo, "a.txt", "main\n");
  expect(() => runGit(repo, "rebase", "other")).toThrow("a.txt");
  const before = { ...fingerprint(repo), branches: "" };
  const { on, notes } = await integrated(world, "US-1");
  expect([on, notes.join()]).toEqual(["pawl/1-side", expect.stringContaining("in the middle of a rebase")]);
  expect({ ...fingerprint(repo), branches: "" }).toEqual(before);
  writeFiles(repo, { "a.txt": "resolved\n" });
  runGit(repo, "add", "a.txt");
  runGit(repo, "rebase", "--continue");
  const { published, note } = await publishSide(world.request("US-1"));
  expect([published, note]).toEqual([
    false,
    expect.stringContaining("main has commits that pawl/1-side does not have"),
  ]);
  runGit(repo, "merge", "--quiet", "--no-edit", "-X", "ours", "pawl/1-side");
  expect(await publishSide(world.request("US-1"))).toEqual({ published: true, note: null });
  expect(branches(repo)).not.toContain("pawl/1-side");
});

test("[WS16 WS18] a base behind what the run started from is brought there; one that lost it, or is gone, is not touched", async () => {
  const world = await makeWorld();
  const { repo } = world;
  const old = at(repo, "main");
  const floor = commitOnMain(world, "upstream.txt", "1\n");
  const { path } = await world.enter("US-1");
  writeFiles(path, { "a.txt": "mine\n" });
  runGit(repo, "update-ref", "refs/heads/main", old);
  expect(await tipOf(world.request("US-1", { floor, baseAt: old }))).toBe(floor);
  await integrated(world, "US-1", { floor, baseAt: old });
  expect(log(repo, "main")).toEqual(["feat: US-1", "change upstream.txt", "first"]);

  const amended = runGit(repo, "commit-tree", "-p", old, "-m", "amended", `${old}^{tree}`);
  runGit(repo, "update-ref", "refs/heads/main", amended);
  writeFiles(path, { "more.txt": "more\n" });
  const two = await integrated(world, "US-1", { floor, message: "feat: more" });
  expect([two.on, at(repo, "main")]).toEqual(["pawl/1-side", amended]);
  expect(two.notes.join()).toContain("has lost the commit that the run started from");

  runGit(repo, "update-ref", "-d", "refs/heads/main");
  expect(await tipOf(world.request("US-1", { floor }))).toBe(two.commit);
  expect(await publishSide(world.request("US-1"))).toMatchObject({
    note: "there is no branch main: the work is on pawl/1-side, and `git branch main pawl/1-side` makes main of it",
  });
});

test("[WS15 WS22] a story that is cancelled while its checks run is not published, and its tree is as it was", async () => {
  const world = await makeWorld();
  const { path } = await world.enter("US-1");
  commitFile(path, "a.txt", "mine\n");
  writeFiles(path, { "new.txt": "new\n" });
  const before = await stateOf(path);
  const isWanted = async () => false;
  expect(await integrateStory(world.request("US-1", { isWanted }))).toEqual({ result: "cancelled" });
  expect([await stateOf(path), log(world.repo, "main")]).toEqual([before, ["first"]]);
});

test("[WS15] only the slot that holds the story is integrated", async () => {
  const world = await makeWorld();
  const { path } = await world.enter("US-1");
  await expect(integrateStory(world.request("US-2"))).rejects.toMatchObject({ code: "REFUSED" });
  await expect(integrateStory(world.request("US-1", { path: world.repo }))).rejects.toMatchObject({ code: "REFUSED" });
  await expect(integrateStory(world.request("../x"))).rejects.toMatchObject({ code: "INPUT_INVALID" });
  await expect(integrateStory(world.request("US-1", { side: "a\nb" }))).rejects.toMatchObject({
    code: "INPUT_INVALID",
  });
  expect(occupantOf(path)).toBe("US-1");
});

/** A story with commits and uncommitted files, over a base that has moved and that the user has checked out. */
async function makeCrash() {
  const world = slotsFor(makeRepository({ "a.txt": "1\n", "b.txt": "1\n", "c.txt": "1\n" }));
  const { path } = await world.enter("US-1");
  commitFile(path, "a.txt", "mine\n");
  writeFiles(path, { "b.txt": "uncommitted\n", "new.txt": "untracked\n" });
  commitFile(world.repo, "c.txt", "theirs\n");
  return { world, path, before: await stateOf(path) };
}

async function expectWhole({ world, path }: Awaited<ReturnType<typeof makeCrash>>): Promise<void> {
  const { commit } = await integrated(world, "US-1");
  await leaveStory({ path, repo: world.repo, commit });
  expect(log(world.repo, "main")).toEqual(["feat: US-1", "change c.txt", "first"]);
  expect(runGit(world.repo, "diff", "--name-status", "main~1", "main")).toBe("M\ta.txt\nM\tb.txt\nA\tnew.txt");
  expect(runGit(world.repo, "status", "--porcelain", "--branch")).toBe("## main");
  expect([at(path, "HEAD"), branches(world.repo)]).toEqual([commit, ["main"]]);
  expect(fsck(world.repo)).toBe("");
  await world.enter("US-2");
  expect(runGit(path, "status", "--porcelain")).toBe("");
}

test("[WS15] a crash before any of the git commands: the same again, or back, and nothing is lost or there twice", async () => {
  for (let survives = 0; survives < 60; survives += 1) {
    const crash = await makeCrash();
    const count = join(crash.world.home, "count");
    writeFileSync(count, "");
    const PATH = shimGit(`echo >> ${count}; [ $(wc -l < ${count}) -gt ${survives} ] && kill -9 $$\nexec $real "$@"`);
    vi.stubEnv("PATH", PATH);
    const crashed = await integrateStory(crash.world.request("US-1")).then(
      () => false,
      () => true,
    );
    vi.unstubAllEnvs();
    const { world, path, before } = crash;
    const isOnMain = log(world.repo, "main").length > 2;
    // Every third time the story goes on working first, every third time it is parked and comes back elsewhere.
    const isEntered = crashed && !isOnMain && survives % 3 > 0;
    if (isEntered && survives % 3 === 2) {
      await parkStory({ path, run: "r1", story: "US-1", file: world.parked("US-1") });
    }
    if (isEntered) await world.enter("US-1");
    expect(isEntered ? (await stateOf(path)).status : before.status).toBe(before.status);
    await expectWhole(crash);
    if (!crashed) return;
  }
  throw new Error("the last tries should have been given enough commands");
});

test("[WS15] git killed at any moment while it rebases or checks out: nothing is lost or there twice", async () => {
  let killed = 0;
  // How long a git takes depends on the machine: it goes on until some were cut off in the middle.
  for (let round = 0; round < 10 || (killed < 3 && round < 80); round += 1) {
    const crash = await makeCrash();
    const command = ["rebase", "checkout"][round % 2];
    const later = Math.floor(round / 2) % 8;
    // On a fast disk git is often done before the shortest sleep is over.
    const pause = later % 2 === 0 ? "" : `sleep 0.0${later}; `;
    const PATH = shimGit(
      `case " $* " in *" ${command} "*) $real "$@" & ${pause}kill -9 $! 2>/dev/null; wait $! || kill -9 $$;; *) exec $real "$@";; esac`,
    );
    vi.stubEnv("PATH", PATH);
    await integrateStory(crash.world.request("US-1")).catch(() => (killed += 1));
    vi.unstubAllEnvs();
    await expectWhole(crash);
  }
  expect(killed).toBeGreaterThan(2);
});

const program = `
  import { integrateStory } from ${JSON.stringify(join(import.meta.dirname, "integration.ts"))};
  process.stdin.once("data", (line) => {
    console.log("go");
    void integrateStory({ ...JSON.parse(line), isByProduct: () => false, check: async () => null, isWanted: async () => true }).then(() => console.log("done"));
  });
  console.log("ready");`;

test("[WS15] our own process killed at any moment: nothing is lost or there twice, and the checkout is in order", async () => {
  for (let round = 0; round < 9; round += 1) {
    const crash = await makeCrash();
    const child = startModule(program);
    const said = (word: string) =>
      new Promise<void>((resolve) => child.stdout.on("data", (chunk) => String(chunk).includes(word) && resolve()));
    await said("ready");
    child.stdin.write(`${JSON.stringify(crash.world.request("US-1"))}\n`);
    await said("go");
    await new Promise((resolve) => setTimeout(resolve, round * 20));
    const identity = processIdentity(child.pid ?? 0);
    const ended = new Promise((resolve) => child.on("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    // Who takes over waits for the git that goes on without its parent, as recovery does (RC6).
    const marker = identity && gitMarker(identity);
    await until(async () => !marker || (await findMarked(marker.name, marker.value)).length === 0);
    await expectWhole(crash);
  }
});
