// Measures how much longer 40 stories on 8 slots take than a shell script with bare git takes for the same work, how much longer than
// their agents alone, worktrees and integration included, and whether each of 200 stories takes as long.

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Measurement, median, spreadOut, withMemoryScratch } from "./measure.ts";
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
    const inMemory = await withMemoryScratch((other) => timesOf(other, few));
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
        measured: `${seconds(inMemory.product)} against ${seconds(ideal)}`,
        value: inMemory.product / ideal,
        unit: "times",
        target: { atMost: 1.35 },
      },
      {
        what: "the same, in memory, against the script in memory",
        measured: `${seconds(inMemory.product)} against ${seconds(inMemory.script)}`,
        value: inMemory.product / inMemory.script,
        unit: "times",
        target: { atMost: 1.25 },
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

async function timesOf(scratch: string, count: number): Promise<Readonly<Record<"product" | "script", number>>> {
  const product = await openProduct(join(scratch, "product"));
  try {
    const script = await openScript(join(scratch, "script"));
    return { product: await product.time(count), script: await script.time(count) };
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
  const home = join(scratch, "home");
  spreadOut(join(home, "worktrees"));
  const parts = await openWorld(home);
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
  const trees = spreadOut(join(scratch, "trees"));
  let round = 0;
  const work = async (count: number, delay: number) => {
    round += 1;
    await workers({ scratch, file, trees, round: `round-${round}` }, count, delay);
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

interface Round {
  readonly scratch: string;
  readonly file: string;
  readonly trees: string;
  readonly round: string;
}

async function workers({ scratch, file, trees, round }: Round, count: number, delay: number): Promise<void> {
  const ends = Array.from({ length: slots }, async (_, slot) => {
    const stories = Array.from({ length: count }, (_, index) => index).filter((index) => index % slots === slot);
    const args = [
      file,
      scratch,
      join(trees, `${round}-${slot}`),
      String(delay),
      ...stories.map((id) => `${round}-${id}`),
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
