// Measuring: runs two sides in turn, so that other load on the machine affects both; takes medians; defines a row of the table.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** `quick` takes less than a minute: smaller sizes, the same comparisons. */
export interface Scale {
  readonly quick: boolean;
  /** `--stories N`, of `dag`; null: the usual number. */
  readonly stories: number | null;
  /** A directory on a real disk that is removed when the benchmark ends. */
  readonly scratch: string;
}

export interface Measurement {
  readonly name: string;
  measure(scale: Scale): Promise<readonly Figure[]>;
}

export type Target = { readonly atLeast: number } | { readonly atMost: number };

export interface Figure {
  readonly what: string;
  /** Both sides in words, with units. */
  readonly measured: string;
  /** What is compared with the target. */
  readonly value: number;
  readonly unit: "times" | "%" | "ms" | "MB" | "a second";
  readonly target: Target;
}

export function isMet({ value, target }: Figure): boolean {
  return "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
}

export interface Sample {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** One round of a side; only the work inside `time` is counted. */
export type Side = (time: Stopwatch) => Promise<void>;
export type Stopwatch = <T>(work: () => T | Promise<T>) => Promise<T>;

/** A B A B …; the first rounds warm up and do not count. A side may be timed several times in a round. */
export async function alternate<Name extends string>(
  sides: Readonly<Record<Name, Side>>,
  rounds: { readonly warmUp: number; readonly counted: number },
): Promise<Readonly<Record<Name, readonly Sample[]>>> {
  const names = Object.keys(sides) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as Sample[]])) as Record<Name, Sample[]>;
  for (let round = 0; round < rounds.warmUp + rounds.counted; round += 1) {
    for (const name of names) {
      await sides[name](async (work) => {
        const { result, sample } = await timed(work);
        if (round >= rounds.warmUp) samples[name].push(sample);
        return result;
      });
    }
  }
  return samples;
}

async function timed<T>(work: () => T | Promise<T>): Promise<{ result: T; sample: Sample }> {
  const cpuBefore = process.cpuUsage();
  const begunAt = performance.now();
  const result = await work();
  const wallMs = performance.now() - begunAt;
  const cpu = process.cpuUsage(cpuBefore);
  return { result, sample: { wallMs, cpuMs: (cpu.user + cpu.system) / 1000 } };
}

export function medianOf(samples: readonly Sample[], key: keyof Sample): number {
  return median(samples.map((sample) => sample[key]));
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error("nothing was measured");
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`;

/**
 * Beside this file: the system's temporary directory may be in memory, where `synchronous = full` costs nothing. It is removed when the
 * benchmark ends: a file system may look past thousands of files that were deleted a moment ago before it makes the next one, and what
 * is measured then is the cleaning up after another side.
 */
export async function withScratch<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = makeScratchIn(join(import.meta.dirname, "results"));
  if (scratches.push(directory) === 1) process.once("exit", removeScratches);
  return await work(directory);
}

/**
 * Trees that come one after the other in `directory` get places of their own on an ext4 disk, far from where others were deleted a moment
 * ago. Without a journal, it looks past those files for each new one, for minutes: 5,000 files then take seconds instead of a tenth of one.
 * Other file systems have no such flag, and need none.
 */
export function spreadOut(directory: string): string {
  mkdirSync(directory, { recursive: true });
  spawnSync("chattr", ["+T", directory], { stdio: "ignore" });
  return directory;
}

const scratches: string[] = [];

function removeScratches(): void {
  for (const directory of scratches) rmSync(directory, { recursive: true, force: true });
}

/** In memory where the machine has a place for it, for what is compared with a sleep and not with a disk. */
export async function withMemoryScratch<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const memory = "/dev/shm";
  const hasMemory = existsSync(memory) && statfsSync(memory).type === tmpfs;
  if (!hasMemory) return await withScratch(work);
  const directory = makeScratchIn(memory);
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const tmpfs = 0x01021994;

function makeScratchIn(parent: string): string {
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, "scratch-"));
}
