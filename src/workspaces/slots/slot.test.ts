import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { commitFile, fingerprint, log, makeRepository, runGit, writeFiles } from "../../../test/support/repository.ts";
import { shimGit, slotsFor } from "../../../test/support/slots.ts";
import { operationIn } from "../git/repository.ts";
import { readMarker, writeMarker } from "../trees/ownership.ts";
import { isClean } from "../trees/snapshot.ts";
import { parkStory } from "./parking.ts";
import { ensureSlot, enterStory, leaveStory, occupantOf } from "./slot.ts";

const head = (path: string) => runGit(path, "rev-parse", "HEAD");
const branches = (repo: string) => runGit(repo, "for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n");
const gitDirOf = (path: string) => runGit(path, "rev-parse", "--absolute-git-dir");

test("[WS10] a slot is made once, detached, and holds one story after another", async () => {
  const world = slotsFor(makeRepository({ "a.txt": "1", ".gitignore": "node_modules/\n" }));
  const path = world.slot(1);
  const base = head(world.repo);
  expect(occupantOf(path)).toBe(null);
  expect(await ensureSlot({ run: "r1", repo: world.repo, path, base })).toEqual({ created: true });
  expect([occupantOf(path), head(path), runGit(path, "branch", "--show-current")]).toEqual([null, base, ""]);

  expect(await world.enter("US-1")).toEqual({ path, branch: "pawl/1/US-1", fresh: true });
  expect([occupantOf(path), runGit(path, "branch", "--show-current")]).toEqual(["US-1", "pawl/1/US-1"]);
  writeFiles(path, { "node_modules/x.js": "kept" });
  const commit = commitFile(path, "b.txt", "work");
  runGit(world.repo, "merge", "--quiet", "--ff-only", "pawl/1/US-1");
  await leaveStory({ path, repo: world.repo, commit });
  expect([occupantOf(path), head(path), runGit(path, "branch", "--show-current")]).toEqual([null, commit, ""]);
  expect(branches(world.repo)).toEqual(["main"]);

  expect(await world.enter("US-2")).toMatchObject({ branch: "pawl/1/US-2", fresh: true });
  expect(await ensureSlot({ run: "r1", repo: world.repo, path, base })).toEqual({ created: false });
  expect(occupantOf(path)).toBe("US-2");
  expect(readFileSync(join(path, "node_modules/x.js"), "utf8")).toBe("kept");
});

test("[WS10] a story enters a pristine tree, whatever the one before it left", async () => {
  const world = slotsFor(makeRepository({ "a.txt": "1", "b.txt": "1", "c.txt": "1", ".gitignore": "*.log\n" }));
  const { path } = await world.enter("US-1");
  const base = head(world.repo);
  commitFile(path, "a.txt", "mine");
  writeFiles(path, {
    "b.txt": "changed",
    "c.txt": "hidden",
    "new.txt": "staged",
    "dir/u.txt": "untracked",
    "x.log": "",
  });
  writeFiles(path, { ".gitignore": "*.log\n*.tmp\n", "y.tmp": "ignored by the one before only" });
  runGit(path, "add", "new.txt");
  runGit(path, "update-index", "--skip-worktree", "c.txt");
  runGit(path, "init", "--quiet", "cloned");
  commitFileIn(join(path, "cloned"));
  runGit(path, "bisect", "start");
  writeFileSync(join(gitDirOf(path), "index.lock"), "of a killed git");
  writeFileSync(join(gitDirOf(path), "HEAD.lock"), "");
  await leaveStory({ path, repo: world.repo, commit: base });
  writeFiles(path, { "later.txt": "by a process that went on" });

  await world.enter("US-2");
  expect([head(path), await isClean(path), operationIn(gitDirOf(path))]).toEqual([base, true, null]);
  expect(["a.txt", "b.txt", "c.txt"].map((name) => readFileSync(join(path, name), "utf8"))).toEqual(["1", "1", "1"]);
  expect(["new.txt", "dir", "y.tmp", "cloned", "later.txt"].filter((name) => existsSync(join(path, name)))).toEqual([]);
  expect(existsSync(join(path, "x.log"))).toBe(true);
});

function commitFileIn(repo: string): void {
  runGit(repo, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "--message=x");
}

test("[WS10] entering again changes nothing; another story is refused until the first is parked", async () => {
  const world = slotsFor(makeRepository({ "a.txt": "1" }));
  const { path } = await world.enter("US-1");
  writeFiles(path, { "a.txt": "work", "b.txt": "work" });
  commitFile(world.repo, "c.txt", "later");
  expect(await world.enter("US-1")).toEqual({ path, branch: "pawl/1/US-1", fresh: false });
  expect(runGit(path, "status", "--porcelain")).toBe(" M a.txt\n?? b.txt");
  await expect(world.enter("US-2")).rejects.toMatchObject({
    code: "WORKSPACE_BUSY",
    message: expect.stringContaining("US-1"),
  });
  expect(occupantOf(path)).toBe("US-1");
});

test("[WS10] a branch that is not ours is neither used, moved nor deleted", async () => {
  const repo = makeRepository({ "a.txt": "1" });
  runGit(repo, "branch", "pawl/1/US-1");
  runGit(repo, "branch", "pawl/1/US-1-2/deeper");
  const world = slotsFor(repo);
  const { path, branch } = await world.enter("US-1");
  expect(branch).toBe("pawl/1/US-1-3");
  const commit = commitFile(path, "b.txt", "1");
  // Ours is gone, and somebody has made one below its name.
  runGit(path, "checkout", "--quiet", "--detach");
  runGit(repo, "branch", "-D", branch);
  runGit(repo, "branch", `${branch}/theirs`);
  await leaveStory({ path, repo, commit });
  const theirs = ["pawl/1/US-1", "pawl/1/US-1-2/deeper", "pawl/1/US-1-3/theirs"];
  expect(branches(repo).filter((name) => name.startsWith("pawl"))).toEqual(theirs);

  runGit(repo, "branch", "-D", ...theirs);
  runGit(repo, "branch", "pawl");
  expect((await world.enter("US-2")).branch).toBe("pawl-1-US-2");
});

test("[WS10] a branch that somebody has checked out stays when its story leaves", async () => {
  const world = slotsFor(makeRepository({ "a.txt": "1" }));
  const { path } = await world.enter("US-1");
  const commit = commitFile(path, "b.txt", "1");
  runGit(path, "checkout", "--quiet", "--detach");
  runGit(world.repo, "checkout", "--quiet", "pawl/1/US-1");
  const before = fingerprint(world.repo);
  await leaveStory({ path, repo: world.repo, commit });
  await leaveStory({ path, repo: world.repo, commit });
  expect(fingerprint(world.repo)).toEqual(before);
  expect(occupantOf(path)).toBe(null);
});

test("[WS10] a story whose slot is gone goes on from its branch", async () => {
  const world = slotsFor(makeRepository({ "a.txt": "1" }));
  const { path, branch } = await world.enter("US-1");
  commitFile(path, "b.txt", "work");
  runGit(world.repo, "worktree", "remove", "--force", path);
  expect(await world.enter("US-1", 2)).toEqual({ path: world.slot(2), branch, fresh: false });
  expect(log(world.slot(2))).toEqual(["change b.txt", "first"]);

  // Somebody looks at it: the same work under another name.
  runGit(world.repo, "worktree", "remove", "--force", world.slot(2));
  runGit(world.repo, "checkout", "--quiet", branch);
  const again = await world.enter("US-1", 3);
  expect(again).toMatchObject({ branch: `${branch}-2`, fresh: false });
  expect(log(again.path)).toEqual(["change b.txt", "first"]);
});

test("[WS10] a tree with a marker from before there were slots can be one", async () => {
  const world = slotsFor(makeRepository());
  const path = world.slot(1);
  await ensureSlot({ run: "r1", repo: world.repo, path, base: head(world.repo) });
  const marker = readMarker(gitDirOf(path));
  if (marker === null) throw new Error("no marker");
  const { version, run, base, branch } = marker;
  writeMarker(gitDirOf(path), { version, run, path, base, branch });
  expect(occupantOf(path)).toBe(null);
  expect(await world.enter("US-1")).toMatchObject({ fresh: true });
});

test("[WS9] stories, branches and bases from outside are looked at first", async () => {
  const world = slotsFor(makeRepository());
  const { path } = await world.enter("US-1");
  const commit = head(path);
  await leaveStory({ path, repo: world.repo, commit });
  const wanted = { run: "r1", repo: world.repo, path, branch: "x", base: commit, parked: world.parked("x") };
  await expect(enterStory({ ...wanted, story: "../x" })).rejects.toMatchObject({ code: "INPUT_INVALID" });
  await expect(enterStory({ ...wanted, story: "x", branch: "a..b" })).rejects.toMatchObject({ code: "INPUT_INVALID" });
  await expect(enterStory({ ...wanted, story: "x", base: "main" })).rejects.toMatchObject({ code: "BASE_NOT_FOUND" });
  await expect(enterStory({ ...wanted, story: "x", run: "r2" })).rejects.toMatchObject({ code: "REFUSED" });
  await expect(enterStory({ ...wanted, story: "x", path: world.repo })).rejects.toMatchObject({ code: "REFUSED" });
  await expect(leaveStory({ path: world.repo, repo: world.repo, commit })).rejects.toMatchObject({ code: "REFUSED" });
});

test("[WS10] a crash before any of the git commands leaves one branch and a tree that can be entered", async () => {
  for (let survives = 0; survives < 20; survives += 1) {
    const world = slotsFor(makeRepository({ "a.txt": "1" }));
    const first = await world.enter("US-1");
    commitFile(first.path, "b.txt", "1");
    await leaveStory({ path: first.path, repo: world.repo, commit: head(world.repo) });
    const base = head(world.repo);
    const wanted = { run: "r1", repo: world.repo, path: first.path, story: "US-2", branch: "pawl/1/US-2", base };
    const count = join(world.home, "count");
    writeFileSync(count, "");
    vi.stubEnv(
      "PATH",
      shimGit(`echo >> ${count}; [ $(wc -l < ${count}) -gt ${survives} ] && kill -9 $$\nexec $real "$@"`),
    );
    const parked = world.parked("US-2");
    const crashed = await enterStory({ ...wanted, parked }).then(
      () => false,
      () => true,
    );
    vi.unstubAllEnvs();
    const ours = () => branches(world.repo).filter((name) => name.startsWith("pawl"));
    // Half the time another story wants the slot, half the time the same one comes back.
    const isParked = survives % 2 === 0 && crashed;
    if (isParked) await parkStory({ path: first.path, run: "r1", story: "US-2", file: parked });
    expect(isParked ? ours() : []).toEqual([]);
    commitFile(world.repo, "later.txt", "1");
    const { branch } = await enterStory({ ...wanted, base: head(world.repo), parked });
    expect([branch, await isClean(first.path)]).toEqual(["pawl/1/US-2", true]);
    expect(ours()).toEqual(["pawl/1/US-2"]);
    if (!crashed) return;
  }
  throw new Error("the last tries should have been given enough commands");
});

test("[WS10] the lock of a git that was killed while it made the story's branch holds nobody up", async () => {
  const world = slotsFor(makeRepository({ "a.txt": "1" }));
  await world.enter("US-1");
  await leaveStory({ path: world.slot(1), repo: world.repo, commit: head(world.repo) });
  const lock = join(world.repo, ".git/refs/heads/pawl/1/US-2.lock");
  const dies = `case " $* " in *" checkout "*) mkdir -p ${dirname(lock)}; touch ${lock}; kill -9 $$;; esac`;
  vi.stubEnv("PATH", shimGit(`${dies}\nexec $real "$@"`));
  await expect(world.enter("US-2")).rejects.toMatchObject({ code: "GIT_KILLED" });
  vi.unstubAllEnvs();
  // While the clock stands still, no lock grows old, so code that waits for that never ends.
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now());
  onTestFinished(() => clock.mockRestore());
  expect((await world.enter("US-2")).branch).toBe("pawl/1/US-2");
});

test("[WS10] a broken index or a lost HEAD branch is no obstacle to entering", async () => {
  const world = slotsFor(makeRepository({ "a.txt": "1" }));
  const { path } = await world.enter("US-1");
  writeFileSync(join(gitDirOf(path), "index"), "garbage");
  runGit(world.repo, "update-ref", "-d", "refs/heads/pawl/1/US-1");
  await leaveStory({ path, repo: world.repo, commit: head(world.repo) });
  writeFileSync(join(gitDirOf(path), "index"), "garbage");
  mkdirSync(join(path, "left"));
  expect(await world.enter("US-2")).toMatchObject({ fresh: true });
  expect(await isClean(path)).toBe(true);
});
