// Measures how much memory a driving process needs for fifty agents at once that print 20 MB each. It runs in a separate process
// (memory-driver.ts), so that nothing else of the benchmark counts.

import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Measurement } from "./measure.ts";

const agents = 50;

export const memory: Measurement = {
  name: "memory",
  async measure({ quick, scratch }) {
    const printedMb = quick ? 8 : 20;
    const { idleMb, runningMb, endingMb } = await driveAlone(scratch, printedMb);
    return [
      {
        what: `memory with ${agents} agents that print ${printedMb} MB each, over idle`,
        measured: `${runningMb.toFixed(0)} MB against ${idleMb.toFixed(0)} MB (${endingMb.toFixed(0)} MB when all end at once)`,
        value: runningMb - idleMb,
        unit: "MB",
        target: { atMost: 150 },
      },
    ];
  },
};

export interface Resident {
  readonly idleMb: number;
  /** The maximum while all of them ran. */
  readonly runningMb: number;
  /** The maximum after the first one ended. */
  readonly endingMb: number;
}

async function driveAlone(scratch: string, printedMb: number): Promise<Resident> {
  const driver = join(import.meta.dirname, "memory-driver.ts");
  const args = [driver, join(scratch, "home"), String(agents), String(printedMb)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const code = await new Promise((resolve, reject) => child.on("close", resolve).on("error", reject));
  if (code !== 0) throw new Error(`the driving process ended with ${String(code)}`);
  return JSON.parse(text) as Resident;
}
