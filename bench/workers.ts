// Measures `pawl worker` as processes on one server: how many attempts of a second eight workers end in the time of one, and how long it
// takes from the end of a step to the next process where another worker may take it.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chainOf } from "../test/support/sample-runs.ts";
import { type Figure, type Measurement, median, ms } from "./measure.ts";
import { withServer } from "./postgres.ts";
import { begin, openWorld } from "./world.ts";

const pawl = join(import.meta.dirname, "..", "bin", "pawl");
const most = 8;
/** Few, so that even the short form has a run for each worker. */
const stepsOfRun = 5;

export const workers: Measurement = {
  name: "workers",
  async measure({ quick, scratch }) {
    return await withServer(async (address) => {
      const site = (name: string) => openSite(join(scratch, name), address(name));
      return [await throughput(site, quick ? 40 : 400), await hop(site, quick ? 2 : 6)];
    });
  },
};

type OpenSite = (name: string) => Promise<Site>;
type Site = Awaited<ReturnType<typeof openSite>>;

async function throughput(site: OpenSite, attempts: number): Promise<Figure> {
  const time = async (count: number) => {
    const { parts, perform, close } = await site(`of_${count}`);
    for (let run = 0; run < attempts / stepsOfRun; run += 1) await begin(parts, chainOf(stepsOfRun));
    const taken = await perform(count, 1);
    await close();
    return taken.ms;
  };
  const [one, eight] = [await time(1), await time(most)];
  return {
    what: `${attempts} attempts that sleep a second, by ${most} workers against one`,
    measured: `${(eight / 1000).toFixed(1)} s against ${(one / 1000).toFixed(1)} s`,
    value: one / eight,
    unit: "times",
    target: { atLeast: 6 },
  };
}

async function hop(site: OpenSite, rounds: number): Promise<Figure> {
  const gaps: Record<"one" | "two", number[]> = { one: [], two: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, count] of [["one", 1] as const, ["two", 2] as const]) {
      const { parts, perform, close } = await site(`hop_${name}_${round}`);
      await begin(parts, chainOf(stepsOfRun));
      gaps[name].push(...(await perform(count, 0)).gaps);
      await close();
    }
  }
  const [one, two] = [median(gaps.one), median(gaps.two)];
  return {
    what: "from a step's end to the next process, with a second worker",
    measured: `${ms(two)} against ${ms(one)}`,
    value: two - one,
    unit: "ms",
    target: { atMost: 50 },
  };
}

async function openSite(directory: string, address: string) {
  const home = join(directory, "home");
  mkdirSync(home, { recursive: true });
  const stamps = join(directory, "stamps");
  const agent = join(directory, "agent.sh");
  const parts = await openWorld(home, { store: address });
  /** Until no step is ready any more. The time is from the start of the first agent to the end of the last, so no worker's own start counts. */
  const perform = async (count: number, seconds: number) => {
    writeFileSync(
      agent,
      `date +%s%N >> '${stamps}'\nsleep ${seconds}\necho 'STATUS: done'\nexec date +%s%N >> '${stamps}'\n`,
    );
    writeFileSync(join(home, "config.yml"), `default_executor: "command: sh ${agent}"\n`);
    const children = Array.from({ length: count }, () => startWorker(home, address));
    await Promise.all(children.map(async (child) => await ended(child)));
    const times = readFileSync(stamps, "utf8")
      .trim()
      .split("\n")
      .map((text) => Number(BigInt(text) / 1000n) / 1000);
    rmSync(stamps);
    const gaps = times.flatMap((at, index) => (index % 2 === 0 && index > 0 ? [at - (times[index - 1] ?? at)] : []));
    return { ms: (times.at(-1) ?? 0) - (times[0] ?? 0), gaps };
  };
  const close = async () => {
    await parts.dispatch.close();
    await parts.store.close();
  };
  return { parts, perform, close };
}

function startWorker(home: string, address: string): ChildProcess {
  const env = { ...process.env, PAWL_HOME: home, PAWL_STORE: address };
  return spawn(pawl, ["worker", "--slots", "1", "--drain", "--json"], { env, stdio: ["ignore", "ignore", "inherit"] });
}

async function ended(child: ChildProcess): Promise<void> {
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`a worker ended with ${code}`);
}
