// A driver with configurable intervals, as a process that a test can freeze or kill: `drive-program.ts RUN TIMES`. Its exit code is 0
// when the run is done.

import { configuredExecutors, configuredTargets, openApp } from "../../src/app.ts";
import { runId } from "../../src/domain/ids.ts";
import { readConfig } from "../../src/runtime/config/config.ts";
import { type DriveTimes, driveRun } from "../../src/runtime/loop/drive.ts";
import { findHome } from "../../src/system/home.ts";
import { agents } from "./agents.ts";
import { toy } from "./toy-protocol.ts";

const [run = "", times = "{}"] = process.argv.slice(2);
const home = findHome(process.env);
const config = await readConfig(home.configFile, null, agents);
const parts = await openApp({
  home,
  store: null,
  executors: configuredExecutors(config),
  targets: configuredTargets(config, home),
  ...(process.env["PAWL_TEST_PROTOCOL"] === "toy" ? { protocols: [toy] } : {}),
  log: (event, fields) => {
    // The start and the end of a step are not warnings.
    if (!event.startsWith("step_")) process.stderr.write(`${JSON.stringify({ event, ...fields })}\n`);
  },
  warn: (text) => process.stderr.write(`${text}\n`),
});
const status = await driveRun(parts, {
  run: runId(run),
  concurrency: 4,
  signal: new AbortController().signal,
  times: JSON.parse(times) as Partial<DriveTimes>,
});
await parts.store.close();
process.exitCode = status === "done" ? 0 : 1;
