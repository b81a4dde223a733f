// The benchmark: the list of measurements, the table and the file of results. A missed target is only marked in the table; a
// measurement that could not be made is a failure.

import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { agentEvents } from "./agent-events.ts";
import { agentStart } from "./agent-start.ts";
import { chain } from "./chain.ts";
import { cycleByHand } from "./cycle-by-hand.ts";
import { cycleGrowth } from "./cycle-growth.ts";
import { dag } from "./dag.ts";
import { integrate } from "./integrate.ts";
import { manyStories } from "./many-stories.ts";
import { type Figure, isMet, type Measurement, withScratch } from "./measure.ts";
import { memory } from "./memory.ts";
import { nextProcess } from "./next-process.ts";
import { page } from "./page.ts";
import { partsOfAStep } from "./parts.ts";
import { postgres } from "./postgres.ts";
import { prdStories } from "./prd-stories.ts";
import { queue } from "./queue.ts";
import { runsPage } from "./runs-page.ts";
import { service } from "./service.ts";
import { startUp } from "./start-up.ts";
import { stories } from "./stories.ts";
import { storyStart } from "./story-start.ts";
import { streams } from "./streams.ts";
import { wideRun } from "./wide-run.ts";
import { workers } from "./workers.ts";

const measurements: readonly Measurement[] = [
  cycleGrowth,
  cycleByHand,
  queue,
  nextProcess,
  agentStart,
  startUp,
  service,
  runsPage,
  streams,
  chain,
  wideRun,
  manyStories,
  partsOfAStep,
  prdStories,
  memory,
  integrate,
  storyStart,
  stories,
  agentEvents,
  page,
  postgres,
  workers,
  dag,
];

const {
  quick,
  only,
  stories: wanted,
} = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    stories: { type: "string" },
  },
}).values;
if (wanted !== undefined && !/^[1-9]\d*$/.test(wanted)) {
  console.error("--stories is not a number");
  process.exit(2);
}
const names = measurements.map(({ name }) => name);
const unknown = only.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`there is no measurement ${unknown.join(", ")}; there are: ${names.join(", ")}`);
  process.exit(2);
}

const rows: { readonly name: string; readonly figure: Figure }[] = [];
const failures: string[] = [];
for (const { name, measure } of measurements) {
  if (only.length > 0 && !only.includes(name)) continue;
  const begunAt = performance.now();
  try {
    const figures = await withScratch((scratch) =>
      measure({ quick, scratch, stories: wanted === undefined ? null : Number(wanted) }),
    );
    rows.push(...figures.map((figure) => ({ name, figure })));
    console.error(`${name}: ${((performance.now() - begunAt) / 1000).toFixed(1)} s`);
  } catch (error) {
    failures.push(name);
    console.error(`${name} could not be measured:`, error);
  }
}

console.log(table(rows.map(({ name, figure }) => [name, figure.what, figure.measured, ...verdict(figure)])));
console.log(`\nresults: ${save()}`);
if (failures.length > 0) process.exitCode = 1;

function verdict(figure: Figure): readonly [string, string, string] {
  const { target, unit } = figure;
  const inUnit = (value: number) => (unit === "times" ? value.toFixed(2) : `${value.toFixed(1)} ${unit}`);
  const wanted = "atLeast" in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
  return [inUnit(figure.value), unit === "times" ? wanted : `${wanted} ${unit}`, isMet(figure) ? "ok" : "—"];
}

function table(lines: readonly (readonly string[])[]): string {
  const all = [["name", "what", "measured", "ratio", "target", "ok"], ...lines];
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  return all
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function save(): string {
  const directory = join(import.meta.dirname, "results");
  const at = new Date().toISOString();
  const file = join(directory, `${at.replaceAll(":", "-")}.json`);
  const figures = rows.map(({ name, figure }) => ({ name, ...figure, ok: isMet(figure) }));
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: availableParallelism() };
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, `${JSON.stringify({ at, quick, machine, figures, failures }, null, 2)}\n`);
  return file;
}
