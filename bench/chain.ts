// Measures a long chain of steps that change nothing: how many of them a driver performs in a second, and whether one of the last
// hundred takes as long as one of the first hundred after a warm-up. Medians, so that a few steps beside other load do not count.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunPlace } from "../src/domain/run.ts";
import { driveRun } from "../src/runtime/loop/drive.ts";
import { chainOf } from "../test/support/sample-runs.ts";
import { type Measurement, median, ms, type Sample } from "./measure.ts";
import { git, makeRepository } from "./next-process.ts";
import { begin, openWorld } from "./world.ts";

const hundred = 100;

export const chain: Measurement = {
  name: "chain",
  async measure({ quick, scratch }) {
    const steps = quick ? 300 : 1_023;
    const repo = makeRepository(join(scratch, "repo"));
    const agent = join(scratch, "agent.sh");
    writeFileSync(agent, "echo 'STATUS: done'\n");
    const parts = await openWorld(join(scratch, "home"), { agent: `sh ${agent}` });
    const place: RunPlace = {
      repo,
      kind: "worktree",
      base: git(repo, "rev-parse", "HEAD"),
      baseName: "main",
      branch: null,
    };
    const definition = chainOf(steps);
    const caps = { ...definition.caps, attempts: 10_000, steps: 10_000 };
    const run = await begin(parts, { ...definition, caps }, place);

    const ends: Sample[] = [];
    const begunAt = performance.now();
    const listening = parts.commits.listen(({ events }) => {
      if (!events.some(({ type }) => type === "attempt_ended")) return;
      const { user, system } = process.cpuUsage();
      ends.push({ wallMs: performance.now() - begunAt, cpuMs: (user + system) / 1000 });
    });
    const status = await driveRun(parts, { run, concurrency: 1, signal: new AbortController().signal });
    listening.close();
    await parts.store.close();
    if (status !== "done" || ends.length !== steps) throw new Error(`the run ended as ${status} after ${ends.length}`);

    // The first hundred make the tree and warm up.
    const [first, last] = [hundred, steps - hundred];
    const per = (from: number, key: keyof Sample) =>
      median(Array.from({ length: hundred }, (_, step) => taken(ends, from + step, key)));
    const rate = steps / ((ends.at(-1)?.wallMs ?? 0) / 1000);
    const compared = (key: keyof Sample) => ({
      measured: `${ms(per(last, key))} against ${ms(per(first, key))}`,
      value: per(last, key) / per(first, key),
      unit: "times" as const,
      target: { atMost: 1.3 },
    });
    return [
      {
        what: `steps that change nothing in a second, of a chain of ${steps}`,
        measured: `${rate.toFixed(1)} a second`,
        value: rate,
        unit: "a second",
        target: { atLeast: 40 },
      },
      { what: "one of the last hundred steps, against one of the first", ...compared("wallMs") },
      { what: "CPU of one of the last hundred steps", ...compared("cpuMs") },
    ];
  },
};

/** From the end of the step before it to its own. */
function taken(ends: readonly Sample[], step: number, key: keyof Sample): number {
  return (ends[step]?.[key] ?? 0) - (ends[step - 1]?.[key] ?? 0);
}
