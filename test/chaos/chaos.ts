// `npm run chaos -- [--scene stories|ends] --kills N --seed S`, `--scene meddling --runs N` and `--scene workers --faults N`: the long
// forms of chaos.test.ts, stories.test.ts, ends.test.ts, meddling.test.ts and workers.postgres.test.ts. On any violation the exit code is
// 1 and the directory is kept.

import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { campaign, type Summary } from "./campaign.ts";
import { type EndsSummary, endsCampaign } from "./ends/campaign.ts";
import { type MeddlingSummary, meddlingCampaign } from "./meddling/campaign.ts";
import { type StorySummary, storyCampaign } from "./stories/campaign.ts";
import { variants } from "./stories/scene.ts";
import { type WorkerSummary, workerCampaign } from "./workers/campaign.ts";

const { values } = parseArgs({
  options: {
    scene: { type: "string", default: "runs" },
    kills: { type: "string" },
    runs: { type: "string", default: "20" },
    faults: { type: "string", default: "500" },
    workers: { type: "string", default: "3" },
    guests: { type: "string", default: "2" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    lanes: { type: "string" },
    variant: { type: "string" },
  },
});

const seed = Number(values.seed);
const say = (line: string) => void process.stderr.write(`${line}\n`);
if (values.scene === "runs") {
  const summary = await campaign({ kills: Number(values.kills ?? 500), seed, lanes: Number(values.lanes ?? 3), say });
  report(summary, figuresOf(summary));
} else if (values.scene === "stories") {
  const variant = variants.find((name) => name === values.variant) ?? null;
  const options = { kills: Number(values.kills ?? 150), seed, lanes: Number(values.lanes ?? 1), variant, say };
  const summary = await storyCampaign(options);
  report(summary, storyFigures(summary));
} else if (values.scene === "meddling") {
  const summary = await meddlingCampaign({ runs: Number(values.runs), seed, say });
  report(summary, [`${summary.slips} slips of agents; a person did ${counted(summary.acts)}`]);
} else if (values.scene === "ends") {
  const summary = await endsCampaign({ kills: Number(values.kills ?? 30), seed, say });
  report(summary, [`${summary.runs} runs; what killed drivers left was done by ${counted(summary.kills)}`]);
} else if (values.scene === "workers") {
  const [faults, lanes] = [Number(values.faults), Number(values.lanes ?? 4)];
  const crew = { workers: Number(values.workers), guests: Number(values.guests) };
  const summary = await workerCampaign({ faults, seed, lanes, ...crew, isPatient: true, say });
  report(summary, workerFigures(summary));
} else {
  say(`there is no scene ${values.scene}; use runs, stories, ends, meddling or workers`);
  process.exitCode = 2;
}

function report(
  { violations, seed, dir }: Summary | StorySummary | EndsSummary | MeddlingSummary | WorkerSummary,
  figures: readonly string[],
): void {
  const end =
    violations.length === 0
      ? "no violation"
      : `${violations.length} violations (seed ${seed}; everything is kept in ${dir}):`;
  const lines = [...figures, end, ...violations.map((violation) => `- ${violation}`)];
  process.stdout.write(`${lines.join("\n")}\n`);
  if (violations.length === 0) rmSync(dir, { recursive: true, force: true });
  else process.exitCode = 1;
}

function figuresOf({ kills, ...figures }: Summary): readonly string[] {
  return [
    `${figures.killed} kills (${counted(kills)}) in ${figures.seconds} s`,
    `${figures.runs} runs, ${figures.restarts} restarts, two drivers at once ${figures.pairs} times, ${figures.frozen} drivers frozen`,
    `${figures.attempts} attempts, ${figures.lost} of them lost, ${figures.died} by a killed agent; ${figures.salvaged} diffs saved; ${figures.refused} late results refused; ${figures.events} events`,
  ];
}

function storyFigures({ score, ...figures }: StorySummary): readonly string[] {
  return [
    `${score.killed} drivers killed (${counted(score.drivers)}) in ${figures.seconds} s`,
    `${score.agents} agents killed; gits killed: ${counted(score.gits)}; gits that outlived a killed driver: ${counted(score.outlived)}`,
    `${figures.runs} runs, ${score.restarts} restarts, two drivers at once ${score.pairs} times`,
    `${figures.attempts} attempts, ${figures.lost} of them lost; ${score.adopted} results adopted; ${figures.resolved} conflicts with the base resolved; ${figures.events} events`,
  ];
}

function workerFigures({ faults, ...figures }: WorkerSummary): readonly string[] {
  return [
    `${figures.done} faults (${counted(faults)}) in ${figures.seconds} s; the network was cut by ${figures.form}`,
    `${figures.runs} runs, ${figures.starts} processes started, ${figures.displaced} lost an attempt while they stood still or were cut off`,
    `${figures.attempts} attempts, ${figures.away} of them on ${figures.guests} guests, ${figures.lost} lost; ${figures.refused} late results refused; ${figures.events} events`,
  ];
}

function counted(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  return parts.length === 0 ? "none" : parts.join(", ");
}
