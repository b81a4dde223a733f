// Machines for tests: workers of other homes, each with a host name of its own where this machine can give it one.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { inContainer, onHost } from "./other-host.ts";
import type { RunningPawl, Site } from "./pawl.ts";
import { until } from "./until.ts";

const program = fileURLToPath(new URL("../../bin/pawl", import.meta.url));

const jumpingClock = new URL("../chaos/jumping-clock.ts", import.meta.url).href;

export interface MachineOptions {
  readonly site: Site;
  /** Its host name unless given, and that of its folder. */
  readonly name: string;
  readonly host?: string;
  /** In a container of its own. */
  readonly isApart?: boolean;
  /** How far its clock is ahead. */
  readonly aheadMs?: number;
  readonly env: Readonly<Record<string, string>>;
  /** Its configuration, after that of its repository. */
  readonly config?: string;
  /** Where it finds the repository of the site; null: it has no such line. */
  readonly from?: string | null;
}

export interface GuestWorker extends RunningPawl {
  readonly home: string;
  readonly pid: number;
}

/** Starts `pawl worker` with these words in a home of its own. */
export function startMachine(
  { site, name, host = name, isApart = false, aheadMs, env, config = "", from = site.repo }: MachineOptions,
  ...words: readonly string[]
): GuestWorker {
  const home = site.path(name);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const repositories =
    from === null ? "" : `\n  repositories: { ${JSON.stringify(site.repo)}: ${JSON.stringify(from)} }`;
  writeFileSync(join(home, "config.yml"), `worker:\n  labels: [of-${name}]${repositories}\n${config}`);
  const place = isApart ? inContainer(host) : onHost(host);
  const [command = "", ...rest] = [...place, process.execPath, program, "worker", "--json", ...words];
  const child = spawn(command, rest, {
    cwd: home,
    env: { ...environmentOf(home), ...env, ...(aheadMs === undefined ? {} : withClock(home, aheadMs)) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
    });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...said }));
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended, home, pid: child.pid ?? 0, stdout: () => said.stdout, stderr: () => said.stderr };
}

/** Resolves when it is ready to take steps. */
export async function startGuest(options: MachineOptions, ...words: readonly string[]): Promise<GuestWorker> {
  const running = startMachine(options, ...words);
  await until(() => running.stdout().includes("\n") || running.child.exitCode !== null);
  return running;
}

function withClock(home: string, aheadMs: number): Readonly<Record<string, string>> {
  const file = join(home, "clock");
  writeFileSync(file, `${aheadMs} 0`);
  return { NODE_OPTIONS: `--import=${jumpingClock}`, PAWL_CHAOS_CLOCK: file };
}

function environmentOf(home: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    ...(process.env["TMPDIR"] ? { TMPDIR: process.env["TMPDIR"] } : {}),
    LANG: "C.UTF-8",
    HOME: home,
    PAWL_HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    PAWL_LOG: "json",
  };
}
