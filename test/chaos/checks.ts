// The checks after a chaos campaign: what must hold for the store, the repository and the machine after many kills. Each violation
// is a sentence; an empty list means success.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { errorText } from "../../src/domain/error.ts";
import type { Event } from "../../src/domain/event.ts";
import type { Run } from "../../src/domain/run.ts";
import { replay } from "../../src/engine/evolve.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { RunSummary, Store } from "../../src/store/store.ts";
import { systemClock } from "../../src/system/clock.ts";
import { findMarked } from "../../src/system/process/strays.ts";
import { queryFile } from "../support/database.ts";
import { checkoutOf, expectedFiles, git, type Scene, stories, subjectOf } from "./scene.ts";

export interface Found {
  readonly violations: readonly string[];
  readonly runs: number;
  readonly events: number;
  readonly attempts: number;
  readonly lost: number;
  /** Attempts whose agent was killed while its driver lived. */
  readonly died: number;
  readonly refused: number;
  readonly salvaged: number;
}

export async function checkScene(scene: Scene): Promise<Found> {
  const violations: string[] = [];
  const complain = (text: string) => void violations.push(text);
  const store = await openSqliteStore(scene.storeFile, systemClock);
  const logs: Event[][] = [];
  try {
    const runs = await store.listRuns({ statuses: null, limit: 100_000 });
    const audit = readFileSync(scene.audit, "utf8").trimEnd().split("\n");
    const attempts = new Set<string>();
    for (const summary of runs) {
      const events = await checkLog(store, summary, complain);
      logs.push(events);
      for (const event of events) if (event.type === "attempt_dispatched") attempts.add(event.attempt);
      const run = await store.wholeRun(summary.id);
      if (run) checkBranch(scene, summary, run, complain);
      checkAudit(summary, audit, complain);
    }
    await checkLeftovers(scene, attempts, complain);
    checkRepository(scene, complain);
  } finally {
    await store.close();
  }
  checkDatabase(scene, complain);
  const all = logs.flat();
  const ended = all.filter((event) => event.type === "attempt_ended");
  return {
    violations,
    runs: logs.length,
    events: all.length,
    attempts: ended.length,
    lost: ended.filter(({ outcome }) => outcome === "lost").length,
    died: ended.filter(wasKilled).length,
    refused: all.filter(({ type }) => type === "report_refused").length,
    salvaged: filesUnder(join(scene.home, "salvage")).length,
  };
}

export type Complain = (text: string) => void;

/** The run is done, and its log is complete and replays to its rows. */
export async function checkReplay(store: Store, summary: RunSummary, complain: Complain): Promise<Event[]> {
  const name = `run #${summary.number}`;
  if (summary.status !== "done") complain(`${name} is ${summary.status}, not done`);
  const stored = await store.events(summary.id, 0, 1_000_000);
  if (stored.some(({ seq }, index) => seq !== index + 1)) complain(`${name}: its log has gaps`);
  const events = stored.map(({ event }) => event);
  if (!isDeepStrictEqual(replay(events), await store.wholeRun(summary.id)))
    complain(`${name}: its log does not replay to its rows`);
  return events;
}

/** An agent that the campaign killed has failed; its driver lived. */
export function wasKilled({ outcome, why }: { readonly outcome: string; readonly why: string }): boolean {
  return outcome === "failed" && why.includes("it died by SIGKILL");
}

/** Its driver's terminal closed. */
function wasHungUp({ outcome, why }: { readonly outcome: string; readonly why: string }): boolean {
  return outcome === "cancelled" && why === "the driver was interrupted";
}

async function checkLog(store: Store, summary: RunSummary, complain: Complain): Promise<Event[]> {
  const name = `run #${summary.number}`;
  const events = await checkReplay(store, summary, complain);
  const places = new Map<string, { story: string; name: string }>();
  const verified = new Set<string>();
  const rejections = new Map<string, number>();
  let open: string | null = null;
  for (const event of events) {
    if (event.type === "attempt_dispatched") {
      places.set(event.attempt, { story: event.story ?? "", name: event.name });
      if (open !== null) complain(`${name}: ${event.name} of ${event.story} was started while another attempt ran`);
      open = event.attempt;
      if (event.story !== null && verified.has(event.story))
        complain(`${name}: ${event.name} of ${event.story} was started after the story was verified`);
    }
    if (event.type === "attempt_ended") {
      open = null;
      const place = places.get(event.attempt);
      if (event.outcome !== "completed" && event.outcome !== "lost" && !wasKilled(event) && !wasHungUp(event))
        complain(`${name}: ${place?.name} of ${place?.story || "the run"} ended as ${event.outcome}: ${event.why}`);
      if (place?.name === "verify" && event.verdict?.kind === "passed") verified.add(place.story);
      if (place?.name === "verify" && event.verdict?.kind === "rejected")
        rejections.set(place.story, (rejections.get(place.story) ?? 0) + 1);
    }
  }
  for (const { id, rejected } of stories) {
    const times = rejections.get(id) ?? 0;
    if (times !== (rejected ? 1 : 0)) complain(`${name}: ${id} was rejected ${times} times`);
  }
  return events;
}

function checkBranch(scene: Scene, summary: RunSummary, run: Run, complain: Complain): void {
  const { base, branch } = run.header.place;
  const name = `run #${summary.number}`;
  try {
    const subjects = git(scene.repo, "log", "--reverse", "--format=%s", `${base}..refs/heads/${branch}`).trimEnd();
    const expected = stories.map(subjectOf).join("\n");
    if (subjects !== expected) complain(`${name}: its commits are ${JSON.stringify(subjects)}`);
    const listed = git(scene.repo, "ls-tree", "-r", "--name-only", "-z", `refs/heads/${branch}`);
    const names = listed.split("\0").filter((path) => path !== "");
    const files = Object.fromEntries(names.map((path) => [path, git(scene.repo, "show", `${branch}:${path}`)]));
    if (!isDeepStrictEqual(files, expectedFiles())) complain(`${name}: its files are ${JSON.stringify(files)}`);
  } catch (error) {
    complain(`${name}: its branch cannot be read: ${errorText(error)}`);
  }
}

/** From the agents' audit log: no attempt does anything in a tree after another attempt of that run has begun. */
function checkAudit(summary: RunSummary, audit: readonly string[], complain: Complain): void {
  const over = new Set<string>();
  let current: string | null = null;
  for (const line of audit) {
    const [what, attempt = "", run, story, step] = line.split(" ");
    if (run !== summary.id) continue;
    if (over.has(attempt))
      complain(`run #${summary.number}: ${what} of ${story}/${step} came after another attempt had begun`);
    if (current !== null && current !== attempt) over.add(current);
    current = attempt;
  }
}

export async function checkLeftovers(
  scene: Pick<Scene, "home" | "storeFile">,
  attempts: ReadonlySet<string>,
  complain: Complain,
): Promise<void> {
  for (const { pid, value } of await findMarked("PAWL_ATTEMPT_ID")) {
    if (attempts.has(value)) complain(`process ${pid} of attempt ${value} is left`);
  }
  const tables = ["leases", "permits", "outbox", "ready"] as const;
  for (const table of tables) {
    const rows = queryFile(scene.storeFile, `select * from ${table}`);
    if (rows.length > 0) complain(`${rows.length} rows are left in ${table}: ${JSON.stringify(rows[0])}`);
  }
  const trees = join(scene.home, "worktrees");
  const left = existsSync(trees) ? readdirSync(trees) : [];
  if (left.length > 0) complain(`left in the directory of worktrees: ${left.join(", ")}`);
}

function checkRepository(scene: Scene, complain: Complain): void {
  const { repo } = scene;
  const trees = git(repo, "worktree", "list", "--porcelain").match(/^worktree /gm)?.length ?? 0;
  if (trees !== 1) complain(`git lists ${trees} worktrees, not only the checkout`);
  if (checkoutOf(repo) !== scene.checkout) complain("the user's checkout has changed");
  const refs = git(repo, "for-each-ref", "--format=%(refname)").trimEnd().split("\n");
  const strange = refs.filter((ref) => ref !== "refs/heads/main" && !ref.startsWith("refs/heads/pawl/"));
  if (strange.length > 0) complain(`refs are left: ${strange.join(", ")}`);
  checkGit(repo, complain);
}

/** The repository has no locks and no corruption. */
export function checkGit(repo: string, complain: Complain): void {
  const locks = filesUnder(join(repo, ".git")).filter((file) => file.endsWith(".lock"));
  if (locks.length > 0) complain(`locks are left: ${locks.join(", ")}`);
  try {
    const args = ["fsck", "--full", "--strict", "--no-dangling", "--no-progress"];
    execFileSync("git", args, { cwd: repo, stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    complain(`git fsck: ${errorText(error)}`);
  }
}

export function checkDatabase(scene: Pick<Scene, "storeFile">, complain: Complain): void {
  const database = new DatabaseSync(scene.storeFile, { readOnly: true });
  try {
    const answer = database.prepare("pragma integrity_check").get()?.["integrity_check"];
    if (answer !== "ok") complain(`integrity_check: ${String(answer)}`);
    const broken = database.prepare("pragma foreign_key_check").all();
    if (broken.length > 0) complain(`foreign_key_check: ${broken.length} rows`);
  } finally {
    database.close();
  }
}

export function filesUnder(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
