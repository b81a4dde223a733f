import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fingerprint, makeRepository, runGit, tempDir, writeFiles } from "../../../test/support/repository.ts";
import { type Joined, joinTrees } from "./joined.ts";
import { restoreSnapshot } from "./restore.ts";
import { parseSnapshot, takeSnapshot } from "./snapshot.ts";
import { ensureWorktree } from "./worktree.ts";

const files = { "a.txt": "a\n", "run.sh": "echo\n", "folder/in.txt": "in\n", "gone.txt": "gone\n" };

type Change = (tree: string) => void;

/** A tree, and one for each change, all from the same commit; `first`: what was uncommitted before any of them began. */
async function joined(changes: readonly Change[], first: Change = () => undefined) {
  const repo = makeRepository(files);
  const base = runGit(repo, "rev-parse", "HEAD");
  const make = async (name: string, branch: string | null) => {
    const path = join(tempDir(), name);
    await ensureWorktree({ run: "r1", repo, path, base, branch });
    return path;
  };
  const path = await make("step", "pawl/1");
  first(path);
  const onto = await takeSnapshot(path);
  const { head, content } = parseSnapshot(onto);
  const start = content === null ? head : `${head}+${content}`;
  const works = [];
  for (const [index, change] of changes.entries()) {
    const tree = await make(`part-${index}`, null);
    await restoreSnapshot(tree, start);
    change(tree);
    works.push({ name: `p${index}`, path: tree, base: start });
  }
  const before = fingerprint(path);
  const result = await joinTrees({ path, onto, works, isByProduct: (name) => name.startsWith("coverage/") });
  expect(fingerprint(path)).toEqual(before);
  return { path, onto, result };
}

async function filesAfter(path: string, result: Joined): Promise<readonly string[]> {
  if (result.result !== "joined") throw new Error(`conflict: ${result.files.join(", ")}`);
  await restoreSnapshot(path, result.snapshot);
  runGit(path, "add", "--all");
  return runGit(path, "ls-files", "--stage")
    .split("\n")
    .map((line) => line.replace(/^(\d+) \w+ 0\t/, "$1 "));
}

const writes =
  (written: Readonly<Record<string, string>>): Change =>
  (tree) =>
    writeFiles(tree, written);
const removes =
  (name: string): Change =>
  (tree) =>
    rmSync(join(tree, name), { recursive: true });

test("[PT18] new, changed, removed, linked and executable files of several trees come together, committed or not", async () => {
  const { path, result } = await joined([
    (tree) => {
      writeFiles(tree, { "a.txt": "changed\n", 'odd "name"\t.txt': "x" });
      runGit(tree, "add", "--all");
      runGit(tree, "commit", "--quiet", "--message=mine");
    },
    removes("gone.txt"),
    (tree) => {
      chmodSync(join(tree, "run.sh"), 0o755);
      symlinkSync("a.txt", join(tree, "link"));
    },
  ]);
  expect(await filesAfter(path, result)).toEqual([
    "100644 a.txt",
    "100644 folder/in.txt",
    "120000 link",
    String.raw`100644 "odd \"name\"\t.txt"`,
    "100755 run.sh",
  ]);
  expect(runGit(path, "branch", "--show-current")).toBe("pawl/1");
});

test("[PT18] work is put on what was uncommitted in the step's tree before", async () => {
  const first = writes({ "early.txt": "early\n", "a.txt": "early\n" });
  const { path, result } = await joined([writes({ "a.txt": "early\nlater\n" })], first);
  expect(await filesAfter(path, result)).toContain("100644 early.txt");
  expect(runGit(path, "show", ":a.txt")).toBe("early\nlater");
});

test("[PT18] trees that changed nothing leave the snapshot as it was", async () => {
  const { onto, result } = await joined([() => undefined, writes({ "coverage/lcov.info": "x" })]);
  expect(result).toEqual({ result: "joined", snapshot: onto, changed: [] });
});

test("[PT18 PT19] by-products that were there before are no work either when several write them again", async () => {
  const first = writes({ "coverage/lcov.info": "first\n", "early.txt": "early\n" });
  const again = (text: string) => writes({ "coverage/lcov.info": text });
  const { onto, result } = await joined([again("1\n"), again("2\n"), removes("coverage")], first);
  expect(result).toEqual({ result: "joined", snapshot: onto, changed: [] });
});

test.each<readonly [string, Change, Change, readonly string[] | null]>([
  ["two contents", writes({ "a.txt": "1\n" }), writes({ "a.txt": "2\n" }), ["a.txt"]],
  ["lines that git could merge", writes({ "a.txt": "x\na\n" }), writes({ "a.txt": "a\ny\n" }), ["a.txt"]],
  ["changed and removed", writes({ "a.txt": "1\n" }), removes("a.txt"), ["a.txt"]],
  ["a mode and a content", (tree) => chmodSync(join(tree, "a.txt"), 0o755), writes({ "a.txt": "1\n" }), ["a.txt"]],
  ["a file where the other has a folder", writes({ new: "1\n" }), writes({ "new/in": "1\n" }), ["new/in"]],
  ["a folder where the other has a file", writes({ "new/deep/in": "1\n" }), writes({ new: "1\n" }), ["new"]],
  ["the same content", writes({ "a.txt": "1\n" }), writes({ "a.txt": "1\n" }), null],
  ["both removed", removes("a.txt"), removes("a.txt"), null],
  [
    "a folder that becomes a file",
    (tree) => {
      rmSync(join(tree, "folder"), { recursive: true });
      writeFiles(tree, { folder: "now a file\n" });
    },
    (tree) => mkdirSync(join(tree, "empty")),
    null,
  ],
])("[PT19] %s", async (_, one, other, conflict) => {
  const { result } = await joined([one, other]);
  const files = result.result === "conflict" ? result.files : null;
  expect(files).toEqual(conflict);
});
