// Dynamic Ralph for tests: a site with a PRD, a short workflow of the same kind, agents as shell programs that keep a journal, and
// checks that nothing is left when a run is over.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { attemptMarker } from "../../src/executors/executor.ts";
import { findMarked } from "../../src/system/process/strays.ts";
import { type Called, newSite, type RunningPawl, type Site, writeAt } from "./pawl.ts";
import { log, runGit, tempDir, writeFiles } from "./repository.ts";

/** As a person writes it in a PRD. */
export interface PrdStory {
  readonly id: string;
  readonly title?: string;
  readonly depends_on?: readonly string[];
  readonly priority?: number;
  readonly touches?: readonly string[];
}

export interface RalphOptions {
  /** Shell: the body of a `case "$PAWL_STORY/$PAWL_STEP_TYPE"` that comes before the ordinary agent's. */
  readonly agent?: string;
  /** The text of a workflow; null for the bundled one. */
  readonly workflow?: string | null;
  /** The path of the PRD, from the site; by default beside the repository. */
  readonly prd?: string;
  /** The path of the protocol's files, from the repository; by default the usual one. */
  readonly shared?: string;
}

/** A line of the journal that agents keep. */
export interface Entry {
  readonly what: string;
  readonly story: string;
  readonly type: string;
  readonly step: string;
  readonly attempt: number;
  readonly slot: number;
}

export interface StateStep {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly error: string | null;
  readonly git_sha_at_start: string | null;
  readonly [field: string]: unknown;
}

export interface StateStory {
  readonly story_id: string;
  readonly status: string;
  readonly steps: readonly StateStep[];
  readonly [field: string]: unknown;
}

export interface Ralph extends Site {
  readonly prd: string;
  readonly shared: string;
  /** The arguments of `run`. */
  readonly args: readonly string[];
  /** `pawl prd run` with the site's PRD, workflow and agent. */
  run(...more: readonly string[]): Promise<Called>;
  startRun(...more: readonly string[]): RunningPawl;
  journal(): readonly Entry[];
  /** A story of workflow_state.json. */
  story(id: string): StateStory;
  /** Creates the file that agents wait for (`await_file NAME` in their script). */
  release(name: string): void;
  isThere(name: string): boolean;
}

export function newRalph(stories: readonly PrdStory[], options: RalphOptions = {}): Ralph {
  const site = newSite();
  const prd = writeAt(site, options.prd ?? "prd.json", prdText(stories));
  const shared = join(site.repo, options.shared ?? ".pawl/ralph");
  const { workflow = shortWorkflow } = options;
  const args = [
    "prd",
    "run",
    prd,
    "--executor",
    `command: sh ${writeAgent(site, options.agent ?? "")}`,
    ...(workflow === null ? [] : ["--workflow", writeAt(site, "workflow.yml", workflow)]),
    ...(options.shared === undefined ? [] : ["--shared", shared]),
  ];
  const journal = site.path("journal");
  return {
    ...site,
    prd,
    shared,
    args,
    run: (...more) => site.pawl(...args, ...more),
    startRun: (...more) => site.start(...args, ...more),
    journal: () => (existsSync(journal) ? readJournal(readFileSync(journal, "utf8")) : []),
    story: (id) => {
      const state = JSON.parse(readFileSync(join(shared, "workflow_state.json"), "utf8")) as {
        readonly stories: Readonly<Record<string, StateStory>>;
      };
      const found = state.stories[id];
      if (found === undefined) throw new Error(`workflow_state.json has no ${id}`);
      return found;
    },
    release: (name) => void writeAt(site, name, ""),
    isThere: (name) => existsSync(site.path(name)),
  };
}

export function prdText(stories: readonly PrdStory[]): string {
  const whole = stories.map((story) => ({
    title: `Title of ${story.id}`,
    description: `What ${story.id} is about.`,
    acceptanceCriteria: [`${story.id} works`],
    ...story,
    passes: false,
  }));
  return `${JSON.stringify({ project: "A project", userStories: whole }, null, 2)}\n`;
}

/** The chain of dynamic-ralph without the steps that would only cost a test time. */
export const shortWorkflow = `
pawl: 1
protocol: ralph
id: short-ralph
name: Short Ralph
version: 1
description: A plan, code, a review.
agents:
  ralph: { description: Does one step. }
workspace:
  on_failure: reset
  env: { COMPOSE_PROJECT_NAME: "ralph_agent_{{slot}}" }
steps:
  - id: stories
    title: Each story
    stories: { concurrency: 4, workspace: worktree, branch_prefix: ralph/, ids: numbers, max_steps: 30, restarts: 3 }
    story_budget: { at_most: 0, then: fail }
    on_story_failed: continue
    body:
      - { id: planning, title: Plan, agent: ralph, timeout: 2m, summary: true, editable: true, on_error: fail, input: "{{current_story}}" }
      - { id: coding, title: Code, agent: ralph, timeout: 2m, summary: true, editable: true, on_error: fail, input: "{{current_story}}" }
      - id: final_review
        title: Review
        agent: ralph
        timeout: 2m
        mandatory: true
        last: true
        summary: true
        editable: true
        on_error: fail
        checks: [project.test]
        on: { rejected: { default: { back_to: coding, at_most: 2, then: fail }, checks: { again, at_most: 2, then: fail } } }
        input: "{{current_story}} {{feedback}}"
      - { id: rebase_resolve, title: Resolve, agent: ralph, timeout: 2m, spare: true, summary: true, on_error: fail, input: "{{feedback}}" }
      - id: integrate
        title: Integrate
        integrate: { message: "feat(ralph): {{story}} - {{title}}" }
        checks: [project.test]
        on:
          rejected:
            default: fail
            conflict: &resolve { insert: [rebase_resolve], before: final_review, at_most: 2, then: fail }
            checks: *resolve
        on_error: { again, at_most: 5, then: fail }
`;

/** The same with little time for planning, for agents that never answer there. */
export const impatientWorkflow = shortWorkflow.replace("title: Plan, agent: ralph, timeout: 2m", (line) =>
  line.replace("2m", "6s"),
);

/** The ordinary agent: it adds a file and a commit for each story, and resolves conflicts by keeping both sides. */
function writeAgent(site: Site, cases: string): string {
  const dir = site.path();
  const script = `
cat > /dev/null
say() { echo "$1 $PAWL_STORY $PAWL_STEP_TYPE $PAWL_STEP $PAWL_ATTEMPT $PAWL_SLOT" >> '${dir}/journal'; }
await_file() { until [ -e '${dir}'/"$1" ]; do sleep 0.05; done; }
await_begun() { until [ "$(grep -c "^begin .* $2 " '${dir}/journal')" -ge "$1" ]; do sleep 0.05; done; }
commit() { git add -A && git commit -qm "$PAWL_STORY $PAWL_STEP_TYPE"; }
keep_both() {
  git rebase -q main > /dev/null 2>&1 && return
  git diff --name-only --diff-filter=U | while read -r file; do sed -i '/^<<<<<<<\\|^=======\\|^>>>>>>>/d' "$file"; done
  git add -A && GIT_EDITOR=true git rebase --continue > /dev/null 2>&1
}
S='${dir}'
say begin
case "$PAWL_STORY/$PAWL_STEP_TYPE" in
${cases}
*/coding) echo "work on $PAWL_STORY" > "$PAWL_STORY.txt"; commit ;;
*/rebase_resolve) keep_both ;;
esac
say end
printf 'All done.\\n\\nSUMMARY\\n%s of %s\\n\\nSTATUS: done\\n' "$PAWL_STEP_TYPE" "$PAWL_STORY"
`;
  return writeAt(site, "agent.sh", script);
}

function readJournal(text: string): readonly Entry[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [what = "", story = "", type = "", step = "", attempt = "", slot = ""] = line.split(" ");
      return { what, story, type, step, attempt: Number(attempt), slot: Number(slot) };
    });
}

/** The largest number of agents that worked at the same time. */
export function mostAtOnce(journal: readonly Entry[]): number {
  let [now, most] = [0, 0];
  for (const { what } of journal) {
    if (what === "begin") now += 1;
    if (what === "end") now -= 1;
    most = Math.max(most, now);
  }
  return most;
}

/** `US-001/coding` for each time an agent began. */
export function begun(journal: readonly Entry[]): readonly string[] {
  return journal.filter(({ what }) => what === "begin").map(({ story, type }) => `${story}/${type}`);
}

/** The ids of the stories on a branch, oldest first. */
export function integrated(repo: string, branch = "main"): readonly string[] {
  return log(repo, branch)
    .flatMap((subject) => /^feat\(ralph\): (\S+) - /.exec(subject)?.[1] ?? [])
    .toReversed();
}

export function branches(repo: string): readonly string[] {
  return runGit(repo, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").split("\n");
}

/** Processes of the run's attempts. */
export async function processesOf(ralph: Ralph, run = "1"): Promise<number> {
  const events = await ralph.events(run);
  const attempts = new Set(events.filter(({ type }) => type === "attempt_dispatched").map((event) => event["attempt"]));
  return (await findMarked(attemptMarker)).filter(({ value }) => attempts.has(value)).length;
}

/** Pawl has left nothing in the repository or its home, and git finds no error. */
export async function expectNothingLeft(ralph: Ralph, kept: readonly string[] = ["main"]): Promise<void> {
  const { repo, home } = ralph;
  const list = (dir: string) => (existsSync(dir) ? readdirSync(dir) : []);
  expect({
    branches: branches(repo),
    refs: runGit(repo, "for-each-ref", "refs/pawl"),
    registered: list(join(repo, ".git/worktrees")),
    trees: list(join(home, "worktrees")),
    intents: list(join(home, "forwarding")),
    locks: readdirSync(join(repo, ".git"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".lock"),
    ),
    fsck: runGit(repo, "fsck", "--strict", "--no-dangling"),
    processes: await processesOf(ralph),
  }).toEqual({ branches: kept, refs: "", registered: [], trees: [], intents: [], locks: [], fsck: "", processes: 0 });
}

/** An environment with a slow git: `cases` of `case "$*"` run before the real one. */
export function slowGit(cases: string): { readonly PATH: string } {
  const bin = tempDir();
  const program = `#!/bin/sh\ncase "$*" in ${cases} esac\nPATH=\${PATH#*:} exec git "$@"\n`;
  writeFileSync(join(bin, "git"), program, { mode: 0o755 });
  return { PATH: `${bin}:${process.env["PATH"]}` };
}

/** Writes `.pawl/config.yml` of the repository. */
export function configure(ralph: Ralph, text: string): void {
  mkdirSync(join(ralph.repo, ".pawl"), { recursive: true });
  writeAt(ralph, "repo/.pawl/config.yml", text);
}

export function commitFiles(ralph: Ralph, files: Readonly<Record<string, string>>): void {
  writeFiles(ralph.repo, files);
  runGit(ralph.repo, "add", "--all");
  runGit(ralph.repo, "commit", "--quiet", "--message=second");
}

/** Runs `suite.sh` of every commit in the range, in a copy of that commit. */
export function expectGreen(repo: string, range: string): void {
  for (const commit of runGit(repo, "rev-list", range).split("\n")) {
    const dir = tempDir();
    execFileSync("sh", ["-c", 'git archive "$0" | tar -x -C "$1" && cd "$1" && sh suite.sh', commit, dir], {
      cwd: repo,
      stdio: "pipe",
    });
  }
}
