// Stories to measure: a repository of 5,000 files, a workflow with one step for each story, and runs of many stories in it.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RunId, storyId } from "../src/domain/ids.ts";
import type { StorySpec } from "../src/domain/story.ts";
import { plainProject } from "../src/runtime/config/config.ts";
import { driveRun } from "../src/runtime/loop/drive.ts";
import type { Parts } from "../src/runtime/parts.ts";
import { beginRun } from "../src/runtime/runs/start.ts";
import { openWorkflow } from "../src/runtime/runs/workflow-library.ts";

const files = 5_000;
const perDirectory = 100;

/** Text files of ordinary size, a hundred to a directory. */
export function makeLargeRepository(repo: string): string {
  for (let index = 0; index < files; index += 1) {
    const directory = join(repo, `part-${Math.floor(index / perDirectory)}`);
    if (index % perDirectory === 0) mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, `file-${index}.txt`), `file ${index}\n`.repeat(40));
  }
  git(repo, "init", "--quiet", "--template=", "--initial-branch=main");
  git(repo, "config", "user.name", "Bench");
  git(repo, "config", "user.email", "bench@example.invalid");
  git(repo, "add", "--all");
  git(repo, "commit", "--quiet", "--message=first");
  return repo;
}

export function writeWorkflow(directory: string, slots: number): string {
  const file = join(directory, `workflow-${slots}.yml`);
  const text = `pawl: 1
id: stories-in-parallel
agents: { worker: {} }
steps:
  - id: stories
    stories: { concurrency: ${slots}, workspace: worktree, branch_prefix: bench/ }
    body:
      - { id: code, agent: worker, summary: true, on_error: fail }
      - { id: integrate, integrate: { message: "feat: {{story}} - {{title}}" } }
`;
  writeFileSync(file, text);
  return file;
}

/** The agent of every story, on both sides: it waits so many seconds, and writes a file of its own. */
export function writeAgent(directory: string): string {
  const file = join(directory, "agent.sh");
  const lines = [
    "cat > /dev/null",
    'sleep "$1"',
    'mkdir -p stories && echo "the work of $PAWL_STORY" > "stories/$PAWL_RUN-$PAWL_STORY.txt"',
    "printf 'SUMMARY\\ndone\\n'",
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

export interface StoryRun {
  readonly repo: string;
  readonly workflow: string;
  /** Null for the world's own agent. */
  readonly executor: string | null;
  readonly stories: number;
}

export async function beginStories(parts: Parts, wanted: StoryRun): Promise<RunId> {
  const stories = Array.from({ length: wanted.stories }, (_, index): StorySpec => {
    const id = storyId(`S-${String(index + 1).padStart(4, "0")}`);
    return { id, title: `Story ${index + 1}`, description: "", acceptanceCriteria: [], dependsOn: [] };
  });
  const { run } = await beginRun(parts, {
    workflow: openWorkflow(parts.home, wanted.workflow, parts.protocols),
    task: "measure",
    repo: wanted.repo,
    base: null,
    inPlace: false,
    context: {},
    executor: wanted.executor,
    author: "bench",
    tighten: (definition) => definition,
    project: plainProject,
    given: { stories, adopted: [], source: null, shared: null },
  });
  return run;
}

export async function driveStories(parts: Parts, run: RunId, concurrency: number): Promise<void> {
  const status = await driveRun(parts, { run, concurrency, signal: new AbortController().signal });
  if (status !== "done") throw new Error(`the run ended as ${status}`);
}

export function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8" }).trim();
}
