// Measures the time from the start of a driver to the agents of eight stories, each in its prepared slot, against a bare checkout of a
// branch in as many prepared trees and the same program. The program itself writes when it starts.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Parts } from "../src/runtime/parts.ts";
import { prepareSlots } from "../src/runtime/trees/story-tree.ts";
import { type Measurement, median, ms } from "./measure.ts";
import { beginStories, driveStories, git, makeLargeRepository, writeWorkflow } from "./story-world.ts";
import { openWorld } from "./world.ts";

const slots = 8;
const run = promisify(execFile);

export const storyStart: Measurement = {
  name: "story-start",
  async measure({ quick, scratch }) {
    const repo = makeLargeRepository(join(scratch, "repo"));
    const stamps = join(scratch, "stamps");
    const agent = join(scratch, "agent.sh");
    writeFileSync(agent, `date +%s%N >> '${stamps}'\ncat > /dev/null\necho SUMMARY\n`);
    const workflow = writeWorkflow(scratch, slots);
    const parts = await openWorld(join(scratch, "home"), { agent: `sh ${agent}` });
    const trees = Array.from({ length: slots }, (_, index) => join(scratch, `tree-${index}`));
    for (const tree of trees) git(repo, "worktree", "add", "--quiet", "--detach", tree, "main");

    const ours: number[] = [];
    const bare: number[] = [];
    for (let round = -1; round < (quick ? 2 : 6); round += 1) {
      const began = await driven(parts, repo, workflow);
      const drivenGaps = takeGaps(stamps, began);
      const begun = await checkedOut(trees, agent, round);
      const bareGaps = takeGaps(stamps, begun);
      // The first round warms up.
      if (round < 0) continue;
      ours.push(...drivenGaps);
      bare.push(...bareGaps);
    }
    await parts.store.close();
    const [product, byHand] = [median(ours), median(bare)];
    return [
      {
        what: `start of ${slots} stories at once in prepared slots, over a bare checkout`,
        measured: `${ms(product)} against ${ms(byHand)}`,
        value: product - byHand,
        unit: "ms",
        target: { atMost: 500 },
      },
    ];
  },
};

/** Its start time, in nanoseconds. */
async function driven(parts: Parts, repo: string, workflow: string): Promise<bigint> {
  const id = await beginStories(parts, { repo, workflow, executor: null, stories: slots });
  const whole = await parts.store.wholeRun(id);
  if (!whole) throw new Error("the run is gone");
  await prepareSlots(parts, whole, slots);
  const began = now();
  await driveStories(parts, id, slots);
  return began;
}

async function checkedOut(trees: readonly string[], agent: string, round: number): Promise<bigint> {
  const began = now();
  await Promise.all(
    trees.map(async (tree, index) => {
      await run("git", ["checkout", "--quiet", "--no-track", "-b", `bare/${round + 1}-${index}`, "main"], {
        cwd: tree,
      });
      await ended(spawn("sh", [agent], { cwd: tree, stdio: ["pipe", "pipe", "pipe"] }));
    }),
  );
  return began;
}

async function ended(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  child.stdout?.resume();
  child.stderr?.resume();
  await new Promise((resolve, reject) => child.on("close", resolve).on("error", reject));
}

/** From the start of the driver to each agent's, in milliseconds. */
function takeGaps(file: string, began: bigint): readonly number[] {
  const times = readFileSync(file, "utf8").trim().split("\n").map(BigInt);
  rmSync(file);
  if (times.length !== slots) throw new Error(`${slots} times were expected, there are ${times.length}`);
  return times.map((time) => Number(time - began) / 1e6);
}

function now(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6));
}
