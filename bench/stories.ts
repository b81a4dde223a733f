// Measures how much longer 40 stories on 8 slots take than their agents alone, worktrees and integration included, and whether each of
// 200 stories takes as long.

import { join } from "node:path";
import type { Parts } from "../src/runtime/parts.ts";
import { type Measurement, withScratch } from "./measure.ts";
import { beginStories, driveStories, git, makeLargeRepository, writeScript, writeWorkflow } from "./story-world.ts";
import { openWorld } from "./world.ts";

const slots = 8;
const stepMs = 2_000;

export const stories: Measurement = {
  name: "stories",
  async measure({ quick, scratch }) {
    const few = quick ? 16 : 40;
    const many = quick ? 32 : 200;
    const fewMs = await timeOf(scratch, few);
    const manyMs = await withScratch((other) => timeOf(other, many));
    const ideal = (few / slots) * stepMs;
    const perStory = { few: fewMs / few, many: manyMs / many };
    return [
      {
        what: `${few} stories of one 2 s step on ${slots} slots, against the ideal`,
        measured: `${seconds(fewMs)} against ${seconds(ideal)}`,
        value: fewMs / ideal,
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
  const warmUp = `scripted:${writeScript(scratch, 1)}`;
  await driveStories(parts, await beginStories(parts, { repo, workflow, executor: warmUp, stories: slots }), slots);
  const executor = `scripted:${writeScript(scratch, stepMs)}`;
  const run = await beginStories(parts, { repo, workflow, executor, stories: count });
  const begunAt = performance.now();
  await driveStories(parts, run, slots);
  const ms = performance.now() - begunAt;
  const commits = Number(git(repo, "rev-list", "--count", "main")) - 1 - slots;
  if (commits !== count) throw new Error(`${count} commits were expected on main, there are ${commits}`);
  return ms;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
