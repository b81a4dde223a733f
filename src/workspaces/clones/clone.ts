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
import { checkoutsOf } from "../branches/checked-out.ts";
import { git } from "../git/git.ts";
import { branchCommit } from "../git/head.ts";
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
const lookTimeoutMs = 10_000;

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
  /** Both follow the repository. No tree of this machine is on them. Empty: there is none. */
  readonly base: string;
  readonly side: string;
}

/** Brings the branches of the run, the marks of its stories and what others have handed over. */
export async function fetchRun(path: string, from: string, { run, base, side }: RunBranches): Promise<void> {
  if (!isSafeId(run)) throw new Error(`${run} cannot be part of a ref`);
  const branches = [base, side].filter((name) => name !== "");
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
  // A run that has only begun, or is closed, has none: nothing would remove its branch from here again.
  const isOpen = (await readRefs(path, [handedRefs(run)])).size > 0;
  await followHost(path, isOpen ? branches : branches.filter((name) => name !== side));
  if (!isOpen && side !== "") await dropBranch(path, side, await sharedCommit(path, side));
}

/** The runs of which refs were brought. */
export async function fetchedRuns(path: string): Promise<readonly string[]> {
  const folders = ["handed", "integrated", "published"].map((folder) => `refs/pawl/${folder}`);
  const refs = [...(await readRefs(path, folders)).keys()];
  return [...new Set(refs.flatMap((ref) => ref.split("/")[3] ?? []))];
}

/** Deletes a branch of this machine that is checked out nowhere, if it is at `known`. */
export async function dropBranch(path: string, name: string, known: string | null): Promise<void> {
  if (known === null || (await branchCommit(path, name)) !== known) return;
  if ((await checkoutsOf(path, name)).length > 0) return;
  await changeRefs(path, [`delete refs/heads/${name} ${known}`]);
}

/** The commit of a branch of this machine, if the repository has everything that is on it; null: it has not. */
export async function sharedCommit(path: string, name: string): Promise<string | null> {
  const commit = await branchCommit(path, name);
  if (commit === null) return null;
  const own = (await git(path, ["rev-list", "--max-count=1", commit, "--not", `--glob=${hostHeads}`])).stdout.trim();
  return own === "" ? commit : null;
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
  // A proxy and its certificate also see what the user logs in with.
  const detour = found.find((key) => /^(?:url|http)\./.test(key) || key.startsWith(`remote.${from}.`));
  if (detour === undefined) return;
  throw new AppError("REPOSITORY_UNUSABLE", `${path} leads git elsewhere: its configuration has ${detour}`, {
    hint: "an agent may have written it; remove that line, or the whole folder: it is cloned again",
  });
}

export async function hasCommit(path: string, commit: string): Promise<boolean> {
  if (!isCommitId(commit)) return false;
  return (await git(path, ["cat-file", "-e", `${commit}^{commit}`], { allowFailure: true })).code === 0;
}

/** The text of a file of a commit; null: the commit has no such file. */
export async function fileAt(path: string, commit: string, file: string): Promise<string | null> {
  if (!isCommitId(commit)) throw new Error(`${commit} is not a commit`);
  const listed = await git(path, ["ls-tree", "-z", "--full-tree", commit, "--", file]);
  const blob = /^100\d{3} blob ([0-9a-f]+)\t/.exec(listed.stdout)?.[1];
  return blob === undefined ? null : (await git(path, ["cat-file", "blob", blob])).stdout;
}

/** Writes a file of a commit into the folder of the clone. Where the commit has no such file, the folder has none either. */
export async function showFile(path: string, commit: string, file: string): Promise<void> {
  const text = await fileAt(path, commit, file);
  const to = join(path, file);
  if (text === null) return rmSync(to, { force: true });
  mkdirSync(dirname(to), { recursive: true });
  replaceFile(to, (draft) => writeFileSync(draft, text));
}

/** Trying again does not help: a hook, a right. */
const refuses = /rejected|declined|denied|not allowed|permission|quota/i;
/** Git rejects every ref, too, when it could not write the objects: mostly because the disk is full there. That may end. */
const breaksOff = /no space left on device|disk quota exceeded|unpacker error|unpack failed/i;
const denies = /declined|denied|not allowed|permission/i;

/** The line that says why; null: it may work later. */
function refusalIn(lines: readonly string[]): string | null {
  const isLater = lines.some((line) => breaksOff.test(line)) && !lines.some((line) => denies.test(line));
  return (isLater ? undefined : lines.find((line) => refuses.test(line))?.trim()) ?? null;
}

async function reached<T>(from: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const lines = [...error.details, error.message];
    const refusal = refusalIn(lines);
    const full = lines.find((line) => /no space left|quota exceeded/i.test(line))?.trim();
    const failed =
      full === undefined
        ? `cannot be reached: ${reasonOf(error)}`
        : `has no disk space left: free some there (${full})`;
    const code = refusal === null ? "REPOSITORY_AWAY" : "REPOSITORY_UNUSABLE";
    throw new AppError(code, `${shown(from)} ${refusal === null ? failed : `refuses it: ${refusal}`}`, {
      hint: "try `git ls-remote` with that address as the user of the worker; it needs to read, and to push to refs/pawl/",
      details: error.details,
      cause: error,
    });
  }
}

/** What ssh says comes before git's own line, which says only that it could not read. */
function reasonOf({ message, details }: AppError): string {
  const said = details.find((line) => !/^(?:warning|hint|Cloning into)\b/i.test(line)) ?? message;
  return shown(said.replace(/^(?:fatal|error): /, "").trim());
}

/** An address may have a password in it. */
function shown(from: string): string {
  return from.replaceAll(/:\/\/[^/@\s]*@/g, "://…@");
}

/** Whether it can be read now, as the user of this process; throws why not. */
export async function assertReachable({ from }: Origin, cwd: string): Promise<void> {
  assertAddress(from);
  const words = ["ls-remote", "--quiet", "--", from, "HEAD"];
  await reached(from, () => git(cwd, words, { asUser: true, timeoutMs: lookTimeoutMs }));
}

/** A folder of its own for each repository, with a name that a person recognizes. */
export function cloneName(repo: string, hash: string): string {
  return `${basename(repo)
    .replaceAll(/[^\w.-]/g, "-")
    .slice(0, 40)}-${hash.slice(0, 12)}`;
}
