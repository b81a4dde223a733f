// Measures how fast Pawl reads what an agent prints, and that reading takes no memory. It runs in a separate process
// (agent-events-reader.ts), so that nothing else of the benchmark counts.

import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Figure, Measurement } from "./measure.ts";

export interface EventsRead {
  readonly mbPerSecond: number;
  readonly mbPerCpuSecond: number;
  readonly byHandMbPerSecond: number;
  readonly grownMb: number;
  readonly readMb: number;
}

export const agentEvents: Measurement = {
  name: "agent-events",
  async measure({ quick }) {
    const [megabytes, rounds] = quick ? [50, 3] : [200, 7];
    const whole = await readAlone(megabytes, rounds, "whole");
    const partial = await readAlone(megabytes, rounds, "partial");
    return [
      speed("100 MB of stream-json", whole),
      speed("100 MB of stream-json with pieces of messages", partial),
      {
        what: `memory that a stream of ${whole.readMb.toFixed(0)} MB takes while it is read`,
        measured: `${whole.grownMb.toFixed(1)} MB more (${partial.grownMb.toFixed(1)} MB with pieces of messages)`,
        value: Math.max(whole.grownMb, partial.grownMb),
        unit: "MB",
        target: { atMost: 50 },
      },
    ];
  },
};

/** 100 MB in at most a second: at least 100 MB/s. */
function speed(what: string, { mbPerSecond, mbPerCpuSecond, byHandMbPerSecond }: EventsRead): Figure {
  const perSecond = (value: number) => `${value.toFixed(0)} MB/s`;
  return {
    what: `reading ${what}`,
    measured: `${perSecond(mbPerSecond)} (${perSecond(mbPerCpuSecond)} of CPU) against ${perSecond(byHandMbPerSecond)} by hand`,
    value: (100 / mbPerSecond) * 1000,
    unit: "ms",
    target: { atMost: 1_000 },
  };
}

async function readAlone(megabytes: number, rounds: number, kind: "whole" | "partial"): Promise<EventsRead> {
  const reader = join(import.meta.dirname, "agent-events-reader.ts");
  const args = [reader, String(megabytes), String(rounds), kind];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const code = await new Promise((resolve, reject) => child.on("close", resolve).on("error", reject));
  if (code !== 0) throw new Error(`the reading process ended with ${String(code)}`);
  return JSON.parse(text) as EventsRead;
}
