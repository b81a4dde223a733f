// Measures the service while nothing is to be driven: its memory against the same Node doing nothing, its use of a processor, and
// whether `pawl status` is slower beside it.

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nodeOptions } from "../src/service/background.ts";
import { alternate, type Measurement, medianOf, ms, type Stopwatch } from "./measure.ts";
import { openFilledWorld, takeSample } from "./sample.ts";

const root = join(import.meta.dirname, "..");

export const service: Measurement = {
  name: "service",
  async measure({ quick, scratch }) {
    execFileSync(process.execPath, [join(root, "scripts", "bundle.ts")], { stdio: "inherit" });
    const installed = join(scratch, "package");
    for (const part of ["bin", "dist", "package.json"])
      cpSync(join(root, part), join(installed, part), { recursive: true });
    const pawl = join(installed, "bin", "pawl");
    const sample = await takeSample(join(scratch, "sample"));
    const homes = { beside: join(scratch, "beside"), alone: join(scratch, "alone") };
    for (const home of Object.values(homes)) {
      mkdirSync(home, { recursive: true, mode: 0o700 });
      await (await openFilledWorld(home, sample, 1_000)).store.close();
    }
    const bare = spawn(process.execPath, ["-e", "setInterval(() => 0, 2 ** 30)"], { stdio: "ignore" });
    const up = spawn(process.execPath, [...nodeOptions, pawl, "up", "--port", "0", "--json"], {
      env: environment(homes.beside),
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      await new Promise((resolve, reject) => up.once("exit", reject).stdout.once("data", resolve));
      const idleMs = quick ? 10_000 : 60_000;
      await sleep(2_000);
      const before = cpuMsOf(up);
      await sleep(idleMs);
      const usedMs = cpuMsOf(up) - before;
      const [idle, nothing] = [residentMb(up), residentMb(bare)];
      const taken = await alternate(
        { beside: status(pawl, homes.beside), alone: status(pawl, homes.alone) },
        { warmUp: 2, counted: quick ? 7 : 31 },
      );
      const [beside, alone] = [medianOf(taken.beside, "wallMs"), medianOf(taken.alone, "wallMs")];
      return [
        {
          what: "memory of an idle service, against a bare Node",
          measured: `${idle.toFixed(0)} MB against ${nothing.toFixed(0)} MB`,
          value: idle / nothing,
          unit: "times",
          target: { atMost: 2 },
        },
        {
          what: "processor time of an idle service, in a second",
          measured: `${ms(usedMs)} in ${idleMs / 1_000} s`,
          value: usedMs / (idleMs / 1_000),
          unit: "ms",
          target: { atMost: 5 },
        },
        {
          what: "pawl status beside a service, against without one",
          measured: `${ms(beside)} against ${ms(alone)}`,
          value: beside / alone,
          unit: "times",
          target: { atMost: 1.1 },
        },
      ];
    } finally {
      bare.kill("SIGKILL");
      up.kill("SIGKILL");
    }
  },
};

function status(pawl: string, home: string) {
  return async (time: Stopwatch) => {
    const call = () =>
      spawnSync(process.execPath, [pawl, "status", "--json"], { env: environment(home), encoding: "utf8" });
    const ended = await time(call);
    if (ended.status !== 0) throw new Error(`pawl status ended with ${ended.status}: ${ended.stderr}`);
  };
}

/** The processor time of a process so far; a tick of the kernel has 10 ms. */
function cpuMsOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function residentMb({ pid }: ChildProcess): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kb) / 1_024;
}

function environment(home: string): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? home, PAWL_HOME: home };
}
