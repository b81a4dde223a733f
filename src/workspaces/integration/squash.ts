// Squashing. Owns: making one commit of all work of a story and putting it on another commit, independent of the user's settings for
// commits, rebases and merges.

import { join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { readIfReadable } from "../../system/files/text.ts";
import { git, gitLine, splitNul } from "../git/git.ts";
import { headOf } from "../git/head.ts";
import { gitSettings } from "../git/settings.ts";
import type { OwnedTree } from "../trees/ownership.ts";
import { parseSnapshot } from "../trees/snapshot.ts";
import { isIn } from "./ancestry.ts";
import { filesOf, isSelected, type StoryWork, selectFiles } from "./story-files.ts";

const checkoutTimeoutMs = 600_000;

export interface Squash {
  readonly commit: string;
  /** Its parent: the last commit that the work of the story and the tip have in common. */
  readonly parent: string;
  /** New files of the story that are not in the commit. */
  readonly leftOut: readonly string[];
}

/** Variables for every git that makes a commit. */
export type CommitEnvironment = Readonly<Record<string, string>>;

/** Null if the story changed nothing. */
export async function squashOnto(
  tree: OwnedTree,
  given: StoryWork,
  tip: string,
  env: CommitEnvironment,
): Promise<Squash | null> {
  const work = isSelected(given) ? given : await selectFiles(tree.path, given);
  const { head } = parseSnapshot(work.snapshot);
  // An agent that begins a history of its own has changed the files from where its story started all the same.
  const parent = (await partingOf(tree.path, [head, ...work.merging], [tip, ...work.known])) ?? work.start;
  const files = `${filesOf(work)}^{tree}`;
  const [now, then] = (await gitLine(tree.path, ["rev-parse", files, `${parent}^{tree}`])).split("\n");
  if (now === then) return null;
  const args = ["commit-tree", "--no-gpg-sign", "-p", parent, "-F", "-", files];
  const commit = await gitLine(tree.path, args, { env, input: `${work.message.trimEnd()}\n` });
  return { commit, parent, leftOut: work.selected?.leftOut ?? [] };
}

/** The last commit that the work has in common with one of `others`; null if there is none. The first of `others` is the tip. */
async function partingOf(
  path: string,
  [head = "", ...merging]: readonly string[],
  others: readonly (string | null)[],
): Promise<string | null> {
  const [tip = "", ...known] = new Set(others.filter((commit) => commit !== null));
  const ask = async (...commits: readonly string[]) =>
    (await git(path, ["merge-base", ...commits], { allowFailure: true })).stdout.trim() || null;
  // A commit that was taken out may be pruned by now, and then git answers nothing.
  const parting = (await ask(head, tip, ...known)) ?? (await ask(head, tip));
  if (merging.length === 0) return parting;
  const merged = await ask(tip, head, ...merging);
  if (parting === null || merged === null || parting === merged) return merged ?? parting;
  return (await isIn(path, merged, parting)) ? parting : merged;
}

/** Checks out the commit, detached. Uncommitted changes are lost; ignored files stay. */
export async function checkOutCommit({ path }: OwnedTree, commit: string): Promise<void> {
  await git(path, ["checkout", "--quiet", "--force", "--detach", commit, "--"], { timeoutMs: checkoutTimeoutMs });
}

export type Rebased =
  | { readonly commit: string; readonly leftOut: readonly string[] }
  /** Paths that both sides changed in ways that git cannot merge. */
  | { readonly conflicts: readonly string[] };

/** The tree must be clean. Afterwards it is at the new commit, detached, or at the tip if the tip has the change already. */
export async function rebaseOnto(
  tree: OwnedTree,
  squash: Squash,
  tip: string,
  env: CommitEnvironment,
): Promise<Rebased> {
  const modes = [
    "--merge",
    "--quiet",
    "--empty=drop",
    "--no-gpg-sign",
    "--no-autostash",
    "--no-autosquash",
    "--no-stat",
  ];
  const args = ["rebase", ...modes, "--no-rerere-autoupdate", "--onto", tip, squash.parent, squash.commit];
  const options = { env, timeoutMs: checkoutTimeoutMs };
  const done = await git(tree.path, args, { ...options, allowFailure: true });
  if (done.code === 0) return { commit: await headOf(tree.path), leftOut: squash.leftOut };
  const conflicts = await unmergedIn(tree.path);
  if (conflicts.length > 0) return { conflicts };
  const said = done.stderr.split("\n").filter((line) => line.trim() !== "");
  throw new AppError("GIT_FAILED", `git rebase failed in ${tree.path}: ${said[0] ?? `exit code ${done.code}`}`, {
    hint: "run the same git command by hand to see more",
    details: said.slice(0, 20),
  });
}

/** Paths with conflicts, each once. */
export async function unmergedIn(path: string): Promise<readonly string[]> {
  const entries = splitNul((await git(path, ["ls-files", "--unmerged", "-z"])).stdout);
  return [...new Set(entries.map((entry) => entry.slice(entry.indexOf("\t") + 1)))];
}

/** The commits of a merge that is resolved and not committed. */
export function mergingIn(gitDir: string): readonly string[] {
  const text = readIfReadable(join(gitDir, "MERGE_HEAD")) ?? "";
  return text.split("\n").filter((line) => line !== "");
}

// Whatever the user has set: no editor, signature, stash or recorded resolution, and no branch of the user is moved.
const fixed: readonly (readonly [string, string])[] = [
  ["i18n.commitEncoding", "UTF-8"],
  ["commit.cleanup", "verbatim"],
  ["notes.rewrite.rebase", "false"],
  ["rebase.updateRefs", "false"],
  ["rebase.missingCommitsCheck", "ignore"],
  ["rebase.instructionFormat", "%s"],
  ["rerere.enabled", "false"],
];

/** The user's identity, or Pawl's where none is configured. Every merge driver of the user is replaced by git's own merge. */
export async function commitEnvironment(path: string): Promise<CommitEnvironment> {
  const keys = [...(await gitSettings(path)).keys()];
  const drivers = keys.filter((key) => /^merge\..*\.driver$/.test(key)).map((key) => [key, ownMerge] as const);
  return { ...identity(keys), ...asEnvironment([...fixed, ...drivers]) };
}

// A merge driver is a program, which may wait for a person. This does what git does without a driver.
const ownMerge = "git merge-file --quiet --marker-size=%L %A %O %B";

function identity(keys: readonly string[]): CommitEnvironment {
  const missing = ["author", "committer"].flatMap((who) =>
    Object.entries({ name: "Pawl", email: "pawl@localhost" }).flatMap(([what, value]) => {
      const variable = `GIT_${who}_${what}`.toUpperCase();
      const isKnown = process.env[variable] || keys.includes(`${who}.${what}`) || keys.includes(`user.${what}`);
      return isKnown ? [] : [[variable, value] as const];
    }),
  );
  return Object.fromEntries(missing);
}

/** Numbered after the settings that the caller's environment has already. */
function asEnvironment(settings: readonly (readonly [string, string])[]): CommitEnvironment {
  const first = Number(process.env["GIT_CONFIG_COUNT"] ?? 0) || 0;
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key] as const,
    [`GIT_CONFIG_VALUE_${first + index}`, value] as const,
  ]);
  return { GIT_CONFIG_COUNT: `${first + settings.length}`, ...Object.fromEntries(pairs) };
}
