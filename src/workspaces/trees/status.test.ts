import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { countGit } from "../../../test/support/git-count.ts";
import { makeRepository, runGit, tempDir, writeFiles } from "../../../test/support/repository.ts";
import { treeStatus } from "./status.ts";
import { ensureWorktree } from "./worktree.ts";

/** A tree is remembered only when its files are older than the tick of the kernel. */
const older = () => sleep(30);

const files = {
  "a.txt": "a\n",
  "src/b.txt": "b\n",
  "src/deep/c.txt": "c\n",
  ".gitignore": "build/\n*.log\nvendor/*\n",
  "vendor/kept.txt": "tracked in an ignored place\n",
};

async function makeTree(): Promise<string> {
  const repo = makeRepository();
  writeFiles(repo, files);
  runGit(repo, "add", "--all", "--force");
  runGit(repo, "commit", "--quiet", "--message=files");
  const path = join(tempDir(), "tree");
  await ensureWorktree({ run: "r1", repo, path, base: runGit(repo, "rev-parse", "HEAD"), branch: null });
  return path;
}

/** What git says now, and nothing else. */
function gitSays(tree: string): string {
  return runGit(tree, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal");
}

async function remembered(tree: string): Promise<() => number> {
  await older();
  for (let look = 0; look < 3; look += 1) expect(await treeStatus(tree)).toBe("");
  const count = countGit();
  expect(await treeStatus(tree)).toBe("");
  expect(count()).toEqual([]);
  return () => count().filter((call) => call.includes("status")).length;
}

test("[GP8] a clean tree is asked about twice, and then only when something in it has changed", async () => {
  const tree = await makeTree();
  const asked = await remembered(tree);
  writeFileSync(join(tree, "src/b.txt"), "c\n");
  expect(await treeStatus(tree)).toBe(" M src/b.txt\0");
  expect(asked()).toBe(1);
  writeFileSync(join(tree, "src/b.txt"), "b\n");
  expect(await treeStatus(tree)).toBe("");
  expect(asked()).toBe(2);
});

test("[GP8] work in a directory that git ignores does not ask again, nor does it hide what is beside it", async () => {
  const tree = await makeTree();
  writeFiles(tree, { "build/out.o": "1" });
  const asked = await remembered(tree);
  writeFiles(tree, { "build/out.o": "2", "build/deep/more.o": "3" });
  expect(await treeStatus(tree)).toBe("");
  expect(asked()).toBe(0);
  writeFiles(tree, { "build/../builds/out.o": "4" });
  expect(await treeStatus(tree)).toBe("?? builds/\0");
});

test("[GP8] git is asked about a change that keeps size and time of modification", async () => {
  const tree = await makeTree();
  utimesSync(join(tree, "a.txt"), 1_000_000, 1_000_000);
  const asked = await remembered(tree);
  writeFileSync(join(tree, "a.txt"), "b\n");
  utimesSync(join(tree, "a.txt"), 1_000_000, 1_000_000);
  await treeStatus(tree);
  expect(asked()).toBe(1);
});

test("[GP8] git is always asked about a tree that Pawl did not make", async () => {
  const checkout = makeRepository();
  await older();
  for (let look = 0; look < 3; look += 1) expect(await treeStatus(checkout)).toBe("");
  const count = countGit();
  expect(await treeStatus(checkout)).toBe("");
  expect(count()).toHaveLength(1);
});

test("[GP8] files that the configuration names, repositories inside the tree and many files are left to git", async () => {
  const ignoring = await makeTree();
  const own = join(tempDir(), "ignore");
  writeFileSync(own, "secret.txt\n");
  runGit(ignoring, "config", "core.excludesFile", own);
  writeFiles(ignoring, { "secret.txt": "x" });
  await older();
  for (let look = 0; look < 3; look += 1) expect(await treeStatus(ignoring)).toBe("");
  writeFileSync(own, "other.txt\n");
  expect(await treeStatus(ignoring)).toBe("?? secret.txt\0");

  const nested = await makeTree();
  mkdirSync(join(nested, "src/inner"));
  makeRepository({ "x.txt": "x\n" }, { dir: join(nested, "src/inner") });
  runGit(nested, "add", "src/inner");
  runGit(nested, "commit", "--quiet", "--message=inner");
  await older();
  for (let look = 0; look < 3; look += 1) expect(await treeStatus(nested)).toBe("");
  runGit(join(nested, "src/inner"), "commit", "--quiet", "--allow-empty", "--message=more");
  expect(await treeStatus(nested)).toBe(" M src/inner\0");

  const many = await makeTree();
  writeFiles(many, Object.fromEntries(Array.from({ length: 1_100 }, (_, index) => [`many/${index}.txt`, ""])));
  runGit(many, "add", "--all");
  runGit(many, "commit", "--quiet", "--message=many");
  await older();
  for (let look = 0; look < 3; look += 1) expect(await treeStatus(many)).toBe("");
  rmSync(join(many, "many/7.txt"));
  expect(await treeStatus(many)).toBe(" D many/7.txt\0");
});

type Act = (tree: string) => void;

const exclude = (tree: string, text: string) =>
  writeFiles(runGit(tree, "rev-parse", "--path-format=absolute", "--git-common-dir"), { "info/exclude": text });

/** What agents and people do to a tree, and to what git knows of it. */
const acts: Readonly<Record<string, Act>> = {
  edit: (tree) => writeFileSync(join(tree, "a.txt"), "other\n"),
  "edit back": (tree) => writeFileSync(join(tree, "a.txt"), "a\n"),
  "edit in an ignored place": (tree) => writeFiles(tree, { "vendor/kept.txt": "changed\n" }),
  "new file": (tree) => writeFiles(tree, { "src/new.txt": "n\n" }),
  "empty directory": (tree) => mkdirSync(join(tree, "src/empty/inside"), { recursive: true }),
  "file in an empty directory": (tree) => writeFiles(tree, { "src/empty/inside/x.txt": "x\n" }),
  "ignored file": (tree) => writeFiles(tree, { "src/x.log": `${Math.random()}\n` }),
  "ignored directory": (tree) => writeFiles(tree, { "build/x.o": "x\n" }),
  "stop ignoring": (tree) => writeFiles(tree, { ".gitignore": "*.log\n" }),
  "ignore by exclude": (tree) => exclude(tree, "src/new.txt\nsrc/empty\n"),
  "stop excluding": (tree) => exclude(tree, ""),
  remove: (tree) => rmSync(join(tree, "src/deep"), { recursive: true, force: true }),
  "remove new": (tree) => rmSync(join(tree, "src/new.txt"), { force: true }),
  mode: (tree) => chmodSync(join(tree, "a.txt"), 0o755),
  rename: (tree) => renameSync(join(tree, "a.txt"), join(tree, "z.txt")),
  link: (tree) => {
    rmSync(join(tree, "src/b.txt"), { force: true });
    symlinkSync("../a.txt", join(tree, "src/b.txt"));
  },
  forget: (tree) => runGit(tree, "rm", "--quiet", "--cached", "a.txt"),
  stage: (tree) => runGit(tree, "add", "--all"),
  commit: (tree) => runGit(tree, "commit", "--quiet", "--allow-empty", "--all", "--message=work"),
  "reset HEAD alone": (tree) => runGit(tree, "reset", "--quiet", "--soft", "HEAD~1"),
  "start over": (tree) => runGit(tree, "reset", "--quiet", "--hard"),
  clean: (tree) => runGit(tree, "clean", "-ffdqx"),
  "other branch": (tree) => runGit(tree, "checkout", "--quiet", "--force", "--detach", "HEAD~1"),
  "look away": (tree) => runGit(tree, "update-index", "--assume-unchanged", "src/b.txt"),
  "ignore modes": (tree) => runGit(tree, "config", "core.fileMode", "false"),
};

test("[GP8] after whatever is done to a tree, the answer is that of git", async () => {
  const names = fc.array(fc.constantFrom(...Object.keys(acts)), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(names, async (order) => {
      const tree = await makeTree();
      await older();
      for (let look = 0; look < 2; look += 1) expect(await treeStatus(tree)).toBe("");
      for (const name of order) {
        try {
          acts[name]?.(tree);
        } catch {
          // Not possible in this state; then nothing has changed, or a part of it has.
        }
        for (let look = 0; look < 3; look += 1) {
          expect(await treeStatus(tree), `${order.join(", ")}: after ${name}`).toBe(gitSays(tree));
          if (look === 0) await older();
        }
      }
    }),
    { numRuns: 15 },
  );
});
