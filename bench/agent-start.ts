// Measures the time from the claim of a step to the start of its agent's program, through the real driver and the executor `claude`,
// in an existing worktree, against starting the same program by hand. The program itself writes when it starts.

import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { RunPlace } from "../src/domain/run.ts";
import { driveRun } from "../src/runtime/loop/drive.ts";
import type { Parts } from "../src/runtime/parts.ts";
import { createRun } from "../src/runtime/transition/transition.ts";
import { newRunId } from "../src/system/ids.ts";
import { chainOf, startOf } from "../test/support/sample-runs.ts";
import { type Measurement, median, ms } from "./measure.ts";
import { git, makeRepository } from "./next-process.ts";
import { openWorld } from "./world.ts";

const steps = 8;

export const agentStart: Measurement = {
  name: "agent-start",
  async measure({ quick, scratch }) {
    const repo = makeRepository(join(scratch, "repo"));
    const stamps = join(scratch, "stamps");
    const programs = join(scratch, "programs");
    writeClaude(programs, stamps);
    const path = process.env["PATH"] ?? "";
    process.env["PATH"] = `${programs}${delimiter}${path}`;
    try {
      const parts = await openWorld(join(scratch, "home"));
      const driven: number[] = [];
      const byHand: number[] = [];
      // The first round warms up.
      for (let round = -1; round < (quick ? 2 : 8); round += 1) {
        const [ours, theirs] = [await drive(parts, repo, stamps), await startByHand(repo, stamps)];
        if (round < 0) continue;
        driven.push(...ours);
        byHand.push(...theirs);
      }
      await parts.store.close();
      const [product, bare] = [median(driven), median(byHand)];
      return [
        {
          what: "from claim to the agent's process, over starting it by hand",
          measured: `${ms(product)} against ${ms(bare)}`,
          value: product - bare,
          unit: "ms",
          target: { atMost: 25 },
        },
      ];
    } finally {
      process.env["PATH"] = path;
    }
  },
};

/** Writes the time of its start before anything else, and prints the shortest valid answer. */
function writeClaude(directory: string, stamps: string): void {
  const events = [
    { type: "system", subtype: "init", session_id: "s", model: "claude-opus-5-5", claude_code_version: "99.1.2" },
    { type: "result", is_error: false, result: "STATUS: done", session_id: "s", total_cost_usd: 0.1, usage: {} },
  ];
  const printed = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  mkdirSync(directory);
  const file = join(directory, "claude");
  writeFileSync(file, `#!/bin/sh\ndate +%s%N >> '${stamps}'\ncat > /dev/null\ncat <<'EVENTS'\n${printed}EVENTS\n`);
  chmodSync(file, 0o755);
}

/** From the start of each attempt, according to the store, to that of its program. The first one makes the worktree, and does not count. */
async function drive(parts: Parts, repo: string, stamps: string): Promise<readonly number[]> {
  const base = git(repo, "rev-parse", "HEAD");
  const place: RunPlace = { repo, kind: "worktree", base, baseName: "main", branch: null };
  const started = { run: newRunId(), at: parts.clock.now(), place, executor: "claude" };
  const { run } = await createRun(parts, () => startOf(chainOf(steps), started));
  const status = await driveRun(parts, { run, concurrency: 1, signal: new AbortController().signal });
  if (status !== "done") throw new Error(`the run ended as ${status}`);
  const attempts = (await parts.store.wholeRun(run))?.header.attempts ?? [];
  const claimed = attempts.map(({ startedAt }) => BigInt(startedAt) * 1_000_000n);
  return takeGaps(stamps, claimed).slice(1);
}

/** The bare minimum: the same program and streams, no supervision. */
async function startByHand(cwd: string, stamps: string): Promise<readonly number[]> {
  const begun: bigint[] = [];
  for (let step = 0; step < steps; step += 1) {
    begun.push(now());
    const child = spawn("claude", ["-p"], { cwd, stdio: ["pipe", "pipe", "pipe"] });
    child.stdin.end("Make it so");
    child.stdout.resume();
    child.stderr.resume();
    await new Promise((resolve, reject) => child.on("close", resolve).on("error", reject));
  }
  return takeGaps(stamps, begun).slice(1);
}

function takeGaps(file: string, begun: readonly bigint[]): readonly number[] {
  const times = readFileSync(file, "utf8").trim().split("\n").map(BigInt);
  rmSync(file);
  if (times.length !== steps || begun.length !== steps)
    throw new Error(`${steps} times were expected, there are ${times.length} of ${begun.length}`);
  return times.map((time, index) => Number(time - (begun[index] ?? 0n)) / 1e6);
}

function now(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6));
}
