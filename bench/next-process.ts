// Measures the time from the end of one step to the start of the next step's process, through the real driver in a worktree, against
// starting the same program in a bare loop. The program itself writes when it starts and when it ends.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunPlace } from "../src/domain/run.ts";
import { driveRun } from "../src/runtime/loop/drive.ts";
import type { Parts } from "../src/runtime/parts.ts";
import { chainOf } from "../test/support/sample-runs.ts";
import { type Measurement, median, ms } from "./measure.ts";
import { begin, openWorld } from "./world.ts";

const steps = 8;

export const nextProcess: Measurement = {
  name: "next-process",
  async measure({ quick, scratch }) {
    const repo = makeRepository(join(scratch, "repo"));
    const stamps = join(scratch, "stamps");
    const agent = join(scratch, "agent.sh");
    writeFileSync(agent, `date +%s%N >> '${stamps}'\necho 'STATUS: done'\nexec date +%s%N >> '${stamps}'\n`);
    const parts = await openWorld(join(scratch, "home"), { agent: `sh ${agent}` });

    const driven: number[] = [];
    const bare: number[] = [];
    const rounds = quick ? 4 : 15;
    for (let round = -1; round < rounds; round += 1) {
      await drive(parts, repo);
      const drivenGaps = takeGaps(stamps);
      for (let step = 0; step < steps; step += 1) await runBare(agent, repo);
      const bareGaps = takeGaps(stamps);
      // The first round warms up. The first step makes the worktree, so gaps count after it.
      if (round < 0) continue;
      driven.push(...drivenGaps);
      bare.push(...bareGaps);
    }
    await parts.store.close();

    const [ours, theirs] = [median(driven), median(bare)];
    return [
      {
        what: "from a step's end to the next process, over a bare spawn",
        measured: `${ms(ours)} against ${ms(theirs)}`,
        value: ours - theirs,
        unit: "ms",
        target: { atMost: 8 },
      },
    ];
  },
};

async function drive(parts: Parts, repo: string): Promise<void> {
  const base = git(repo, "rev-parse", "HEAD");
  const place: RunPlace = { repo, kind: "worktree", base, baseName: "main", branch: null };
  const run = await begin(parts, chainOf(steps), place);
  const status = await driveRun(parts, { run, concurrency: 1, signal: new AbortController().signal });
  if (status !== "done") throw new Error(`the run ended as ${status}`);
}

/** The bare minimum: the same streams, no supervision. */
async function runBare(agent: string, cwd: string): Promise<void> {
  const child = spawn("sh", [agent], { cwd, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end();
  child.stdout.resume();
  child.stderr.resume();
  await new Promise((resolve, reject) => child.on("close", resolve).on("error", reject));
}

/** From each end to the start after it, in milliseconds. */
function takeGaps(file: string): readonly number[] {
  const times = readFileSync(file, "utf8").trim().split("\n").map(BigInt);
  rmSync(file);
  if (times.length !== 2 * steps) throw new Error(`${2 * steps} times were expected, there are ${times.length}`);
  const gaps: number[] = [];
  for (let step = 1; step < steps; step += 1) {
    const [end, start] = [times[2 * step - 1], times[2 * step]];
    if (end !== undefined && start !== undefined) gaps.push(Number(start - end) / 1e6);
  }
  return gaps;
}

export function makeRepository(repo: string): string {
  mkdirSync(join(repo, "src"), { recursive: true });
  for (let index = 0; index < 200; index += 1) writeFileSync(join(repo, "src", `file-${index}.txt`), `file ${index}\n`);
  git(repo, "init", "--quiet", "--template=", "--initial-branch=main");
  git(repo, "add", "--all");
  git(repo, "-c", "user.name=Bench", "-c", "user.email=bench@example.invalid", "commit", "--quiet", "--message=first");
  return repo;
}

export function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd, encoding: "utf8" }).trim();
}
