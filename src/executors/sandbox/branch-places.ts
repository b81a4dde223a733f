// Which branches a program in a sandbox can move: that of its own worktree. A branch is a file that git replaces, so only a directory
// can be opened. Where the branch is in Pawl's folder (`pawl/…`), all branches elsewhere are closed; else the other branches that are
// files are closed one by one, and new ones can be made.

import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside } from "../../system/files/paths.ts";
import { readIfReadable } from "../../system/files/text.ts";
import { readHead } from "../../system/git-directory.ts";

export interface BranchPlaces {
  /** Closed for writing. */
  readonly kept: readonly string[];
  /** Opened again below a place that is closed. They are made where they are missing. */
  readonly reopened: readonly string[];
  /** Branches and their logs that are closed one by one. They may be gone before the sandbox starts. */
  readonly guarded: readonly string[];
}

const heads = "refs/heads";
/** Each one is a mount, which takes bubblewrap longer the more there are. */
const mostGuarded = 200;

/** `common`: the git directory of the repository; `own`: that of the worktree. */
export function branchPlaces(common: string, own: string): BranchPlaces {
  const branch = branchIn(own);
  const isPawls = branch?.startsWith(`${heads}/pawl/`) ?? false;
  const folder = branch === null ? heads : dirname(branch);
  const trees = ["", "logs"].map((name) => join(common, name));
  const words = branch?.split("/").slice(2) ?? [];
  const guarded = trees
    .flatMap((tree) => besides(join(tree, heads), words))
    .filter((path) => !isPawls || trees.some((tree) => isInside(path, join(tree, folder))))
    .slice(0, mostGuarded);
  if (!isPawls) return { kept: [], reopened: [], guarded };
  return {
    kept: trees.map((tree) => join(tree, heads)),
    reopened: trees.map((tree) => join(tree, folder)),
    guarded,
  };
}

/** Git removes a folder without branches, as when it packs them, and what is mounted from it is then lost. Git lists no `.lock` file. */
export function holdFolder(dir: string): void {
  mkdirSync(dir, { recursive: true });
  try {
    writeFileSync(join(dir, "pawl-sandbox.lock"), "", { flag: "wx" });
  } catch {
    // An earlier attempt has left it.
  }
}

/** The branch of the worktree, also in the middle of a rebase; null: none, or a name that is not a plain path below `refs/heads`. */
function branchIn(own: string): string | null {
  const head = readHead(own);
  const named =
    head !== null && "ref" in head
      ? head.ref
      : ["rebase-merge", "rebase-apply"].map((dir) => readIfReadable(join(own, dir, "head-name"))).find(Boolean);
  const ref = named?.trim() ?? "";
  const words = ref.split("/");
  // An agent that worked here may have written it.
  const isPlain = ref.startsWith(`${heads}/`) && words.every((word) => /^[^.\0][^\0]*$/.test(word));
  return isPlain ? ref : null;
}

/** Everything in `dir` that is not on the way to the branch, nearest to it first. */
function besides(dir: string, [next, ...rest]: readonly string[]): readonly string[] {
  const others = entriesOf(dir).filter((path) => basename(path) !== next);
  return next === undefined || rest.length === 0 ? others : [...besides(join(dir, next), rest), ...others];
}

function entriesOf(dir: string): readonly string[] {
  if (!lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => (entry.isFile() || entry.isDirectory()) && !entry.name.endsWith(".lock"))
    .map(({ name }) => join(dir, name));
}
