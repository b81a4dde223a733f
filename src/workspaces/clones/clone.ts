// Clones. Owns: the copy of a repository on a machine that has not got the repository itself: making it, bringing it up to date for a
// run, and putting the state of a tree back into the repository. The address is the user's own; nothing of a repository chooses it.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../domain/error.ts";
import { isSafeId } from "../../domain/ids.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { removeAll } from "../../system/files/remove-all.ts";
import { replaceFile } from "../../system/files/whole-file.ts";
import { isCommitId } from "../../system/git-directory.ts";
import { assertBranchName } from "../branches/branch-name.ts";
import { git } from "../git/git.ts";
import { changeRefs, readRefs } from "../git/refs.ts";
import { integratedRefs, publishedRefs } from "../integration/tip.ts";
import { handedRefs } from "../slots/story-refs.ts";
import { parseSnapshot } from "../trees/snapshot.ts";

export interface Origin {
  /** Any address that git knows. */
  readonly from: string;
  /** A repository on this machine whose objects need not be fetched; null: there is none. */
  readonly mirror: string | null;
}

/** Where the branches of the repository are in the clone. */
const hostHeads = "refs/pawl/host";
const cloneTimeoutMs = 60 * 60_000;
const fetchTimeoutMs = 10 * 60_000;

/** Makes it unless it is there. One process at a time; what a killed one left is begun again. */
export async function ensureClone(path: string, { from, mirror }: Origin): Promise<void> {
  const marker = markerOf(path);
  if ((readJson(marker) as { readonly from?: unknown } | null)?.from === from) return;
  if (existsSync(path) && existsSync(marker)) return writeJson(marker, { from });
  assertAddress(from);
  removeAll(path);
  mkdirSync(dirname(path), { recursive: true });
  const reference = mirror === null ? [] : ["--reference", mirror, "--dissociate"];
  const words = ["clone", "--quiet", "--no-checkout", "--no-tags", ...reference, "--", from, path];
  try {
    await reached(from, () => git(dirname(path), words, { asUser: true, timeoutMs: cloneTimeoutMs }));
    // No branch is checked out, so each can be moved.
    const head = (await git(path, ["rev-parse", "HEAD"])).stdout.trim();
    await changeRefs(path, ["option no-deref", `update HEAD ${head}`]);
    writeJson(marker, { from });
  } catch (error) {
    removeAll(path);
    throw error;
  }
}

function markerOf(path: string): string {
  return join(path, ".git", "pawl-clone.json");
}

/** An address, and no option: it stands where git takes both. */
function assertAddress(from: string): void {
  if (!from.startsWith("-") && !/\p{Cc}/u.test(from) && from.trim() !== "") return;
  throw new AppError("CONFIG_INVALID", `${JSON.stringify(from)} is not the address of a repository`, {
    hint: "name it in `worker.repositories` as git takes it: ssh://…, https://… or a path",
  });
}

/** What a guest needs of a run. */
export interface RunBranches {
  readonly run: string;
  /** Those that follow the repository. No tree of this machine is on them. */
  readonly branches: readonly string[];
}

/** Brings the branches of the run, the marks of its stories and what others have handed over. */
export async function fetchRun(path: string, from: string, { run, branches }: RunBranches): Promise<void> {
  if (!isSafeId(run)) throw new Error(`${run} cannot be part of a ref`);
  for (const name of branches) await assertBranchName(path, name);
  await assertNoDetour(path, from);
  const own = [publishedRefs(run), integratedRefs(run), handedRefs(run)].map((refs) => `+${refs}/*:${refs}/*`);
  const words = ["fetch", "--quiet", "--no-tags", "--prune", "--no-write-fetch-head", "--no-auto-maintenance"];
  await reached(from, () =>
    git(path, [...words, "--", from, `+refs/heads/*:${hostHeads}/*`, ...own], {
      asUser: true,
      timeoutMs: fetchTimeoutMs,
    }),
  );
  await followHost(path, branches);
}

/** These branches are where the repository has them. */
async function followHost(path: string, names: readonly string[]): Promise<void> {
  for (;;) {
    const refs = await readRefs(path, [
      ...names.map((name) => `${hostHeads}/${name}`),
      ...names.map((name) => `refs/heads/${name}`),
    ]);
    const changes = names.flatMap((name) => {
      const [there, here] = [refs.get(`${hostHeads}/${name}`), refs.get(`refs/heads/${name}`)];
      if (there === here) return [];
      return [there === undefined ? `delete refs/heads/${name} ${here}` : `update refs/heads/${name} ${there}`];
    });
    if (changes.length === 0 || (await changeRefs(path, changes))) return;
  }
}

export function handedRefsOf(run: string, story: string | null): string {
  return `${handedRefs(run)}/${story === null ? "run" : `story/${story}`}`;
}

/** The commits that keep a snapshot, each under a ref of its own. */
export function refsOfSnapshot(folder: string, snapshot: string): readonly (readonly [ref: string, commit: string])[] {
  const { head, content } = parseSnapshot(snapshot);
  return [head, ...(content === null ? [] : [content])].map((commit) => [`${folder}/${commit}`, commit] as const);
}

/** Puts commits into the repository. Those that are there already stay. */
export async function pushRefs(
  path: string,
  from: string,
  refs: readonly (readonly [ref: string, commit: string])[],
): Promise<void> {
  await assertNoDetour(path, from);
  const updates = refs.map(([ref, commit]) => `+${commit}:${ref}`);
  await reached(from, () =>
    git(path, ["push", "--quiet", "--no-verify", "--", from, ...updates], {
      asUser: true,
      timeoutMs: fetchTimeoutMs,
    }),
  );
}

/** An agent can write the configuration of the clone: the address must not lead elsewhere because of it. */
async function assertNoDetour(path: string, from: string): Promise<void> {
  const { stdout } = await git(path, ["config", "--list", "--show-scope", "--name-only", "--null"]);
  const [words, found] = [stdout.split("\0"), [] as string[]];
  for (let index = 0; index + 1 < words.length; index += 2)
    if (words[index] === "local" || words[index] === "worktree") found.push(words[index + 1] ?? "");
  const detour = found.find((key) => key.startsWith("url.") || key.startsWith(`remote.${from}.`));
  if (detour === undefined) return;
  throw new AppError("REPOSITORY_UNUSABLE", `${path} leads git elsewhere: its configuration has ${detour}`, {
    hint: "an agent may have written it; remove that line, or the whole folder: it is cloned again",
  });
}

export async function hasCommit(path: string, commit: string): Promise<boolean> {
  if (!isCommitId(commit)) return false;
  return (await git(path, ["cat-file", "-e", `${commit}^{commit}`], { allowFailure: true })).code === 0;
}

/** Writes a file of a commit into the folder of the clone. Where the commit has no such file, the folder has none either. */
export async function showFile(path: string, commit: string, file: string): Promise<void> {
  if (!isCommitId(commit)) throw new Error(`${commit} is not a commit`);
  const shown = await git(path, ["show", `${commit}:${file}`, "--"], { allowFailure: true });
  const to = join(path, file);
  if (shown.code !== 0) return rmSync(to, { force: true });
  mkdirSync(dirname(to), { recursive: true });
  replaceFile(to, (draft) => writeFileSync(draft, shown.stdout));
}

async function reached<T>(from: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("REPOSITORY_UNUSABLE", `${shown(from)} cannot be reached: ${error.message}`, {
      hint: "try `git ls-remote` with that address as the user of the worker; it needs to read, and to push to refs/pawl/",
      details: error.details,
      cause: error,
    });
  }
}

/** An address may have a password in it. */
function shown(from: string): string {
  return from.replace(/:\/\/[^/@]*@/, "://…@");
}

/** A folder of its own for each repository, with a name that a person recognizes. */
export function cloneName(repo: string, hash: string): string {
  return `${basename(repo)
    .replaceAll(/[^\w.-]/g, "-")
    .slice(0, 40)}-${hash.slice(0, 12)}`;
}
