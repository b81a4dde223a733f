// The driving process of memory.ts. It drives the given number of runs at once and measures its own memory. Each agent prints its
// share and then waits for all others, so on any machine all run at the same time and end together.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunId } from "../src/domain/ids.ts";
import { driveRun } from "../src/runtime/loop/drive.ts";
import { chainOf } from "../test/support/sample-runs.ts";
import type { Resident } from "./memory.ts";
import { begin, openWorld } from "./world.ts";

const [home = "", agents = "1", printedMb = "1"] = process.argv.slice(2);
const count = Number(agents);
const printed = join(home, "printed");
const release = join(home, "release");
mkdirSync(printed, { recursive: true });

const megabyte = join(home, "megabyte.txt");
writeFileSync(megabyte, `${"x".repeat(99)}\n`.repeat(10_000));
const agent = join(home, "agent.sh");
const parts = await openWorld(home, { agent: `sh ${agent}` });
const drive = async (run: RunId) => await driveRun(parts, { run, concurrency: 1, signal: giveUp.signal });
const giveUp = new AbortController();

// Idle means a process that has driven a run before, so all code is loaded.
writeFileSync(agent, "echo 'STATUS: done'\n");
await drive(await begin(parts, chainOf(1)));

writeFileSync(
  agent,
  `i=0
while [ $i -lt ${printedMb} ]; do cat '${megabyte}'; i=$((i+1)); done
touch '${printed}'/$PAWL_RUN
while [ ! -e '${release}' ]; do sleep 0.2; done
echo 'STATUS: done'
`,
);

const runs: RunId[] = [];
for (let index = 0; index < count; index += 1) runs.push(await begin(parts, chainOf(1)));

const rssMb = () => process.memoryUsage.rss() / 1e6;
const idleMb = rssMb();
let runningMb = idleMb;
let endingMb = idleMb;
const look = () => {
  if (existsSync(release)) endingMb = Math.max(endingMb, rssMb());
  else runningMb = Math.max(runningMb, rssMb());
  if (readdirSync(printed).length === count) writeFileSync(release, "");
};
const watch = setInterval(look, 20);

const patienceMs = 300_000;
const driving = Promise.all(runs.map(drive));
const statuses = await Promise.race([driving, sleep(patienceMs, null, { ref: false })]);
look();
clearInterval(watch);
if (statuses === null || statuses.some((status) => status !== "done")) {
  giveUp.abort();
  await driving;
  throw new Error(`not all of ${count} runs ended`);
}
await parts.store.close();
console.log(JSON.stringify({ idleMb, runningMb, endingMb } satisfies Resident));
