// The base of a run. Owns: choosing the commit that the work starts from. A branch whose remote may be ahead is fetched first.

import { AppError } from "../../domain/error.ts";
import { git, gitLine } from "../git/git.ts";
import { noCommits, type RepositoryFacts } from "../git/repository.ts";

export interface Base {
  readonly commit: string;
  /** The name under which the commit was found: `main`, `origin/main`, a tag, or the start of its id. */
  readonly name: string;
  /** What a person should know about the choice. */
  readonly notes: readonly string[];
}

export interface BaseOptions {
  readonly base?: string;
  readonly fetch?: boolean;
  readonly fetchTimeoutMs?: number;
}

interface Upstream {
  readonly remote: string;
  /** The name of the branch on the remote. */
  readonly remoteRef: string;
  /** The local ref that has what was last fetched. */
  readonly trackingRef: string;
}

const defaultFetchTimeoutMs = 10_000;

export async function resolveBase(facts: RepositoryFacts, options: BaseOptions = {}): Promise<Base> {
  const wanted = options.base;
  if (wanted === undefined) return currentBase(facts, options);
  if (!isPlausible(wanted)) throw notFound(wanted, []);

  if (await commitOf(facts.root, `refs/heads/${wanted}`)) return branchBase(facts, wanted, options);
  const upstream = remoteBranch(facts, wanted);
  if (upstream !== null) {
    const notes = await refresh(facts.root, upstream, options);
    const commit = await commitOf(facts.root, upstream.trackingRef);
    if (commit) return { commit, name: wanted, notes };
  }
  const commit = await commitOf(facts.root, wanted);
  if (commit) return { commit, name: wanted, notes: [] };
  return onlyOnRemote(facts, wanted, options);
}

async function currentBase(facts: RepositoryFacts, options: BaseOptions): Promise<Base> {
  if (facts.head === null) throw noCommits(facts.root);
  if (facts.branch !== null) return branchBase(facts, facts.branch, options);
  return { commit: facts.head, name: facts.head.slice(0, 12), notes: ["HEAD is detached: starting from its commit"] };
}

/** The commit of a local branch, or of its upstream if that is strictly ahead. */
async function branchBase(facts: RepositoryFacts, branch: string, options: BaseOptions): Promise<Base> {
  const local = await commitOf(facts.root, `refs/heads/${branch}`);
  if (!local) throw noCommits(facts.root);
  const upstream = await upstreamOf(facts, branch);
  if (upstream === null) return { commit: local, name: branch, notes: [] };

  const notes = await refresh(facts.root, upstream, options);
  const theirs = await commitOf(facts.root, upstream.trackingRef);
  if (!theirs || theirs === local) return { commit: local, name: branch, notes };
  const name = upstream.trackingRef.replace(/^refs\/remotes\//, "");
  if (await isAncestor(facts.root, local, theirs)) {
    return { commit: theirs, name, notes: [...notes, `${branch} is behind ${name}: starting from ${name}`] };
  }
  const diverged = !(await isAncestor(facts.root, theirs, local));
  const note = `${branch} and ${name} have diverged: starting from the local ${branch}`;
  return { commit: local, name: branch, notes: diverged ? [...notes, note] : notes };
}

/** A name that only a remote has: what was fetched before, else what a fetch brings now. */
async function onlyOnRemote(facts: RepositoryFacts, wanted: string, options: BaseOptions): Promise<Base> {
  const notes: string[] = [];
  const remotes = isExpression(wanted) ? [] : facts.remotes;
  for (const remote of remotes.toSorted((a, b) => Number(b === "origin") - Number(a === "origin"))) {
    const trackingRef = `refs/remotes/${remote}/${wanted}`;
    notes.push(...(await refresh(facts.root, { remote, remoteRef: `refs/heads/${wanted}`, trackingRef }, options)));
    const commit = await commitOf(facts.root, trackingRef);
    if (commit) return { commit, name: `${remote}/${wanted}`, notes };
  }
  throw notFound(wanted, await nearNames(facts.root, wanted), notes);
}

async function upstreamOf(facts: RepositoryFacts, branch: string): Promise<Upstream | null> {
  const format = "--format=%(upstream)%00%(upstream:remotename)%00%(upstream:remoteref)";
  const [trackingRef = "", remote = "", remoteRef = ""] = (
    await gitLine(facts.root, ["for-each-ref", format, `refs/heads/${branch}`])
  ).split("\0");
  // The "upstream" in a mirror is a local branch of the user, so it is not fetched into.
  const isTracking = trackingRef.startsWith("refs/remotes/") && facts.remotes.includes(remote) && remoteRef !== "";
  return isTracking ? { remote, remoteRef, trackingRef } : null;
}

/** `origin/main` as the branch of a remote, if there is such a remote. */
function remoteBranch(facts: RepositoryFacts, wanted: string): Upstream | null {
  const remote = facts.remotes.find((name) => wanted.startsWith(`${name}/`));
  if (remote === undefined || isExpression(wanted)) return null;
  const remoteRef = `refs/heads/${wanted.slice(remote.length + 1)}`;
  return { remote, remoteRef, trackingRef: `refs/remotes/${wanted}` };
}

/** Fetches one branch into its remote-tracking ref and nothing else. A remote that cannot be reached is a note. */
async function refresh(root: string, upstream: Upstream, options: BaseOptions): Promise<readonly string[]> {
  if (options.fetch === false) return [];
  const { remote, remoteRef, trackingRef } = upstream;
  const quiet = ["--quiet", "--no-tags", "--no-prune", "--no-recurse-submodules", "--no-write-fetch-head"];
  // Without --refmap, git would apply the configured refspec too, which writes to local branches in a mirror.
  const args = ["fetch", ...quiet, "--refmap=", "--", remote, `+${remoteRef}:${trackingRef}`];
  const timeoutMs = options.fetchTimeoutMs ?? defaultFetchTimeoutMs;
  try {
    await git(root, args, { timeoutMs, asUser: true });
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "GIT_FAILED") throw error;
    if (error.details.some((line) => line.includes("couldn't find remote ref"))) return [];
    return [`${remote} could not be fetched (${error.message}): using what is known locally`];
  }
}

async function commitOf(root: string, name: string): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const asked = await git(root, args, { allowFailure: true });
  return asked.code === 0 ? asked.stdout.trim() : null;
}

async function isAncestor(root: string, older: string, newer: string): Promise<boolean> {
  return (await git(root, ["merge-base", "--is-ancestor", older, newer], { allowFailure: true })).code === 0;
}

/** Refuses names that git would read as an option, a range, a pattern or a refspec. */
function isPlausible(name: string): boolean {
  return (
    name.length <= 250 && /^[^-\s:+^*?[\\][^\s:*?[\\]*$/.test(name) && !name.includes("..") && !/\p{Cc}/u.test(name)
  );
}

/** `main~2` or `main@{1}` names a commit in a way that no remote understands. */
function isExpression(name: string): boolean {
  return /[~^]|@\{/.test(name);
}

function notFound(wanted: string, near: readonly string[], notes: readonly string[] = []): AppError {
  const hint =
    near.length > 0 ? `did you mean ${near.join(", ")}?` : "name a branch, a tag or a commit; see `git branch --all`";
  return new AppError("BASE_NOT_FOUND", `there is no branch, tag or commit ${JSON.stringify(wanted.slice(0, 80))}`, {
    hint,
    details: notes,
  });
}

async function nearNames(root: string, wanted: string): Promise<readonly string[]> {
  const args = ["for-each-ref", "--count=5000", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes"];
  const names = (await gitLine(root, args)).split("\n").filter((name) => name !== "");
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  return names
    .map((name) => ({ name, distance: distance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= limit || name.includes(wanted))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 5)
    .map(({ name }) => name);
}

/** How many letters must be changed, added or removed to get from one name to the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
