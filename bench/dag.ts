// Measures how long a PRD with the shape of scientific workflows takes on a server with workers, against what no dispatch can beat: its
// longest chain with endless workers, its work divided by the slots, and one integration after the other, by the attempts as measured.

import { join } from "node:path";
import { type DagStory, longestChain, scientificDag } from "../test/support/dag.ts";
import { runDag } from "../test/support/dag-run.ts";
import type { Measurement } from "./measure.ts";
import { withServer } from "./postgres.ts";

const workers = 2;
const slots = 4;
const seed = 7;
const hour = 3_600_000;

export const dag: Measurement = {
  name: "dag",
  async measure({ quick, scratch, stories }) {
    const shape = scientificDag(stories ?? (quick ? 60 : 300), seed);
    return await withServer(async (address) => {
      const work = { dir: join(scratch, "dag"), store: address("dag"), dag: shape, workers, slots, limitMs: hour };
      const { makespanMs, attemptMs, integratingMs, violations } = await runDag(work);
      if (violations.length > 0) throw new Error(`it did not end right:\n${violations.slice(0, 20).join("\n")}`);
      const timeOf = (id: string) => attemptMs.get(id) ?? 0;
      const chain = longestChain(shape, timeOf);
      const share = shape.reduce((sum, { id }) => sum + timeOf(id), 0) / (workers * slots);
      const name = `${shape.length} stories in ${levelsOf(shape)} levels, by ${workers} workers with ${slots} slots`;
      return [
        {
          what: `${name}, against the largest bound`,
          measured: `${seconds(makespanMs)} against ${seconds(chain)} (chain), ${seconds(share)} (work / slots), ${seconds(integratingMs)} (integrations)`,
          value: makespanMs / Math.max(chain, share, integratingMs),
          unit: "times",
          target: { atMost: 1.5 },
        },
      ];
    });
  },
};

function levelsOf(shape: readonly DagStory[]): number {
  return longestChain(shape, () => 1);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
