import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
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
import { until } from "../../../test/support/until.ts";
import { processIdentity } from "../../system/process/identity.ts";
import { findMarked } from "../../system/process/strays.ts";
import { gitMarker } from "../git/git.ts";
import { isClean } from "./snapshot.ts";
import { ensureWorktree, type WantedWorktree } from "./worktree.ts";

function wantIn(repo: string, more: Partial<WantedWorktree> = {}): WantedWorktree {
  const path = join(tempDir("pawl-home-"), "trees", "r1");
  return { run: "r1", repo, path, base: runGit(repo, "rev-parse", "HEAD"), branch: null, ...more };
}

const currentBranch = (path: string) => runGit(path, "branch", "--show-current");
const registered = (repo: string) => readdirSync(join(repo, ".git/worktrees"));

test("[WS2] a tree is made detached at the base", async () => {
  const repo = makeRepository({ "a/b.txt": "1" });
  const wanted = wantIn(repo);
  commitFile(repo, "later.txt", "2");
  expect(await ensureWorktree(wanted)).toEqual({ path: wanted.path, branch: null, base: wanted.base, created: true });
  expect(runGit(wanted.path, "rev-parse", "HEAD")).toBe(wanted.base);
  expect(currentBranch(wanted.path)).toBe("");
  expect(readFileSync(join(wanted.path, "a/b.txt"), "utf8")).toBe("1");
  expect(await isClean(wanted.path)).toBe(true);
});

test("[WS2] a tree is made on a new branch, with another name where the name is taken", async () => {
  const repo = makeRepository();
  runGit(repo, "branch", "pawl/1-x");
  const before = runGit(repo, "rev-parse", "pawl/1-x");
  commitFile(repo, "a.txt", "1");
  const first = await ensureWorktree(wantIn(repo, { branch: "pawl/1-x" }));
  const second = await ensureWorktree(wantIn(repo, { branch: "pawl/1-x" }));
  expect([first.branch, second.branch]).toEqual(["pawl/1-x-2", "pawl/1-x-3"]);
  expect(currentBranch(first.path)).toBe("pawl/1-x-2");
  expect(runGit(repo, "rev-parse", "pawl/1-x")).toBe(before);
});

test("[WS2] a branch named like our folder of branches is no obstacle", async () => {
  const repo = makeRepository();
  runGit(repo, "branch", "pawl");
  expect((await ensureWorktree(wantIn(repo, { branch: "pawl/1-x" }))).branch).toBe("pawl-1-x");
  runGit(repo, "branch", "work/1/deeper");
  expect((await ensureWorktree(wantIn(repo, { branch: "work/1" }))).branch).toBe("work/1-2");
});

test("[WS2] several runs that want one branch name at once get one each", async () => {
  const repo = makeRepository();
  const trees = await Promise.all(
    [1, 2, 3, 4, 5].map((number) => ensureWorktree(wantIn(repo, { run: `r${number}`, branch: "pawl/same" }))),
  );
  expect(new Set(trees.map((tree) => tree.branch)).size).toBe(5);
  for (const tree of trees) expect(currentBranch(tree.path)).toBe(tree.branch);
});

test("[WS2] a tree can be made from a bare repository, and through a link", async () => {
  const bare = join(tempDir(), "bare.git");
  const repo = makeRepository();
  runGit(repo, "clone", "--quiet", "--bare", ".", bare);
  const tree = await ensureWorktree({ ...wantIn(repo), repo: bare });
  expect(log(tree.path)).toEqual(["first"]);
  expect((await ensureWorktree({ ...wantIn(repo), repo: bare, path: tree.path })).created).toBe(false);
});

test("[WS3] making a tree again keeps the work in it", async () => {
  const repo = makeRepository();
  const wanted = wantIn(repo, { branch: "pawl/1-x" });
  const tree = await ensureWorktree(wanted);
  commitFile(tree.path, "a.txt", "1");
  writeFiles(tree.path, { "b.txt": "uncommitted" });
  expect(await ensureWorktree(wanted)).toEqual({ ...tree, created: false });
  expect(log(tree.path)).toEqual(["change a.txt", "first"]);
  expect(readFileSync(join(tree.path, "b.txt"), "utf8")).toBe("uncommitted");
});

test("[WS3] a tree whose directory, .git or index is gone is repaired; its commits are there", async () => {
  const repo = makeRepository({ "a.txt": "1" });
  const wanted = wantIn(repo);
  const { path } = await ensureWorktree(wanted);
  commitFile(path, "b.txt", "2");
  rmSync(path, { recursive: true });
  await ensureWorktree(wanted);
  expect([log(path), await isClean(path)]).toEqual([["change b.txt", "first"], true]);

  writeFiles(path, { "b.txt": "work" });
  rmSync(join(repo, ".git/worktrees/r1/index"));
  rmSync(join(path, ".git"));
  await ensureWorktree(wanted);
  expect(runGit(path, "status", "--porcelain")).toBe(" M b.txt");
});

test("[WS4] refuses a place where something is that we did not make", async () => {
  const repo = makeRepository();
  const wanted = wantIn(repo);
  writeFiles(wanted.path, { "precious.txt": "1" });
  await expect(ensureWorktree(wanted)).rejects.toMatchObject({ code: "REFUSED" });
  expect(readFileSync(join(wanted.path, "precious.txt"), "utf8")).toBe("1");

  const theirs = wantIn(repo);
  runGit(repo, "worktree", "add", "--quiet", "-b", "mine", theirs.path);
  await expect(ensureWorktree(theirs)).rejects.toMatchObject({ code: "REFUSED" });
  await expect(ensureWorktree({ ...wanted, path: repo })).rejects.toMatchObject({ code: "REFUSED" });

  const another = wantIn(repo);
  await ensureWorktree(another);
  await expect(ensureWorktree({ ...another, run: "r2" })).rejects.toMatchObject({ code: "REFUSED" });
  await expect(ensureWorktree({ ...another, repo: makeRepository() })).rejects.toMatchObject({ code: "REFUSED" });
});

test("[WS3] a stale entry of a tree that is gone is no obstacle, a locked one is", async () => {
  const repo = makeRepository();
  const wanted = wantIn(repo);
  runGit(repo, "worktree", "add", "--quiet", "--detach", wanted.path);
  runGit(repo, "worktree", "lock", wanted.path);
  rmSync(wanted.path, { recursive: true });
  await expect(ensureWorktree(wanted)).rejects.toMatchObject({ message: expect.stringContaining("locked") });
  runGit(repo, "worktree", "unlock", wanted.path);
  expect((await ensureWorktree(wanted)).created).toBe(true);
});

test("[WS9] bases, paths and branches from outside are validated", async () => {
  const repo = makeRepository();
  await expect(ensureWorktree(wantIn(repo, { base: "--force" }))).rejects.toMatchObject({ code: "BASE_NOT_FOUND" });
  await expect(ensureWorktree(wantIn(repo, { path: "relative" }))).rejects.toMatchObject({ code: "INPUT_INVALID" });
  await expect(ensureWorktree(wantIn(repo, { path: "/tmp/a\nb" }))).rejects.toMatchObject({ code: "INPUT_INVALID" });
  await expect(ensureWorktree(wantIn(repo, { branch: "a..b" }))).rejects.toMatchObject({ code: "INPUT_INVALID" });
});

/** A `git` in front of the real one; `script` may use $real and "$@". */
function shimGit(script: string): string {
  const real = runGit(tempDir(), "--exec-path");
  const dir = tempDir("pawl-shim-");
  writeFileSync(join(dir, "git"), `#!/bin/bash\nreal=${join(real, "git")}\n${script}\n`);
  chmodSync(join(dir, "git"), 0o755);
  return `${dir}:${process.env["PATH"]}`;
}

async function expectSound(repo: string, wanted: WantedWorktree): Promise<void> {
  const tree = await ensureWorktree(wanted);
  expect(tree.branch).toBe("pawl/1-x");
  expect([await isClean(tree.path), currentBranch(tree.path)]).toEqual([true, "pawl/1-x"]);
  expect(runGit(tree.path, "rev-parse", "HEAD")).toBe(wanted.base);
  expect(runGit(repo, "branch", "--list", "--format=%(refname:short)", "pawl/*")).toBe("pawl/1-x");
  expect(runGit(repo, "worktree", "list", "--porcelain")).not.toContain("prunable");
  expect(readdirSync(join(wanted.path, "..")).toSorted()).toEqual(["r1", "r1.tree.json"]);
}

const manyFiles = Object.fromEntries(
  Array.from({ length: 150 }, (_, n) => [`d${n % 7}/f${n}.txt`, `${n}\n`.repeat(50)]),
);

test("[WS3] a crash before any of the git commands leaves nothing that stops the next try", async () => {
  for (let survives = 0; survives < 7; survives += 1) {
    const repo = makeRepository();
    const wanted = wantIn(repo, { branch: "pawl/1-x" });
    const count = join(tempDir(), "count");
    writeFileSync(count, "");
    vi.stubEnv(
      "PATH",
      shimGit(`echo >> ${count}; [ $(wc -l < ${count}) -gt ${survives} ] && kill -9 $$\nexec $real "$@"`),
    );
    const crashed = await ensureWorktree(wanted).then(
      () => false,
      () => true,
    );
    vi.unstubAllEnvs();
    await expectSound(repo, wanted);
    if (!crashed) return;
  }
  throw new Error("the last tries should have been given enough commands");
});

test("[WS3] git killed at any moment while it makes the tree leaves nothing that stops the next try", async () => {
  let killed = 0;
  const repo = makeRepository(manyFiles);
  for (let round = 0; round < 24; round += 1) {
    const wanted = wantIn(repo, { branch: "pawl/1-x" });
    // Each kind of command in turn, killed after 0 to 7 ms.
    const command = ["worktree", "update-ref", "reset"][round % 3];
    // On a fast disk git is often done before the shortest sleep is over.
    const pause = round % 8 < 3 ? "" : `sleep 0.00${round % 8}; `;
    vi.stubEnv(
      "PATH",
      shimGit(
        `case " $* " in *" ${command} "*) $real "$@" & ${pause}kill -9 $! 2>/dev/null; wait $!;; *) exec $real "$@";; esac`,
      ),
    );
    await ensureWorktree(wanted).catch(() => (killed += 1));
    vi.unstubAllEnvs();
    await expectSound(repo, wanted);
    runGit(repo, "worktree", "remove", "--force", wanted.path);
    runGit(repo, "branch", "-D", "pawl/1-x");
  }
  expect(killed).toBeGreaterThan(5);
});

test("[WS3] our own process killed at any moment leaves nothing that stops the next try", async () => {
  const repo = makeRepository(manyFiles);
  const source = `
    import { ensureWorktree } from ${JSON.stringify(join(import.meta.dirname, "worktree.ts"))};
    process.stdin.once("data", (line) => { console.log("go"); void ensureWorktree(JSON.parse(line)).then(() => console.log("done")); });
    console.log("ready");`;
  for (let round = 0; round < 8; round += 1) {
    const wanted = wantIn(repo, { branch: "pawl/1-x" });
    const child = startModule(source);
    const said = (word: string) =>
      new Promise<void>((resolve) => child.stdout.on("data", (chunk) => String(chunk).includes(word) && resolve()));
    await said("ready");
    child.stdin.write(`${JSON.stringify(wanted)}\n`);
    await said("go");
    await new Promise((resolve) => setTimeout(resolve, round * 6));
    const identity = processIdentity(child.pid ?? 0);
    const ended = new Promise((resolve) => child.on("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    // Its git goes on without it. Who takes over waits for that git, as recovery does (RC6): two gits would undo each other.
    const marker = identity && gitMarker(identity);
    await until(async () => !marker || (await findMarked(marker.name, marker.value)).length === 0);
    await expectSound(repo, wanted);
    runGit(repo, "worktree", "remove", "--force", wanted.path);
    runGit(repo, "branch", "-D", "pawl/1-x");
  }
});

test("[WS3] an entry that git never finished is taken away in time", async () => {
  const repo = makeRepository();
  const wanted = wantIn(repo);
  const entry = join(repo, ".git/worktrees/r1");
  mkdirSync(entry, { recursive: true });
  writeFileSync(join(entry, "locked"), "initializing");
  mkdirSync(join(wanted.path, ".."), { recursive: true });
  writeFileSync(`${wanted.path}.claim`, JSON.stringify({ run: "r1", commonDir: join(repo, ".git"), branch: null }));
  utimesSync(entry, 1, 1);
  await ensureWorktree(wanted);
  expect(registered(repo)).toEqual(["r1"]);
  expect(existsSync(`${wanted.path}.claim`)).toBe(false);
});

test("[WS1] making a tree leaves the user's checkout as it is", async () => {
  const repo = makeRepository({ "a.txt": "1", "b.txt": "1", ".gitignore": "*.log\n" });
  writeFiles(repo, { "a.txt": "stashed" });
  runGit(repo, "stash", "--quiet");
  writeFiles(repo, { "a.txt": "staged", "b.txt": "changed", "new/c.txt": "untracked", "x.log": "ignored" });
  runGit(repo, "add", "a.txt");
  const before = fingerprint(repo);
  await ensureWorktree(wantIn(repo));
  expect(fingerprint(repo)).toEqual(before);
});
