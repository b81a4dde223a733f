// The checks after a chaos campaign with stories: what must hold for the base, the checkout, the files and the machine when a PRD is
// done, whatever was killed.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../../src/domain/event.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { findMarked } from "../../../src/system/process/strays.ts";
import {
  type Complain,
  checkDatabase,
  checkGit,
  checkLeftovers,
  checkReplay,
  filesUnder,
  wasKilled,
} from "../checks.ts";
import { git } from "../scene.ts";
import { isFinished, passedPrd, stories, subjectOf } from "./plan.ts";
import { checkoutOf, type StoryScene } from "./scene.ts";

export interface StoriesFound {
  readonly violations: readonly string[];
  readonly events: number;
  readonly attempts: number;
  readonly lost: number;
  /** How often a story conflicted with the base and an agent had to resolve it. */
  readonly resolved: number;
}

export async function checkStories(scene: StoryScene): Promise<StoriesFound> {
  const violations: string[] = [];
  const complain = (text: string) => void violations.push(text);
  const store = await openSqliteStore(scene.storeFile, systemClock);
  let events: readonly Event[] = [];
  try {
    const [summary, another] = await store.listRuns({ statuses: null, limit: 10 });
    if (another !== undefined) complain(`there are several runs: the PRD was started twice`);
    if (summary !== undefined) {
      events = await checkReplay(store, summary, complain);
      checkAttempts(events, complain);
      const side = (await store.wholeRun(summary.id))?.header.place.branch ?? "";
      checkLine(scene, scene.variant === "rebasing" ? side : "main", complain);
      checkRefs(scene, side, complain);
    }
    const attempts = new Set(events.flatMap((event) => (event.type === "attempt_dispatched" ? [event.attempt] : [])));
    await checkLeftovers(scene, attempts, complain);
  } finally {
    await store.close();
  }
  checkDatabase(scene, complain);
  checkAudit(scene, complain);
  checkFiles(scene, complain);
  checkCheckout(scene, complain);
  checkGit(scene.repo, complain);
  await checkGits(scene, complain);
  const ended = events.filter((event) => event.type === "attempt_ended");
  return {
    violations,
    events: events.length,
    attempts: ended.length,
    lost: ended.filter(({ outcome }) => outcome === "lost").length,
    resolved: events.filter((event) => event.type === "attempt_dispatched" && event.name === "rebase_resolve").length,
  };
}

/** Every story runs once: nothing fails, and nothing runs again after the story is done. */
function checkAttempts(events: readonly Event[], complain: Complain): void {
  const names = new Map<string, string>();
  const done = new Set<string>();
  for (const event of events) {
    if (event.type === "attempt_dispatched") {
      names.set(event.attempt, `${event.name} of ${event.story}`);
      if (done.has(event.story ?? "")) complain(`${names.get(event.attempt)} was started after the story was done`);
    }
    if (event.type === "attempt_ended" && !["completed", "lost"].includes(event.outcome) && !wasKilled(event))
      complain(`${names.get(event.attempt)} ended as ${event.outcome}: ${event.why}`);
    if (event.type === "story_changed" && event.status === "done") {
      if (done.has(event.of)) complain(`${event.of} was done twice`);
      done.add(event.of);
    }
  }
  if (done.size !== stories.length) complain(`${done.size} stories are done`);
}

/** One commit per story, in an order that the dependencies allow, with passing tests at every commit. */
function checkLine(scene: StoryScene, branch: string, complain: Complain): void {
  const { repo, first } = scene;
  const format = ["--reverse", "--topo-order", "--format=%H %P%x09%s"];
  const lines = git(repo, "log", ...format, `${first}..refs/heads/${branch}`).split("\n");
  const commits = lines.filter((line) => line !== "").map((line) => line.split("\t") as [string, string]);
  const subjects = commits.map(([, subject]) => subject);
  if (subjects.toSorted().join("\n") !== stories.map(subjectOf).toSorted().join("\n"))
    complain(`${branch} has these commits: ${JSON.stringify(subjects)}`);
  const tree = join(scene.dir, "each-commit");
  git(scene.dir, "clone", "--quiet", "--shared", "--no-checkout", repo, tree);
  let parent = first;
  for (const [ids, subject] of commits) {
    const [commit = "", ...parents] = ids.split(" ");
    if (parents.join(" ") !== parent) complain(`${subject} is not on the commit before it`);
    parent = commit;
    git(tree, "checkout", "--quiet", "--detach", commit);
    try {
      execFileSync("sh", ["test.sh"], { cwd: tree, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      complain(`the tests fail at ${subject}: ${String((error as { stdout?: string }).stdout)}`);
    }
  }
  rmSync(tree, { recursive: true, force: true });
  if (!isFinished(filesOf(repo, branch), filesOf(repo, first))) complain(`${branch} does not have the expected files`);
}

function filesOf(repo: string, commit: string): Readonly<Record<string, string>> {
  const names = git(repo, "ls-tree", "-r", "--name-only", "-z", commit).split("\0").slice(0, -1);
  const asked = names.map((name) => `${commit}:${name}\n`).join("");
  const told = execFileSync("git", ["cat-file", "--batch"], { cwd: repo, input: asked, maxBuffer: 1 << 28 });
  const files: Record<string, string> = {};
  let position = 0;
  for (const name of names) {
    const header = told.toString("latin1", position, told.indexOf(10, position));
    const begin = position + header.length + 1;
    const size = Number(header.split(" ")[2]);
    files[name] = told.toString("utf8", begin, begin + size);
    position = begin + size + 1;
  }
  return files;
}

function checkRefs({ repo, variant }: StoryScene, side: string, complain: Complain): void {
  const trees = git(repo, "worktree", "list", "--porcelain").match(/^worktree /gm)?.length ?? 0;
  if (trees !== 1) complain(`git lists ${trees} worktrees, not only the checkout`);
  const theirs = { clean: [], elsewhere: ["feature"], rebasing: ["other", side] }[variant];
  const expected = ["main", ...theirs].map((name) => `refs/heads/${name}`);
  const refs = git(repo, "for-each-ref", "--format=%(refname)").trimEnd().split("\n");
  const strange = refs.filter((ref) => !expected.includes(ref));
  if (strange.length > 0) complain(`refs are left: ${strange.join(", ")}`);
  const missing = expected.filter((ref) => !refs.includes(ref));
  if (missing.length > 0) complain(`refs are gone: ${missing.join(", ")}`);
}

/** From the agents' audit log: no attempt does anything in a tree after another has begun there. */
function checkAudit({ audit }: StoryScene, complain: Complain): void {
  const current = new Map<string, string>();
  const over = new Set<string>();
  for (const line of readFileSync(audit, "utf8").trimEnd().split("\n")) {
    const [what, attempt = "", tree = "", story, step] = line.split(" ");
    if (over.has(attempt)) complain(`${what} of ${story}/${step} came after another attempt had begun in ${tree}`);
    const before = current.get(tree);
    if (before !== undefined && before !== attempt) over.add(before);
    current.set(tree, attempt);
  }
}

/** What the protocol's files say at the end. */
function checkFiles({ shared, prd, home }: StoryScene, complain: Complain): void {
  const state = JSON.parse(readFileSync(join(shared, "workflow_state.json"), "utf8")) as {
    readonly stories: Readonly<
      Record<string, { readonly status: string; readonly steps: readonly { readonly status: string }[] }>
    >;
  };
  const said = Object.entries(state.stories).map(([id, { status }]) => `${id}:${status}`);
  const expected = stories.map(({ id }) => `${id}:completed`);
  if (said.toSorted().join() !== expected.join()) complain(`workflow_state.json says ${said.join()}`);
  const steps = Object.values(state.stories).flatMap((story) => story.steps.map(({ status }) => status));
  const open = steps.filter((status) => status !== "completed" && status !== "skipped");
  if (open.length > 0) complain(`workflow_state.json has steps that are ${[...new Set(open)].join(", ")}`);
  if (readFileSync(prd, "utf8") !== passedPrd) complain("the PRD does not say that all stories passed");
  const edits = readdirSync(join(shared, "workflow_edits"), { withFileTypes: true }).filter((entry) => entry.isFile());
  if (edits.length > 0) complain(`edit requests are left: ${edits.map(({ name }) => name).join(", ")}`);
  const temporary = filesUnder(shared).filter((file) => /\.(tmp|lock)/.test(file));
  if (temporary.length > 0) complain(`temporary files are left: ${temporary.join(", ")}`);
  const intents = filesUnder(join(home, "forwarding"));
  if (intents.length > 0) complain(`an intent is left: ${intents.join(", ")}`);
}

function checkCheckout(scene: StoryScene, complain: Complain): void {
  const { repo } = scene;
  if (scene.variant !== "clean") {
    if (checkoutOf(repo) !== scene.checkout) complain("the user's checkout has changed");
    return;
  }
  if (git(repo, "symbolic-ref", "HEAD").trim() !== "refs/heads/main") complain("the checkout is no longer on main");
  // The PRD is in git, and now says which stories pass.
  const status = git(repo, "--no-optional-locks", "status", "--porcelain").trimEnd();
  if (status !== " M prd.json\n?? untracked.txt") complain(`the checkout is not at main: ${status}`);
  const own = { "untracked.txt": "nobody's\n", "deep/er/left.ignored": "ignored\n" };
  for (const [name, text] of Object.entries(own)) {
    const path = join(repo, name);
    if (!existsSync(path) || readFileSync(path, "utf8") !== text) complain(`the user's ${name} has changed`);
  }
  if (existsSync(join(repo, ".git/pawl-index"))) complain(".git/pawl-index is left");
}

async function checkGits({ dir }: StoryScene, complain: Complain): Promise<void> {
  for (const { pid } of await findMarked("PAWL_GIT_OF")) {
    // Other gits on this machine do not count.
    const tree = workingDirectory(pid);
    if (tree?.startsWith(dir)) complain(`git ${pid} is still running in ${tree}`);
  }
}

function workingDirectory(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}
