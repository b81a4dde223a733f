// A small world for tests of the runtime: a home, a repository, a workflow and an agent that is a shell script, with the real store,
// real executors and real git. In the script, `$PAWL_SHARED` is the home, so tests can read the files that an agent writes there.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { configuredExecutors, configuredTargets, openApp } from "../../src/app.ts";
import type { Attempt } from "../../src/domain/attempt.ts";
import type { Event } from "../../src/domain/event.ts";
import type { RunId } from "../../src/domain/ids.ts";
import type { Run, RunStatus } from "../../src/domain/run.ts";
import { type Config, plainProject, readConfig } from "../../src/runtime/config/config.ts";
import { type DriveTimes, driveRun } from "../../src/runtime/loop/drive.ts";
import type { Parts } from "../../src/runtime/parts.ts";
import { beginRun } from "../../src/runtime/runs/start.ts";
import { openWorkflow } from "../../src/runtime/runs/workflow-library.ts";
import type { Clock } from "../../src/system/clock.ts";
import { findHome, type Home } from "../../src/system/home.ts";
import { agents } from "./agents.ts";
import { programWords } from "./program-words.ts";
import { makeRepository, tempDir } from "./repository.ts";
import { until } from "./until.ts";

export interface WorldOptions {
  /** The agent: shell text. */
  readonly agent?: string;
  /** `workspace` of the workflow, as YAML. */
  readonly workspace?: string;
  /** The steps of the workflow, as YAML; by default one step `work` of the agent. */
  readonly steps?: string;
  /** `$PAWL_HOME/config.yml`. */
  readonly config?: string;
  /** The executor of every agent, in place of the shell script. */
  readonly executor?: string;
  readonly clock?: Clock;
}

const oneStep = `
  - id: work
    agent: worker
    input: "{{task}}"
`;

/** Drivers look often, and keep their leases however busy the machine is. */
export const shortTimes: DriveTimes = { leaseMs: 60_000, renewEveryMs: 200, recoverEveryMs: 200, restMs: 100 };
/** For a driver that the test freezes, so that its lease ends: no other should drive with it. */
export const briefLease: DriveTimes = { ...shortTimes, leaseMs: 1_500 };

export class World {
  readonly dir: string;
  readonly repo: string;
  readonly home: Home;
  readonly parts: Parts;
  readonly config: Config;
  readonly #executor: string;

  constructor(dir: string, repo: string, home: Home, parts: Parts, config: Config, executor: string) {
    this.dir = dir;
    this.repo = repo;
    this.home = home;
    this.parts = parts;
    this.config = config;
    this.#executor = executor;
  }

  async begin(
    task = "do it",
    parts = this.parts,
    executor = this.#executor,
    { inPlace = false, workflow }: { readonly inPlace?: boolean; readonly workflow?: string } = {},
  ): Promise<RunId> {
    const { run } = await beginRun(parts, {
      workflow: openWorkflow(this.home, workflow ?? join(this.dir, "workflow.yml"), parts.protocols),
      task,
      repo: this.repo,
      base: null,
      inPlace,
      context: {},
      executor,
      author: "test",
      tighten: (definition) => definition,
      project: plainProject,
    });
    return run;
  }

  async drive(run: RunId, more: { times?: Partial<DriveTimes>; signal?: AbortSignal; parts?: Parts } = {}) {
    const { times = shortTimes, signal, parts = this.parts } = more;
    const testEnds = new AbortController();
    const stops = AbortSignal.any([testEnds.signal, ...(signal ? [signal] : [])]);
    const driving = driveRun(parts, { run, concurrency: 4, signal: stops, times });
    // A test that failed half-way leaves its driver behind: it must be gone before the store is closed under it.
    onTestFinished(async () => {
      testEnds.abort();
      await driving.catch(() => undefined);
    });
    return await driving;
  }

  /** A driver in a process of its own. */
  startDriver(run: RunId, env: Readonly<Record<string, string>> = {}, times = shortTimes): DriverProcess {
    return new DriverProcess(this.home, run, env, times);
  }

  /** Stops a driver where it stands, but never inside a transaction: the store would be locked for as long as it is stopped. */
  async freeze(driver: DriverProcess): Promise<void> {
    for (;;) {
      await driver.stop();
      if (this.#storeIsFree()) return;
      driver.signal("SIGCONT");
      await setTimeout(5);
    }
  }

  #storeIsFree(): boolean {
    const connection = new DatabaseSync(this.home.storeFile, { timeout: 100 });
    try {
      connection.exec("begin immediate; rollback");
      return true;
    } catch {
      return false;
    } finally {
      connection.close();
    }
  }

  /** The same store, as another process would open it. */
  async open(clock?: Clock): Promise<Parts> {
    return await openParts(this.home, this.config, clock);
  }

  async run(id: RunId): Promise<Run> {
    const run = await this.parts.store.wholeRun(id);
    if (!run) throw new Error(`there is no run ${id}`);
    return run;
  }

  async status(id: RunId): Promise<RunStatus | null> {
    return (await this.parts.store.runById(id))?.status ?? null;
  }

  async attempts(id: RunId): Promise<readonly Attempt[]> {
    const run = await this.run(id);
    return [run.header, ...Object.values(run.stories)].flatMap(({ attempts }) => attempts);
  }

  async outcomes(id: RunId): Promise<readonly string[]> {
    return (await this.attempts(id)).map(({ state }) => (state.phase === "ended" ? state.outcome : state.phase));
  }

  async events(id: RunId): Promise<readonly Event[]> {
    return (await this.parts.store.events(id, 0, 100_000)).map(({ event }) => event);
  }

  /** The text of a file that agents write, by its name in the home; "" while it does not exist. */
  read(name: string): string {
    const file = join(this.home.dir, name);
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  }

  async appears(name: string, text = ""): Promise<void> {
    const isThere = () => existsSync(join(this.home.dir, name)) && this.read(name).includes(text);
    await until(isThere);
  }
}

export async function makeWorld(options: WorldOptions = {}): Promise<World> {
  const dir = tempDir("pawl-world-");
  const repo = makeRepository(undefined, { dir: join(dir, "repo") });
  const home = findHome({ PAWL_HOME: join(dir, "home") });
  const agent = join(dir, "agent.sh");
  writeFileSync(agent, `set -eu\n${options.agent ?? "echo STATUS: done"}\n`);
  const steps = options.steps ?? oneStep;
  const workspace = options.workspace === undefined ? "" : `workspace: ${options.workspace}\n`;
  writeFileSync(join(dir, "workflow.yml"), `pawl: 1\nid: small\n${workspace}agents: { worker: {} }\nsteps:${steps}`);
  const file = join(dir, "config.yml");
  if (options.config !== undefined) writeFileSync(file, options.config);
  const config = await readConfig(file, null, agents);
  const parts = await openParts(home, config, options.clock);
  return new World(dir, repo, home, parts, config, options.executor ?? `command: sh ${agent}`);
}

async function openParts(home: Home, config: Config, clock?: Clock): Promise<Parts> {
  const executors = configuredExecutors(config);
  const parts = await openApp({
    home,
    store: null,
    executors,
    targets: configuredTargets(config, home),
    log: () => undefined,
    warn: () => undefined,
    ...(clock ? { clock } : {}),
  });
  onTestFinished(() => parts.store.close());
  return parts;
}

const [node, ...program] = programWords("drive-program.ts");

export class DriverProcess {
  readonly #child: ChildProcess;
  readonly ended: Promise<number | null>;
  complaints = "";

  constructor(home: Home, run: RunId, env: Readonly<Record<string, string>>, times: DriveTimes) {
    this.#child = spawn(node, [...program, run, JSON.stringify(times)], {
      env: { ...process.env, PAWL_HOME: home.dir, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.complaints += chunk.toString();
    });
    this.ended = new Promise((resolve) => {
      this.#child.once("exit", (code) => resolve(code));
    });
    onTestFinished(() => void this.#child.kill("SIGKILL"));
  }

  /** Returns when the kernel has stopped it: a signal that was sent has not been taken yet. */
  async stop(): Promise<void> {
    this.#child.kill("SIGSTOP");
    const state = () =>
      spawnSync("ps", ["-o", "state=", "-p", `${this.#child.pid}`], { encoding: "utf8" }).stdout.trim();
    await until(() => state().startsWith("T"));
  }

  signal(signal: "SIGCONT" | "SIGTERM"): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.ended;
  }
}
