// The checks after a campaign with workers: nothing is lost, nothing is there twice, nothing is left running or locked. Each violation is
// a sentence.

import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import type { Event } from "../../../src/domain/event.ts";
import { openPostgresStore } from "../../../src/store/postgres/open.ts";
import type { StoreOwner } from "../../../src/store/postgres/owner.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { findMarked } from "../../../src/system/process/strays.ts";
import { type Complain, checkGit, checkReplay, filesUnder } from "../checks.ts";
import { git } from "../scene.ts";
import type { Member } from "./member.ts";
import { fileOf, runSteps, stories, storySteps, subjectOf } from "./plan.ts";
import { auditOf, type WorkerScene } from "./scene.ts";

export interface WorkersFound {
  readonly violations: readonly string[];
  readonly runs: number;
  readonly events: number;
  readonly attempts: number;
  readonly lost: number;
  /** Attempts that guests began. */
  readonly away: number;
  /** Late results that were refused. */
  readonly refused: number;
}

export async function checkWorkers(scene: WorkerScene, tasks: readonly string[]): Promise<WorkersFound> {
  const violations: string[] = [];
  const complain = (text: string) => void violations.push(text);
  const { server } = scene;
  const [owner] = (await server.ask<StoreOwner>("select id, host, dir, version from homes where not guest")) ?? [];
  if (owner === undefined) throw new Error("the store has no home");
  const store = await openPostgresStore(server.address("127.0.0.1", server.port), systemClock, {
    ...owner,
    joins: false,
  });
  const logs: Event[][] = [];
  const works: Work[] = [];
  try {
    const runs = await store.listRuns({ statuses: null, limit: 100_000 });
    for (const summary of runs) {
      const events = await checkReplay(store, summary, complain);
      checkAttempts(`run #${summary.number}`, events, complain);
      logs.push(events);
      works.push(...worksOf(summary.id, events));
    }
    const recorded = runs.map(({ task }) => task).toSorted();
    if (recorded.join("\n") !== tasks.toSorted().join("\n"))
      complain(`these runs are recorded: ${recorded.join(", ")}`);
  } finally {
    await store.close();
  }
  checkAudit(scene, complain);
  const all = logs.flat();
  const attempts = new Set(
    all.flatMap((event) => (event.type === "attempt_dispatched" ? [String(event.attempt)] : [])),
  );
  await checkLeftovers(scene, attempts, complain);
  const ended = all.filter((event) => event.type === "attempt_ended");
  const lost = ended.filter(({ outcome }) => outcome === "lost").length;
  checkBase(scene, works, complain);
  for (const guest of guestsOf(scene)) checkGuest(guest, complain);
  const guests = guestsOf(scene).map(({ name }) => `${name}.`);
  const isOfGuest = (host: string) => guests.some((name) => host.startsWith(name));
  return {
    violations,
    runs: logs.length,
    events: all.length,
    attempts: ended.length,
    lost,
    away: all.filter((event) => event.type === "attempt_dispatched" && isOfGuest(event.host)).length,
    refused: all.filter(({ type }) => type === "report_refused").length,
  };
}

/** Each step has one attempt that completed, and the others were lost or taken away before it. */
function checkAttempts(name: string, events: readonly Event[], complain: Complain): void {
  const steps = new Map<string, string>();
  const completed = new Map<string, number>();
  const ended = new Set<string>();
  for (const event of events) {
    if (event.type === "attempt_dispatched") {
      const step = event.story === null ? event.name : `${event.name} of ${event.story}`;
      steps.set(event.attempt, step);
      if (completed.has(step)) complain(`${name}: ${step} was started again after it had completed`);
    }
    if (event.type !== "attempt_ended") continue;
    const step = steps.get(event.attempt) ?? "an unknown step";
    if (ended.has(event.attempt)) complain(`${name}: an attempt of ${step} ended twice`);
    ended.add(event.attempt);
    if (event.outcome === "completed") completed.set(step, (completed.get(step) ?? 0) + 1);
    else if (event.outcome !== "lost" && !wasGivenUp(event))
      complain(`${name}: ${step} ended as ${event.outcome}: ${event.why}`);
  }
  const expected = [...runSteps, ...stories.flatMap((story) => storySteps.map((step) => `${step} of ${story}`))];
  for (const step of expected) {
    const times = completed.get(step) ?? 0;
    if (times !== 1) complain(`${name}: ${step} has ${times} results`);
    completed.delete(step);
  }
  for (const step of completed.keys()) complain(`${name}: nobody asked for ${step}`);
  for (const [attempt, step] of steps) if (!ended.has(attempt)) complain(`${name}: an attempt of ${step} has no end`);
}

/** Its process could not renew the lease for too long, ended the agent, and came back before anybody else had noticed. */
function wasGivenUp({ outcome, why }: { readonly outcome: string; readonly why: string }): boolean {
  return outcome === "cancelled" && /^(its lease was taken away|the store could not be reached: .+)$/s.test(why);
}

/** The attempt whose work of a story counts. */
interface Work {
  readonly run: string;
  readonly story: string;
  readonly attempt: string;
}

function worksOf(run: string, events: readonly Event[]): readonly Work[] {
  const completed = new Set(
    events.flatMap((event) => (event.type === "attempt_ended" && event.outcome === "completed" ? [event.attempt] : [])),
  );
  return events.flatMap((event) => {
    if (event.type !== "attempt_dispatched" || event.name !== "work" || !completed.has(event.attempt)) return [];
    return [{ run, story: event.story ?? "", attempt: event.attempt }];
  });
}

/** One commit for each story, one after the other, with the work of the attempt that counts and of no other; and the checkout is there. */
function checkBase({ repo }: WorkerScene, works: readonly Work[], complain: Complain): void {
  const lines = git(repo, "log", "--format=%P%x09%s", "main").trimEnd().split("\n").slice(0, -1);
  const commits = lines.map((line) => line.split("\t") as [string, string]);
  for (const [parents, subject] of commits) if (parents.includes(" ")) complain(`${subject} has several parents`);
  complainOfDifference(
    "commits on the base",
    commits.map(([, subject]) => subject),
    works.map(({ run, story }) => subjectOf(run, story)),
    complain,
  );
  const files = git(repo, "ls-tree", "-r", "--name-only", "main").trimEnd().split("\n");
  const own = works.map(({ run, story, attempt }) => fileOf(run, story, attempt));
  complainOfDifference("files on the base", files, ["README.md", ...own], complain);
  for (const { run, story, attempt } of works) {
    const name = fileOf(run, story, attempt);
    if (files.includes(name) && git(repo, "show", `main:${name}`) !== `${story}\n`) complain(`${name} is half done`);
  }
  const status = git(repo, "--no-optional-locks", "status", "--porcelain").trimEnd();
  if (status !== "") complain(`the checkout is not at the base: ${status}`);
  const trees = git(repo, "worktree", "list", "--porcelain").match(/^worktree /gm)?.length ?? 0;
  if (trees !== 1) complain(`git lists ${trees} worktrees, not only the checkout`);
  const strange = refsOf(repo).filter((ref) => ref !== "refs/heads/main");
  if (strange.length > 0) complain(`refs are left: ${strange.join(", ")}`);
  checkGit(repo, complain);
}

function guestsOf({ members }: WorkerScene): readonly Member[] {
  return members.filter(({ kind }) => kind === "guest");
}

/** Its clone follows the repository and has nothing else, and nothing of an attempt is left in its home. */
function checkGuest({ name, home }: Member, complain: Complain): void {
  const say = (text: string) => complain(`${name}: ${text}`);
  const clones = join(home, "repositories");
  for (const clone of existsSync(clones) ? readdirSync(clones) : []) {
    if (!existsSync(join(clones, clone, ".git"))) continue;
    const repo = join(clones, clone);
    const strange = refsOf(repo).filter((ref) => !/^refs\/(heads\/main$|remotes\/|pawl\/host\/)/.test(ref));
    if (strange.length > 0) say(`refs are left: ${strange.join(", ")}`);
    const trees = git(repo, "worktree", "list", "--porcelain").match(/^worktree /gm)?.length ?? 0;
    if (trees !== 1) say(`git lists ${trees} worktrees, not only the clone`);
    checkGit(repo, say);
  }
  const records = filesUnder(join(home, "logs")).filter((file) => /\.(begin|end)\.json$/.test(file));
  if (records.length > 0) say(`records are left: ${records.join(", ")}`);
  const trees = join(home, "worktrees");
  const left = existsSync(trees) ? readdirSync(trees) : [];
  if (left.length > 0) say(`left in the directory of worktrees: ${left.join(", ")}`);
}

function refsOf(repo: string): readonly string[] {
  return git(repo, "for-each-ref", "--format=%(refname)").trimEnd().split("\n");
}

function complainOfDifference(
  what: string,
  found: readonly string[],
  expected: readonly string[],
  complain: Complain,
): void {
  const counts = new Map<string, number>();
  for (const each of expected) counts.set(each, (counts.get(each) ?? 0) - 1);
  for (const each of found) counts.set(each, (counts.get(each) ?? 0) + 1);
  for (const [each, count] of counts)
    if (count !== 0) complain(`${what}: ${count > 0 ? "too many" : "missing"}: ${each}`);
}

/**
 * What agents did: none was started twice for an attempt, and none acts where another one has begun after it. On another machine one that
 * was lost may act until its own ends it: nothing of it counts.
 */
function checkAudit(scene: WorkerScene, complain: Complain): void {
  const begun = new Set<string>();
  const over = new Set<string>();
  const current = new Map<string, string>();
  for (const line of auditOf(scene)) {
    const [what, attempt = "", tree = "", run, story, step] = line.split(" ");
    const name = `${what} of ${run} ${story}/${step}`;
    if (what === "begin" && begun.has(attempt)) complain(`${name}: two agents had the same attempt ${attempt}`);
    begun.add(attempt);
    if (over.has(attempt)) complain(`${name}: another attempt had begun meanwhile`);
    const [machine = ""] = relative(scene.dir, tree).split("/");
    for (const place of [tree, `${machine} ${run}/${story}`]) {
      const before = current.get(place);
      if (before !== undefined && before !== attempt) over.add(before);
      current.set(place, attempt);
    }
  }
}

async function checkLeftovers(
  { dir, home, server }: WorkerScene,
  attempts: ReadonlySet<string>,
  complain: Complain,
): Promise<void> {
  for (const { pid, value } of await findMarked("PAWL_ATTEMPT_ID"))
    if (attempts.has(value)) complain(`process ${pid} of attempt ${value} is left`);
  for (const { pid } of await findMarked("PAWL_GIT_OF"))
    if (workingDirectory(pid)?.startsWith(dir) === true) complain(`git ${pid} is left`);
  const tables = ["leases", "permits", "permit_lines", "outbox", "ready", "jobs"];
  for (const table of [...tables, "hand_overs", "log_parts", "shared_texts"]) {
    const rows = await server.ask(`select * from ${table}`);
    if (rows === null) complain(`${table} cannot be read`);
    else if (rows.length > 0) complain(`${rows.length} rows are left in ${table}: ${JSON.stringify(rows[0])}`);
  }
  const jobs = await server.ask<{ readonly name: string; readonly state: string }>(
    "select name, state::text from pawl_boss.job where state::text in ('created', 'retry', 'active') and name not like '\\_\\_%'",
  );
  if (jobs === null) complain("the queue cannot be read");
  for (const { name, state } of jobs ?? []) complain(`a job of the queue ${name} is ${state}`);
  const trees = join(home, "worktrees");
  const left = existsSync(trees) ? readdirSync(trees) : [];
  if (left.length > 0) complain(`left in the directory of worktrees: ${left.join(", ")}`);
}

function workingDirectory(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}
