import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
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
import { shimGit } from "../../../test/support/slots.ts";
import { until } from "../../../test/support/until.ts";
import { processIdentity } from "../../system/process/identity.ts";
import { type Move, moveBranch, settleMove } from "./forward.ts";
import { endLeftMove } from "./settling.ts";

const old = { "a.txt": "1\n", "gone.txt": "1\n", "dir/x.txt": "1\n", ".gitignore": "*.log\n", "run.sh": "echo 1\n" };

/** A move of main that changes, adds and deletes: text, binary, modes, links, a file that becomes a directory and back. */
function makeMove(more: Partial<Move> = {}): Move & { readonly repo: string } {
  const repo = makeRepository(old);
  const from = runGit(repo, "rev-parse", "HEAD");
  runGit(repo, "checkout", "--quiet", "-b", "story");
  writeFiles(repo, { "a.txt": "2\n", "new/deep.txt": "2\n", "pixel.png": new Uint8Array([0, 255, 13, 10, 0]) });
  rmSync(join(repo, "dir"), { recursive: true });
  rmSync(join(repo, "gone.txt"));
  writeFiles(repo, { dir: "a file now\n", "gone.txt/inside.txt": "a directory now\n" });
  chmodSync(join(repo, "run.sh"), 0o755);
  symlinkSync("a.txt", join(repo, "link"));
  runGit(repo, "add", "--all");
  runGit(repo, "commit", "--quiet", "--message=story");
  const to = runGit(repo, "rev-parse", "HEAD");
  runGit(repo, "checkout", "--quiet", "main");
  const intentFile = join(tempDir("pawl-home-"), "intents", "main.json");
  return { repo, branch: "main", from, to, ignoring: [], intentFile, ...more };
}

const main = (repo: string) => runGit(repo, "rev-parse", "main");

function expectMoved(move: Move, path = move.repo): void {
  expect([main(move.repo), runGit(path, "rev-parse", "HEAD")]).toEqual([move.to, move.to]);
  expect(runGit(path, "status", "--porcelain", "--untracked-files=no")).toBe("");
  expect(readFileSync(join(path, "dir"), "utf8")).toBe("a file now\n");
  expect(leftovers(move)).toEqual([]);
  runGit(path, "fsck", "--no-dangling");
}

/** Of a move: its intent, and what it puts beside the index. */
function leftovers(move: Move): readonly string[] {
  const gitDir = runGit(move.repo, "rev-parse", "--absolute-git-dir");
  const ours = readdirSync(gitDir).filter((name) => name.endsWith(".lock") || name.startsWith("pawl"));
  return existsSync(move.intentFile) ? [...ours, "intent"] : ours;
}

async function expectKept(move: Move, why: RegExp): Promise<void> {
  const before = fingerprint(move.repo);
  const answer = await moveBranch(move);
  expect(answer).toEqual({ moved: false, why: expect.stringMatching(why) });
  expect(fingerprint(move.repo)).toEqual(before);
  expect(leftovers(move)).toEqual([]);
}

test("[WS12] a branch that nobody has checked out is moved, if it is where it was, with the refs that belong to it", async () => {
  const move = makeMove({});
  runGit(move.repo, "checkout", "--quiet", "-b", "mine");
  writeFiles(move.repo, { "a.txt": "uncommitted" });
  const before = { ...fingerprint(move.repo), branches: "" };
  expect(await moveBranch({ ...move, also: [{ ref: "refs/pawl/x", to: move.to }] })).toEqual({ moved: true });
  expect({ ...fingerprint(move.repo), branches: "" }).toEqual(before);
  expect([main(move.repo), runGit(move.repo, "rev-parse", "refs/pawl/x")]).toEqual([move.to, move.to]);

  const late = { ...move, to: move.from, also: [{ ref: "refs/pawl/x", to: move.from }] };
  expect(await moveBranch(late)).toEqual({ moved: false, why: "moved_meanwhile" });
  expect([main(move.repo), runGit(move.repo, "rev-parse", "refs/pawl/x")]).toEqual([move.to, move.to]);
});

test("[WS12] a branch of a bare repository is moved", async () => {
  const move = makeMove();
  const bare = join(tempDir(), "bare.git");
  runGit(move.repo, "clone", "--quiet", "--bare", ".", bare);
  expect(await moveBranch({ ...move, repo: bare })).toEqual({ moved: true });
  expect(main(bare)).toBe(move.to);
});

test("[WS12] a clean checkout goes with its branch: files, modes, links, index; what is not in git stays", async () => {
  const move = makeMove();
  writeFiles(move.repo, { "notes.txt": "untracked", "x.log": "ignored" });
  utimesSync(join(move.repo, "a.txt"), 1, 1);
  expect(await moveBranch(move)).toEqual({ moved: true });
  expectMoved(move);
  expect(runGit(move.repo, "status", "--porcelain")).toBe("?? notes.txt");
  expect(readFileSync(join(move.repo, "x.log"), "utf8")).toBe("ignored");
  expect(log(move.repo)).toEqual(["story", "first"]);
});

test("[WS12] so does a linked tree of the user's, and the main checkout stays as it is", async () => {
  const move = makeMove();
  const theirs = join(tempDir(), "theirs");
  runGit(move.repo, "checkout", "--quiet", "-b", "mine");
  runGit(move.repo, "worktree", "add", "--quiet", theirs, "main");
  const before = { ...fingerprint(move.repo), branches: "" };
  expect(await moveBranch(move)).toEqual({ moved: true });
  expectMoved(move, theirs);
  expect({ ...fingerprint(move.repo), branches: "" }).toEqual(before);

  rmSync(theirs, { recursive: true });
  expect(await moveBranch({ ...move, from: move.to, to: move.to })).toMatchObject({
    why: expect.stringContaining("which is not there"),
  });
});

test("[WS12] a checkout with a changed or staged file is left as it is, to the byte, and the reason counts them", async () => {
  const changed = makeMove();
  writeFiles(changed.repo, { "run.sh": "mine\n" });
  await expectKept(changed, /^main is checked out in .*repo with 1 uncommitted file$/);
  const staged = makeMove();
  writeFiles(staged.repo, { "a.txt": "mine\n", "mine.txt": "mine\n", "x.log": "ignored" });
  runGit(staged.repo, "add", "--all");
  rmSync(join(staged.repo, "run.sh"));
  await expectKept(staged, /with 3 uncommitted files$/);
});

test("[WS12] changes of files that are ours do not count, unless the move changes them too", async () => {
  const move = makeMove();
  writeFiles(move.repo, { ".gitignore": "*.log\n# ours\n" });
  expect(await moveBranch({ ...move, ignoring: [join(move.repo, ".gitignore")] })).toEqual({ moved: true });
  expect(readFileSync(join(move.repo, ".gitignore"), "utf8")).toBe("*.log\n# ours\n");
  expect(runGit(move.repo, "status", "--porcelain")).toBe(" M .gitignore");
  const other = makeMove();
  writeFiles(other.repo, { "a.txt": "ours\n" });
  await expectKept({ ...other, ignoring: [join(other.repo, "a.txt")] }, /with 1 uncommitted file$/);
});

test.each([
  ["an untracked file", { "new/deep.txt": "precious" }, "new/deep.txt"],
  ["a file where a directory is to be", { new: "precious" }, "new"],
  ["an ignored file", { "pixel.png": "precious", ".git/info/exclude": "*.png\n" }, "pixel.png"],
  ["an ignored file in a directory that becomes a file", { "dir/x.log": "precious" }, "dir/x.log"],
])("[WS12] %s in the way of a new one stops the move", async (_, files, name) => {
  const move = makeMove();
  writeFiles(move.repo, files);
  await expectKept(move, new RegExp(`where ${name} exists`));
});

test.each([
  ["rebase", (repo: string) => runGit(repo, "rebase", "other")],
  ["merge", (repo: string) => runGit(repo, "merge", "other")],
  ["cherry-pick", (repo: string) => runGit(repo, "cherry-pick", "other")],
  ["bisect", (repo: string) => runGit(repo, "bisect", "start", "HEAD", "HEAD~1")],
])("[WS12] in the middle of a %s nothing moves", async (operation, begin) => {
  const move = makeMove();
  runGit(move.repo, "checkout", "--quiet", "-b", "other", "main");
  commitFile(move.repo, "a.txt", "other\n");
  runGit(move.repo, "checkout", "--quiet", "main");
  const from = commitFile(move.repo, "a.txt", "mine\n");
  try {
    begin(move.repo);
  } catch {
    // A conflict is what was wanted.
  }
  await expectKept({ ...move, from }, new RegExp(`in the middle of a ${operation}`));
});

test("[WS12] a lock that another git holds stops the move, and is left to its owner", async () => {
  const move = makeMove();
  const lock = join(move.repo, ".git/index.lock");
  writeFileSync(lock, "theirs");
  expect(await moveBranch(move)).toMatchObject({ why: expect.stringContaining("another git is at work") });
  expect(readFileSync(lock, "utf8")).toBe("theirs");
  expect([main(move.repo), existsSync(move.intentFile)]).toEqual([move.from, false]);
});

test("[WS12] no setting of the user's keeps a clean checkout from going along", async () => {
  const move = makeMove();
  const hooks = tempDir();
  writeFiles(hooks, { "post-merge": "#!/bin/sh\nexit 1\n", "reference-transaction": "#!/bin/sh\nexit 1\n" });
  for (const name of readdirSync(hooks)) chmodSync(join(hooks, name), 0o755);
  for (const setting of [
    ["core.hooksPath", hooks],
    ["commit.gpgSign", "true"],
    ["gpg.program", "false"],
    ["merge.ff", "false"],
    ["merge.verifySignatures", "true"],
    ["merge.autoStash", "true"],
    ["core.splitIndex", "true"],
    ["core.untrackedCache", "true"],
    ["branch.main.mergeOptions", "--no-ff"],
  ]) {
    runGit(move.repo, "config", ...setting);
  }
  runGit(move.repo, "status");
  expect(await moveBranch(move)).toEqual({ moved: true });
  expectMoved(move);
});

test("[WS12] a branch that moves in the last moment stays where it is, and the checkout is put back", async () => {
  const move = makeMove();
  const later = runGit(move.repo, "commit-tree", "-p", move.from, "-m", "later", `${move.from}^{tree}`);
  const shim = shimGit(
    `case " $* " in *" read-tree -m -u "*) $real "$@"; code=$?; $real update-ref refs/heads/main ${later}; exit $code;; *) exec $real "$@";; esac`,
  );
  vi.stubEnv("PATH", shim);
  expect(await moveBranch(move)).toEqual({ moved: false, why: "moved_meanwhile" });
  vi.unstubAllEnvs();
  expect(main(move.repo)).toBe(later);
  expect(runGit(move.repo, "status", "--porcelain")).toBe("");
  expect(leftovers(move)).toEqual([]);
});

const program = `
  import { moveBranch } from ${JSON.stringify(join(import.meta.dirname, "forward.ts"))};
  console.log(JSON.stringify(await moveBranch(JSON.parse(process.env.MOVE))));`;

/** Our process dies when its git reaches `command`, before or after that command is done. */
async function crashAt(command: string, when: "before" | "after", move: Move): Promise<void> {
  const act = when === "before" ? "" : `$real "$@";`;
  const PATH = shimGit(`case " $* " in *" ${command} "*) ${act} kill -9 $PPID; exit 1;; *) exec $real "$@";; esac`);
  const child = startModule(program, { PATH, MOVE: JSON.stringify(move) });
  expect(await new Promise((resolve) => child.on("exit", (_, signal) => resolve(signal)))).toBe("SIGKILL");
}

test.each([
  ["status", "before"],
  ["read-tree", "before"],
  ["read-tree", "after"],
  ["update-ref", "before"],
  ["update-ref", "after"],
] as const)(
  "[WS13] our process killed at %s, %s it is done: settling moves the branch and the files",
  async (command, when) => {
    const move = makeMove({ also: [] });
    writeFiles(move.repo, { "notes.txt": "untracked", "x.log": "ignored" });
    await crashAt(command, when, move);
    expect(existsSync(move.intentFile)).toBe(true);
    expect(await settleMove(move.intentFile)).toBe(null);
    expectMoved(move);
    expect(runGit(move.repo, "status", "--porcelain")).toBe("?? notes.txt");
    expect(await settleMove(move.intentFile)).toBe(null);
  },
);

test.each([
  ["read-tree", "before", "from"],
  ["read-tree", "after", "from"],
  ["update-ref", "after", "to"],
] as const)(
  "[WS19] what our process left that was killed at %s, %s it is done, is ended without moving the branch; many at once are no more than one",
  async (command, when, at) => {
    const move = makeMove({ also: [] });
    await crashAt(command, when, move);
    expect(leftovers(move)).toEqual(expect.arrayContaining(["index.lock", "intent"]));
    // The git that killed our process may be there a moment longer.
    await until(async () => {
      const ended = await Promise.all([1, 2, 3].map(() => endLeftMove(move.intentFile)));
      expect(ended).toEqual([null, null, null]);
      return !existsSync(move.intentFile);
    });
    expect(leftovers(move)).toEqual([]);
    expect([main(move.repo), runGit(move.repo, "status", "--porcelain")]).toEqual([move[at], ""]);
    expect(await moveBranch({ ...move, from: move[at] })).toEqual({ moved: true });
    expectMoved(move);
  },
);

test("[WS19] a move that a living process performs is left to it", async () => {
  const move = makeMove();
  await crashAt("read-tree", "after", move);
  const alive = { ...JSON.parse(readFileSync(move.intentFile, "utf8")), by: processIdentity(process.ppid) };
  writeFileSync(move.intentFile, JSON.stringify(alive));
  const before = fingerprint(move.repo);
  expect(await endLeftMove(move.intentFile)).toBe(null);
  expect([fingerprint(move.repo), leftovers(move)]).toEqual([before, expect.arrayContaining(["index.lock", "intent"])]);
});

test("[WS13] files that a killed git had half written are put right", async () => {
  const move = makeMove();
  await crashAt("read-tree", "before", move);
  // As git leaves them: one new, one cut off, one removed before it is written again, one deleted already.
  writeFiles(move.repo, { "new/deep.txt": "2\n", "pixel.png": new Uint8Array([0, 255]) });
  rmSync(join(move.repo, "a.txt"));
  rmSync(join(move.repo, "gone.txt"));
  const next = readdirSync(join(move.repo, ".git")).find((name) => name.startsWith("pawl-index"));
  writeFileSync(join(move.repo, ".git", `${next}.lock`), "half");
  expect(await settleMove(move.intentFile)).toBe(null);
  expectMoved(move);
});

test("[WS13] a file that a person has changed since is kept, with everything else, and words say so", async () => {
  const move = makeMove();
  await crashAt("read-tree", "after", move);
  writeFiles(move.repo, { "a.txt": "a person wrote this\n", "notes.txt": "and this" });
  expect(await settleMove(move.intentFile)).toMatch(/^main was being moved in .*, and a\.txt has been changed since/);
  expect(readFileSync(join(move.repo, "a.txt"), "utf8")).toBe("a person wrote this\n");
  expect(readFileSync(join(move.repo, "notes.txt"), "utf8")).toBe("and this");
  expect(readFileSync(join(move.repo, "new/deep.txt"), "utf8")).toBe("2\n");
  expect([main(move.repo), leftovers(move)]).toEqual([move.from, []]);
  expect(await settleMove(move.intentFile)).toBe(null);
});

test("[WS13] before the first file is written nothing is taken back, also what looks like our doing", async () => {
  const move = makeMove();
  rmSync(join(move.repo, "a.txt"));
  writeFiles(move.repo, { "pixel.png": "" });
  const before = fingerprint(move.repo);
  await crashAt("status", "after", move);
  expect(await settleMove(move.intentFile)).toBe(null);
  expect([fingerprint(move.repo), leftovers(move)]).toEqual([before, []]);
});

test("[WS13] a person who removed the lock and staged the files has the last word", async () => {
  const move = makeMove();
  await crashAt("read-tree", "after", move);
  rmSync(join(move.repo, ".git/index.lock"));
  runGit(move.repo, "add", "--all");
  const status = runGit(move.repo, "status", "--porcelain");
  expect(await settleMove(move.intentFile)).toContain("has been changed since");
  expect(runGit(move.repo, "status", "--porcelain")).toBe(status);
});

test("[WS13] the locks of a git that was killed while it moved the branch are taken away", async () => {
  const move = makeMove();
  await crashAt("update-ref", "before", move);
  for (const name of ["HEAD.lock", "refs/heads/main.lock"]) {
    writeFileSync(join(move.repo, ".git", name), "");
    utimesSync(join(move.repo, ".git", name), 1, 1);
  }
  expect(await settleMove(move.intentFile)).toBe(null);
  expectMoved(move);
  expect(existsSync(join(move.repo, ".git/refs/heads/main.lock"))).toBe(false);
});

test("[WS13] git killed at any moment while it writes the files: one more try and they are right", async () => {
  let killed = 0;
  for (let round = 0; round < 12; round += 1) {
    const move = makeMove();
    // On a fast disk git is often done before the shortest sleep is over.
    const pause = round % 3 === 0 ? "" : `sleep 0.00${round % 8}; `;
    const kill = `$real "$@" & ${pause}kill -9 $! 2>/dev/null; wait $! || kill -9 $$`;
    vi.stubEnv("PATH", shimGit(`case " $* " in *" read-tree -m -u "*) ${kill};; *) exec $real "$@";; esac`));
    const moved = await moveBranch(move).catch(() => null);
    vi.unstubAllEnvs();
    killed += moved === null ? 1 : 0;
    expect([runGit(move.repo, "status", "--porcelain"), leftovers(move)]).toEqual(["", []]);
    if (moved === null) await moveBranch(move);
    expectMoved(move);
  }
  expect(killed).toBeGreaterThan(2);
});

test("[WS13] an intent for a checkout that is gone is forgotten", async () => {
  const move = makeMove();
  await crashAt("read-tree", "after", move);
  rmSync(move.repo, { recursive: true });
  expect(await settleMove(move.intentFile)).toBe(null);
  expect(existsSync(move.intentFile)).toBe(false);
});

test.each(["--assume-unchanged", "--skip-worktree"])(
  "[WS12 WS19] a changed file that git was told not to look at (%s) stops the move, and no lock is left",
  async (flag) => {
    const move = makeMove();
    runGit(move.repo, "update-index", flag, "a.txt");
    writeFiles(move.repo, { "a.txt": "my local edit\n" });
    await expectKept(move, /where a\.txt is changed and marked assume-unchanged or skip-worktree/);
  },
);

test.each(["--assume-unchanged", "--skip-worktree"])(
  "[WS13] half-written files are put right, hidden ones (%s) too",
  async (flag) => {
    const move = makeMove();
    runGit(move.repo, "update-index", flag, "a.txt", "run.sh");
    writeFiles(move.repo, { "run.sh": "echo my local edit\n" });
    await crashAt("read-tree", "before", move);
    writeFiles(move.repo, { "a.txt": "2\n", "new/deep.txt": "2\n" });
    rmSync(join(move.repo, "gone.txt"));
    expect(await settleMove(move.intentFile)).toBe(null);
    expect([main(move.repo), leftovers(move)]).toEqual([move.from, []]);
    expect(readFileSync(join(move.repo, "a.txt"), "utf8")).toBe("1\n");
    expect(readFileSync(join(move.repo, "run.sh"), "utf8")).toBe("echo my local edit\n");
    expect(runGit(move.repo, "status", "--porcelain")).toBe("");
  },
);

test("[WS13] what a sparse checkout leaves out stays out when a move is taken back", async () => {
  const move = makeMove();
  runGit(move.repo, "sparse-checkout", "set", "--no-cone", "/*", "!/dir/");
  await crashAt("read-tree", "before", move);
  writeFiles(move.repo, { "a.txt": "2\n" });
  runGit(
    move.repo,
    "update-ref",
    "refs/heads/main",
    runGit(move.repo, "commit-tree", "-m", "x", `${move.from}^{tree}`),
  );
  expect(await settleMove(move.intentFile)).toBe(null);
  expect([existsSync(join(move.repo, "dir")), readFileSync(join(move.repo, "a.txt"), "utf8")]).toEqual([false, "1\n"]);
});

test("[WS19] a checkout that can be neither moved nor put back is described, its index is free, and the next call mends it", async () => {
  const move = makeMove();
  // As on a full disk: git writes some files and then no more, and cannot write the old ones either.
  const full = `echo 2 >a.txt; echo "fatal: unable to write: No space left on device" >&2; exit 128`;
  vi.stubEnv(
    "PATH",
    shimGit(`case " $* " in *" read-tree "*|*" checkout-index "*) ${full};; *) exec $real "$@";; esac`),
  );
  const answer = await moveBranch(move);
  const state = /No space left on device\): 1 file there may be those of [0-9a-f]{12}, the branch and the index are at/;
  expect(answer).toEqual({ moved: false, why: expect.stringMatching(state) });
  expect(answer).toEqual({ moved: false, why: expect.stringContaining("free some disk space") });
  expect(existsSync(join(move.repo, ".git/index.lock"))).toBe(false);
  // Nothing is forgotten while it cannot be mended.
  expect(await settleMove(move.intentFile)).toMatch(state);
  expect(await moveBranch(move)).toMatchObject({ why: expect.stringContaining("an earlier move is not undone yet") });
  vi.unstubAllEnvs();
  expect(await settleMove(move.intentFile)).toBe(null);
  expectMoved(move);
});

test("[WS20] a live git of a person keeps its lock, and the branch stays where it is", async () => {
  const move = makeMove();
  runGit(move.repo, "checkout", "--quiet", "-b", "mine");
  const ready = join(move.repo, ".git/ready");
  const hook = join(move.repo, ".git/hooks/reference-transaction");
  mkdirSync(dirname(hook), { recursive: true });
  writeFileSync(
    hook,
    `#!/bin/sh\n[ "$1" = prepared ] && { touch ${ready}; while [ -e ${ready} ]; do sleep 0.05; done; }\nexit 0\n`,
  );
  chmodSync(hook, 0o755);
  const theirs = runGit(move.repo, "commit-tree", "-p", move.from, "-m", "theirs", `${move.from}^{tree}`);
  const person = spawn("git", ["update-ref", "refs/heads/main", theirs], {
    cwd: move.repo,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = new Promise((resolve) => person.on("exit", resolve));
  await until(() => existsSync(ready));
  const lock = join(move.repo, ".git/refs/heads/main.lock");
  utimesSync(lock, 1, 1);
  // Its patience ends at once.
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 5_000));
  const answer = await moveBranch(move);
  clock.mockRestore();
  expect(answer).toEqual({ moved: false, why: `another git holds ${lock}` });
  expect(existsSync(lock)).toBe(true);
  person.kill("SIGKILL");
  rmSync(ready);
  await ended;
  expect(await moveBranch(move)).toEqual({ moved: true });
});
