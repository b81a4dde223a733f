import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  commitFile,
  fingerprint,
  log,
  makeRepository,
  runGit,
  tempDir,
  writeFiles,
} from "../../../test/support/repository.ts";
import { operationIn } from "../git/repository.ts";
import { restoreSnapshot } from "./restore.ts";
import { takeSnapshot } from "./snapshot.ts";
import { ensureWorktree } from "./worktree.ts";

async function makeTree(files: Record<string, string>, branch: string | null = null) {
  const repo = makeRepository(files);
  const path = join(tempDir("pawl-home-"), "r1");
  const base = runGit(repo, "rev-parse", "HEAD");
  await ensureWorktree({ run: "r1", repo, path, base, branch });
  return { repo, path, base };
}

/** All that a snapshot promises: files with modes, what is staged, HEAD, the branch, and no operation in progress. */
function stateOf(path: string): unknown {
  const names = runGit(path, "ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0");
  const files = [...new Set(names)].filter((name) => name !== "").map((name) => [name, contentOf(join(path, name))]);
  return {
    files: Object.fromEntries(files),
    status: runGit(path, "status", "--porcelain=v2", "--branch", "--no-renames", "--untracked-files=all"),
    staged: runGit(path, "ls-files", "--stage"),
    operation: operationIn(runGit(path, "rev-parse", "--absolute-git-dir")),
  };
}

function contentOf(path: string): string {
  const stats = existsAt(path);
  if (!stats) return "missing";
  if (stats.isSymbolicLink()) return `link ${readlinkSync(path)}`;
  return stats.isFile() ? `${(stats.mode & 0o111).toString(8)} ${readFileSync(path, "hex")}` : "directory";
}

function existsAt(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

type Act = (path: string) => void;
/** Gives an act a name to be shown by, when it is part of a counterexample. */
const named = (label: string, act: Act): Act => Object.assign(act, { [fc.toStringMethod]: () => label });
const attempt = (act: () => void) => {
  try {
    act();
  } catch {
    // An act that is not possible in this state is no act.
  }
};
const gitAct = (...args: string[]) => named(`git ${args.join(" ")}`, (path) => void runGit(path, ...args));
const gitDirOf = (path: string) => runGit(path, "rev-parse", "--absolute-git-dir");

const names = ["a.txt", "b.txt", "dir/c.txt", "dir/deep/d.txt", "dir", "new.txt", "new dir/ü \n-x", "x.log", "run.sh"];
const aName = fc.constantFrom(...names);
const aText = fc.constantFrom("", "1\n", "2\n", "long\n".repeat(50), "\0\x01\xff");

const write = fc.tuple(aName, aText).map(([name, content]) =>
  named(`write ${name} ${JSON.stringify(content.slice(0, 8))}`, (path) => {
    // Where a file is in the way of a directory, or the other way round, it gives way.
    const target = join(path, name);
    const parent = dirname(target);
    if (existsAt(target)?.isDirectory()) rmSync(target, { recursive: true });
    if (parent !== path && existsAt(parent)?.isDirectory() === false) rmSync(parent);
    mkdirSync(parent, { recursive: true });
    writeFileSync(target, content);
  }),
);
const remove = aName.map((name) => named(`rm -rf ${name}`, (path) => rmSync(join(path, name), { recursive: true })));
const move = fc
  .tuple(aName, aName)
  .map(([from, to]) => named(`mv ${from} ${to}`, (path) => renameSync(join(path, from), join(path, to))));
const mode = fc.tuple(aName, fc.constantFrom(0o644, 0o755)).map(([name, bits]) =>
  named(`chmod ${bits.toString(8)} ${name}`, (path) => {
    if (existsAt(join(path, name))?.isFile()) chmodSync(join(path, name), bits);
  }),
);
const link = aName.map((name) => named(`ln -s a.txt ${name}`, (path) => symlinkSync("a.txt", join(path, name))));
const ignore = fc
  .constantFrom("", "*.log\n", "*.log\nnew*\n", "dir/\n")
  .map((text) => named(`ignore ${JSON.stringify(text)}`, (path) => writeFileSync(join(path, ".gitignore"), text)));
const stage = aName.map((name) => gitAct("add", "--force", "--", name));
const unstage = aName.map((name) => gitAct("rm", "-r", "--cached", "--quiet", "--", name));
const commit = fc.constant(
  named("commit", (path) => {
    runGit(path, "add", "--all");
    runGit(path, "commit", "--quiet", "--message=work");
  }),
);
const switchBranch = fc.constantFrom("one", "two", "side").map((name) =>
  named(`switch ${name}`, (path) => {
    const exists = runGit(path, "branch", "--list", name) !== "";
    runGit(path, "checkout", "--quiet", ...(exists ? ["--force", name] : ["-b", name]));
  }),
);
const ordinary = fc.oneof(
  { weight: 6, arbitrary: write },
  { weight: 2, arbitrary: remove },
  { weight: 2, arbitrary: move },
  mode,
  link,
  ignore,
  { weight: 2, arbitrary: stage },
  { weight: 2, arbitrary: commit },
  switchBranch,
  fc.constant(gitAct("checkout", "--quiet", "--detach")),
);

const conflict = fc.constantFrom("rebase", "merge", "cherry-pick").map((command) =>
  named(`conflicting ${command}`, (path) => {
    writeFileSync(join(path, "a.txt"), "mine\n");
    runGit(path, "commit", "--quiet", "--all", "--message=mine");
    runGit(path, command, "side");
  }),
);
const breakage = fc.constantFrom(
  named("leave a lock", (path) => writeFileSync(join(gitDirOf(path), "index.lock"), "half")),
  named("break the index", (path) => writeFileSync(join(gitDirOf(path), "index"), "garbage")),
  named("lose the index", (path) => rmSync(join(gitDirOf(path), "index"))),
  named("delete the branch", (path) => void runGit(path, "update-ref", "-d", runGit(path, "symbolic-ref", "HEAD"))),
  gitAct("checkout", "--quiet", "--orphan", "orphan"),
  gitAct("bisect", "start", "HEAD", "HEAD"),
  gitAct("stash", "--quiet", "--include-untracked"),
);
const wild = fc.oneof(
  { weight: 8, arbitrary: ordinary },
  { weight: 2, arbitrary: conflict },
  { weight: 1, arbitrary: breakage },
  unstage,
);

test("[WS5] whatever an agent does, a snapshot is put back exactly, and putting it back twice changes nothing", async () => {
  const { repo, path, base } = await makeTree({
    "a.txt": "1\n",
    "b.txt": "2\n",
    "dir/c.txt": "3\n",
    "dir/deep/d.txt": "4\n",
    ".gitignore": "*.log\n",
  });
  runGit(repo, "checkout", "--quiet", "-b", "side");
  const side = commitFile(repo, "a.txt", "side\n");
  runGit(repo, "checkout", "--quiet", "main");
  const before = fingerprint(repo);
  const startOver = async () => {
    await restoreSnapshot(path, base);
    for (const name of ["one", "two", "orphan"]) attempt(() => runGit(repo, "branch", "--quiet", "-D", name));
    runGit(repo, "branch", "--quiet", "--force", "side", side);
    runGit(path, "clean", "-ffdxq");
    runGit(repo, "stash", "clear");
  };
  let dirty = 0;
  const rounds = fc.tuple(fc.array(ordinary, { maxLength: 8 }), fc.array(wild, { minLength: 1, maxLength: 8 }));
  await fc.assert(
    fc
      .asyncProperty(rounds, async ([earlier, later]) => {
        for (const act of earlier) attempt(() => act(path));
        const snapshot = await takeSnapshot(path);
        if (snapshot.includes("+")) dirty += 1;
        const expected = stateOf(path);
        for (const act of later) attempt(() => act(path));
        await restoreSnapshot(path, snapshot);
        expect(stateOf(path)).toEqual(expected);
        expect(await takeSnapshot(path)).toBe(snapshot);
        await restoreSnapshot(path, snapshot);
        expect(stateOf(path)).toEqual(expected);
      })
      .beforeEach(startOver),
    { numRuns: 40 },
  );
  expect(dirty).toBeGreaterThan(10);
  await startOver();
  expect(fingerprint(repo)).toEqual(before);
  // Some hundred calls of git: on a busy machine they take longer than the usual limit.
});

test("[WS5] what was staged is staged again", async () => {
  const { path } = await makeTree({ "a.txt": "1", "b.txt": "1" });
  writeFiles(path, { "a.txt": "staged", "b.txt": "changed", "new.txt": "added", "untracked.txt": "" });
  runGit(path, "add", "a.txt", "new.txt");
  writeFiles(path, { "a.txt": "staged, then changed" });
  const status = runGit(path, "status", "--porcelain");
  const snapshot = await takeSnapshot(path);
  runGit(path, "reset", "--quiet", "--hard");
  await restoreSnapshot(path, snapshot);
  expect(runGit(path, "status", "--porcelain")).toBe(status);
  expect(runGit(path, "show", ":a.txt")).toBe("staged");
});

test("[WS5] goes back to the branch of the snapshot; the agent's own branch stays, without being checked out", async () => {
  const { path, repo } = await makeTree({ "a.txt": "1" }, "pawl/1-x");
  const snapshot = await takeSnapshot(path);
  commitFile(path, "a.txt", "on ours");
  runGit(path, "checkout", "--quiet", "-b", "agents-own");
  commitFile(path, "a.txt", "on its own");
  await restoreSnapshot(path, snapshot);
  expect(runGit(path, "branch", "--show-current")).toBe("pawl/1-x");
  expect(log(path)).toEqual(["first"]);
  expect(log(repo, "agents-own")).toEqual(["change a.txt", "change a.txt", "first"]);
});

test("[WS4] a branch that the user has checked out in the meantime is not moved", async () => {
  const { path, repo } = await makeTree({ "a.txt": "1" }, "pawl/1-x");
  const snapshot = await takeSnapshot(path);
  commitFile(path, "a.txt", "agent");
  runGit(path, "checkout", "--quiet", "--detach");
  runGit(repo, "checkout", "--quiet", "pawl/1-x");
  const before = fingerprint(repo);
  await restoreSnapshot(path, snapshot);
  expect(fingerprint(repo)).toEqual(before);
  expect(log(path)).toEqual(["first"]);
});

test("[WS5] ignored files stay, also those that only an uncommitted .gitignore names", async () => {
  const { path } = await makeTree({ "a.txt": "1", ".gitignore": "*.log\n" });
  writeFiles(path, { ".gitignore": "*.log\nnode_modules/\n", "node_modules/x.js": "dependency", "x.log": "log" });
  const snapshot = await takeSnapshot(path);
  writeFiles(path, { ".gitignore": "", "junk.txt": "junk" });
  await restoreSnapshot(path, snapshot);
  expect(readFileSync(join(path, "node_modules/x.js"), "utf8")).toBe("dependency");
  expect(readFileSync(join(path, "x.log"), "utf8")).toBe("log");
  expect(existsSync(join(path, "junk.txt"))).toBe(false);
});

test("[WS5] a deleted file that an agent made again where files are ignored is deleted again, and nothing through a link", async () => {
  const { path } = await makeTree({ "dir/a.txt": "1", "logs/b.log": "1", "linked/c.txt": "1" });
  const outside = tempDir();
  writeFiles(outside, { "c.txt": "theirs" });
  for (const name of ["dir", "logs", "linked"]) rmSync(join(path, name), { recursive: true });
  writeFiles(path, { ".gitignore": "dir/\n*.log\n", "logs/b.log/kept.log": "ignored" });
  symlinkSync(outside, join(path, "linked"));
  const status = runGit(path, "status", "--porcelain");
  const snapshot = await takeSnapshot(path);
  runGit(path, "commit", "--quiet", "--all", "--message=agent");
  writeFiles(path, { "dir/a.txt": "2" });
  await restoreSnapshot(path, snapshot);
  expect(runGit(path, "status", "--porcelain")).toBe(status);
  expect(existsSync(join(path, "dir/a.txt"))).toBe(false);
  expect(readFileSync(join(path, "logs/b.log/kept.log"), "utf8")).toBe("ignored");
  expect(readFileSync(join(outside, "c.txt"), "utf8")).toBe("theirs");
});

test("[WS5] what an agent hides from git is in the snapshot, and is put back", async () => {
  for (const flag of ["--assume-unchanged", "--skip-worktree"]) {
    const { path } = await makeTree({ "a.txt": "1", "b.txt": "1" });
    const before = await takeSnapshot(path);
    runGit(path, "update-index", flag, "a.txt");
    writeFiles(path, { "a.txt": "hidden" });
    const hiding = await takeSnapshot(path);
    expect(hiding).not.toBe(before);
    runGit(path, "update-index", flag, "a.txt", "b.txt");
    writeFiles(path, { "a.txt": "more", "b.txt": "more" });
    await restoreSnapshot(path, hiding);
    expect(runGit(path, "status", "--porcelain")).toBe(" M a.txt");
    expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("hidden");
    await restoreSnapshot(path, before);
    expect(runGit(path, "status", "--porcelain")).toBe("");
    expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("1");
  }
});

test("[WS5] an old lock on the branch is taken away, a fresh one is waited for", async () => {
  const { path, repo } = await makeTree({ "a.txt": "1" }, "pawl/1-x");
  const snapshot = await takeSnapshot(path);
  commitFile(path, "a.txt", "2");
  const lock = join(repo, ".git/refs/heads/pawl/1-x.lock");
  writeFileSync(lock, "");
  utimesSync(lock, 1, 1);
  await restoreSnapshot(path, snapshot);
  commitFile(path, "a.txt", "2");
  writeFileSync(lock, "");
  setTimeout(() => rmSync(lock), 300);
  await restoreSnapshot(path, snapshot);
  expect(log(path)).toEqual(["first"]);
});

test("[WS4] a snapshot that is not there any more stops everything before anything is touched", async () => {
  const { path } = await makeTree({ "a.txt": "1" });
  writeFiles(path, { "a.txt": "work", "new.txt": "work" });
  const gone = "d".repeat(40);
  const base = runGit(path, "rev-parse", "HEAD");
  for (const snapshot of [gone, `${base}+${gone}`, `${gone}@main`]) {
    await expect(restoreSnapshot(path, snapshot)).rejects.toMatchObject({ code: "GIT_FAILED" });
  }
  await expect(restoreSnapshot(path, "--hard")).rejects.toMatchObject({ code: "INPUT_INVALID" });
  expect(runGit(path, "status", "--porcelain")).toBe(" M a.txt\n?? new.txt");
});
