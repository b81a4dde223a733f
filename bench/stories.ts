// Measures how much longer 40 stories on 8 slots take than a shell script with bare git takes for the same work, how much longer than
// their agents alone, worktrees and integration included, and whether each of 200 stories takes as long.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Parts } from "../src/runtime/parts.ts";
import { type Measurement, withMemoryScratch, withScratch } from "./measure.ts";
import { beginStories, driveStories, git, makeLargeRepository, writeAgent, writeWorkflow } from "./story-world.ts";
import { openWorld } from "./world.ts";

const slots = 8;
const stepMs = 2_000;

export const stories: Measurement = {
  name: "stories",
  async measure({ quick, scratch }) {
    const few = quick ? 16 : 40;
    const many = quick ? 32 : 200;
    const fewMs = await timeOf(scratch, few);
    const scriptMs = await withScratch((other) => scripted(other, few));
    const inMemoryMs = await withMemoryScratch((other) => timeOf(other, few));
    const manyMs = await withScratch((other) => timeOf(other, many));
    const ideal = (few / slots) * stepMs;
    const perStory = { few: fewMs / few, many: manyMs / many };
    return [
      {
        what: `${few} stories of one 2 s step on ${slots} slots, against a shell script with bare git`,
        measured: `${seconds(fewMs)} against ${seconds(scriptMs)}`,
        value: fewMs / scriptMs,
        unit: "times",
        target: { atMost: 1.25 },
      },
      {
        what: "the same, in memory, against the ideal",
        measured: `${seconds(inMemoryMs)} against ${seconds(ideal)}`,
        value: inMemoryMs / ideal,
        unit: "times",
        target: { atMost: 1.35 },
      },
      {
        what: `time per story with ${many} stories, against ${few}`,
        measured: `${perStory.many.toFixed(0)} ms against ${perStory.few.toFixed(0)} ms`,
        value: perStory.many / perStory.few,
        unit: "times",
        target: { atMost: 1.15 },
      },
    ];
  },
};

async function timeOf(scratch: string, count: number): Promise<number> {
  const repo = makeLargeRepository(join(scratch, "repo"));
  const parts = await openWorld(join(scratch, "home"));
  try {
    return await timeRun(parts, scratch, repo, count);
  } finally {
    await parts.store.close();
  }
}

async function timeRun(parts: Parts, scratch: string, repo: string, count: number): Promise<number> {
  const workflow = writeWorkflow(scratch, slots);
  // Creating files in a new place costs a file system several times as much, so this warms up.
  const agent = writeAgent(scratch);
  const warmUp = `command: sh ${agent} 0.001`;
  await driveStories(parts, await beginStories(parts, { repo, workflow, executor: warmUp, stories: slots }), slots);
  const executor = `command: sh ${agent} ${stepMs / 1000}`;
  const run = await beginStories(parts, { repo, workflow, executor, stories: count });
  const begunAt = performance.now();
  await driveStories(parts, run, slots);
  const ms = performance.now() - begunAt;
  const commits = Number(git(repo, "rev-list", "--count", "main")) - 1 - slots;
  if (commits !== count) throw new Error(`${count} commits were expected on main, there are ${commits}`);
  return ms;
}

/** As a person would script it: 8 trees, and one story after another in each; one of them at a time goes on the base. */
async function scripted(scratch: string, count: number): Promise<number> {
  const repo = makeLargeRepository(join(scratch, "repo"));
  const file = join(scratch, "worker.sh");
  writeFileSync(file, workerScript);
  writeAgent(scratch);
  await workers(scratch, file, "warm-up", slots, 0.001);
  const begunAt = performance.now();
  await workers(scratch, file, "counted", count, stepMs / 1000);
  const ms = performance.now() - begunAt;
  const commits = Number(git(repo, "rev-list", "--count", "main")) - 1 - slots;
  if (commits !== count) throw new Error(`the script made ${commits} commits instead of ${count}`);
  return ms;
}

async function workers(scratch: string, file: string, name: string, count: number, delay: number): Promise<void> {
  const ends = Array.from({ length: slots }, async (_, slot) => {
    const stories = Array.from({ length: count }, (_, index) => index).filter((index) => index % slots === slot);
    const args = [
      file,
      scratch,
      join(scratch, `${name}-${slot}`),
      String(delay),
      ...stories.map((id) => `${name}-${id}`),
    ];
    const child = spawn("sh", args, { stdio: ["ignore", "ignore", "inherit"] });
    const code = await new Promise<number | null>((resolve, reject) => child.on("close", resolve).on("error", reject));
    if (code !== 0) throw new Error(`the script ended with ${code}`);
  });
  await Promise.all(ends);
}

// `mkdir` is a lock on every system.
const workerScript = `set -eu
scratch=$1 tree=$2 delay=$3; shift 3
repo=$scratch/repo
lock() { until mkdir "$scratch/lock" 2>/dev/null; do sleep 0.01; done; }
unlock() { rmdir "$scratch/lock"; }
lock; git -C "$repo" worktree add --quiet --detach "$tree" main; unlock
for story in "$@"; do
  git -C "$tree" checkout --quiet --no-track -b "bench/$story" main
  (cd "$tree" && PAWL_RUN=script PAWL_STORY=$story sh "$scratch/agent.sh" "$delay" < /dev/null > /dev/null)
  git -C "$tree" add --all
  git -C "$tree" commit --quiet --message="feat: $story"
  lock
  git -C "$tree" rebase --quiet main
  git -C "$repo" merge --quiet --ff-only "bench/$story"
  unlock
  git -C "$tree" checkout --quiet --detach main
  git -C "$repo" branch --quiet -D "bench/$story"
done
lock; git -C "$repo" worktree remove --force "$tree"; unlock
`;

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
