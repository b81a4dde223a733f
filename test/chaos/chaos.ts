// `npm run chaos -- --kills N --seed S`: the long form of chaos.test.ts. Exit code 1 on any violation; the directory is then kept.

import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { campaign, type Summary } from "./campaign.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "500" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    lanes: { type: "string", default: "3" },
  },
});

const summary = await campaign({
  kills: Number(values.kills),
  seed: Number(values.seed),
  lanes: Number(values.lanes),
  say: (line) => process.stderr.write(`${line}\n`),
});
report(summary);
if (summary.violations.length === 0) rmSync(summary.dir, { recursive: true, force: true });
else process.exitCode = 1;

function report({ violations, kills, ...figures }: Summary): void {
  const killed = Object.entries(kills).map(([kind, count]) => `${count} ${kind}`);
  const lines = [
    `${figures.killed} kills (${killed.join(", ")}) in ${figures.seconds} s`,
    `${figures.runs} runs, ${figures.restarts} restarts, ${figures.pairs} times two drivers at once`,
    `${figures.attempts} attempts, ${figures.lost} of them lost; ${figures.salvaged} diffs saved; ${figures.refused} late results refused; ${figures.events} events`,
    violations.length === 0
      ? "no violation"
      : `${violations.length} violations (seed ${figures.seed}, all of it is in ${figures.dir}):`,
    ...violations.map((violation) => `- ${violation}`),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
