// Measures how much longer 40 stories on 8 slots take than a shell script with bare git takes for the same work, how much longer than
// their agents alone, worktrees and integration included, and whether each of 200 stories takes as long.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Measurement, median, withMemoryScratch } from "./measure.ts";
import { beginStories, driveStories, git, makeLargeRepository, writeAgent, writeWorkflow } from "./story-world.ts";
import { openWorld } from "./world.ts";

const slots = 8;
const stepMs = 2_000;

export const stories: Measurement = {
  name: "stories",
  async measure({ quick, scratch }) {
    const few = quick ? 16 : 40;
    const many = quick ? 32 : 200;
    const product = await openProduct(join(scratch, "product"));
    const script = await openScript(join(scratch, "script"));
    const taken: Record<"product" | "script", number[]> = { product: [], script: [] };
    for (let round = 0; round < (quick ? 1 : 3); round += 1) {
      taken.product.push(await product.time(few));
      taken.script.push(await script.time(few));
    }
    const [fewMs, scriptMs] = [median(taken.product), median(taken.script)];
    const manyMs = await product.time(many);
    await product.close();
    const inMemoryMs = await withMemoryScratch((other) => timeOf(other, few));
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
  const product = await openProduct(scratch);
  try {
    return await product.time(count);
  } finally {
    await product.close();
  }
}

interface Contender {
  /** How long so many stories take. */
  time(count: number): Promise<number>;
}

/** Creating files in a new place costs a file system several times as much, so each side begins with a run that does not count. */
const warmUpDelay = 0.001;

async function openProduct(scratch: string): Promise<Contender & { close(): Promise<void> }> {
  const repo = makeLargeRepository(join(scratch, "repo"));
  const parts = await openWorld(join(scratch, "home"));
  const workflow = writeWorkflow(scratch, slots);
  const agent = writeAgent(scratch);
  const drive = async (count: number, delay: number) => {
    const executor = `command: sh ${agent} ${delay}`;
    await driveStories(parts, await beginStories(parts, { repo, workflow, executor, stories: count }), slots);
  };
  await drive(slots, warmUpDelay);
  return {
    time: (count) => timed(repo, count, () => drive(count, stepMs / 1000)),
    close: () => parts.store.close(),
  };
}

/** As a person would script it: 8 trees, and one story after another in each; one of them at a time goes on the base. */
async function openScript(scratch: string): Promise<Contender> {
  const repo = makeLargeRepository(join(scratch, "repo"));
  const file = join(scratch, "worker.sh");
  writeFileSync(file, workerScript);
  writeAgent(scratch);
  let round = 0;
  const work = async (count: number, delay: number) => {
    round += 1;
    await workers(scratch, file, `round-${round}`, count, delay);
  };
  await work(slots, warmUpDelay);
  return { time: (count) => timed(repo, count, () => work(count, stepMs / 1000)) };
}

async function timed(repo: string, count: number, work: () => Promise<void>): Promise<number> {
  const commits = () => Number(git(repo, "rev-list", "--count", "main"));
  const before = commits();
  const begunAt = performance.now();
  await work();
  const ms = performance.now() - begunAt;
  if (commits() - before !== count)
    throw new Error(`${count} commits were expected on main, there are ${commits() - before}`);
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
