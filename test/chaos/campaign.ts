// A chaos campaign: many runs on one store, whose drivers and agents are killed repeatedly until each run has ended.

import { setTimeout as sleep } from "node:timers/promises";
import { type Choose, chooser } from "../support/random-run.ts";
import { checkScene, type Found } from "./checks.ts";
import { Driver, type End, type Look, type Moment, type RunRow, Spectator } from "./driver.ts";
import { makeScene, type Scene } from "./scene.ts";

export interface CampaignOptions {
  readonly kills: number;
  readonly seed: number;
  /** Runs at the same time. */
  readonly lanes: number;
  readonly say: (line: string) => void;
}

export interface Summary extends Found {
  readonly dir: string;
  readonly seed: number;
  readonly seconds: number;
  /** Killed drivers, by what chose the moment, and killed agents. */
  readonly kills: Readonly<Kills>;
  readonly killed: number;
  readonly restarts: number;
  readonly pairs: number;
  /** Drivers that stood still for a while. */
  readonly frozen: number;
}

const kinds = ["any time", "after start", "after commit", "in the work", "at the end", "agent", "terminal"] as const;
type Kind = (typeof kinds)[number];
type Kills = Record<Kind, number>;
const noKills = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Kills;

/** Kills of one run before it is left alone, so that runs do end. */
const killsPerRun = 14;

export async function campaign(options: CampaignOptions): Promise<Summary> {
  const begun = performance.now();
  const scene = makeScene();
  const lanes = Array.from({ length: options.lanes }, (_, lane) => new Lane(scene, options, lane));
  options.say(`chaos: seed ${options.seed}, ${options.kills} kills, ${options.lanes} runs at once, in ${scene.dir}`);
  const total = { kills: 0 };
  await Promise.all(lanes.map((lane) => lane.work(total)));
  const found = await checkScene(scene);
  const kills = { ...noKills };
  for (const lane of lanes) for (const kind of kinds) kills[kind] += lane.kills[kind];
  return {
    ...found,
    violations: [...lanes.flatMap((lane) => lane.violations), ...found.violations],
    dir: scene.dir,
    seed: options.seed,
    seconds: Math.round((performance.now() - begun) / 100) / 10,
    kills,
    killed: kinds.reduce((sum, kind) => sum + kills[kind], 0),
    restarts: lanes.reduce((sum, lane) => sum + lane.restarts, 0),
    pairs: lanes.reduce((sum, lane) => sum + lane.pairs, 0),
    frozen: lanes.reduce((sum, lane) => sum + lane.frozen, 0),
  };
}

interface Attack {
  /** The run is in the store. */
  readonly isKnown: boolean;
  readonly isLate: boolean;
  readonly total: { kills: number } | null;
}

class Lane {
  readonly kills: Kills = { ...noKills };
  readonly violations: string[] = [];
  restarts = 0;
  pairs = 0;
  frozen = 0;
  readonly #scene: Scene;
  readonly #spectator: Spectator;
  readonly #choose: Choose;
  readonly #options: CampaignOptions;
  readonly #lane: number;

  constructor(scene: Scene, options: CampaignOptions, lane: number) {
    this.#scene = scene;
    this.#spectator = new Spectator(scene);
    this.#choose = chooser(options.seed * 1_000 + lane);
    this.#options = options;
    this.#lane = lane;
  }

  async work(total: { kills: number }): Promise<void> {
    for (let run = 1; total.kills < this.#options.kills; run += 1) {
      await this.#oneRun(`chaos ${this.#lane}.${run}`, total);
    }
    this.#spectator.close();
  }

  async #oneRun(task: string, total: { kills: number }): Promise<void> {
    const executor = this.#choose(3) === 0 ? ["--script", this.#scene.script] : ["--executor", this.#shell()];
    const args = ["run", this.#scene.workflow, task, "--repo", this.#scene.repo, ...executor];
    const before = this.#own();
    const mayKill = () => total.kills < this.#options.kills && this.#own() - before < killsPerRun;
    const begun = performance.now();
    let row: RunRow | null = null;
    let starts = 0;
    let wasKilled = true;
    for (;;) {
      const again = row === null ? args : ["resume", String(row.number)];
      const isLate = this.#own() - before > killsPerRun / 2;
      wasKilled = await this.#drive(task, again, { isKnown: row !== null, isLate, total: mayKill() ? total : null });
      starts += 1;
      row = this.#spectator.run(task);
      if (row !== null && isOver(row)) break;
      if (starts > 200) return void this.violations.push(`${task} does not end (${row?.status ?? "never recorded"})`);
    }
    this.restarts += starts - 1;
    const left = wasKilled ? [] : await this.#spectator.processes(row.id);
    if (left.length > 0) this.violations.push(`${task}: a driver that ended by itself left ${left.length} processes`);
    // The driver that ended the run may have been killed before it cleaned up.
    await this.#drive(task, ["resume", String(row.number)], { isKnown: true, isLate: true, total: null });
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    this.#options.say(`  ${task}: ${row.status} after ${this.#own() - before} kills, ${starts} starts, ${seconds} s`);
  }

  /** Runs one driver, or two at once; true if one was killed. `total` is null if none may be killed. */
  async #drive(task: string, args: readonly string[], { isKnown, isLate, total }: Attack): Promise<boolean> {
    const look = () => this.#spectator.run(task);
    const drivers = [new Driver(this.#scene, args)];
    if (total !== null && isKnown && this.#choose(4) === 0) {
      drivers.push(new Driver(this.#scene, args));
      this.pairs += 1;
    }
    const ends = drivers.map(async (driver) => {
      if (total === null) return await driver.killAt({ kind: "never" }, look);
      if (this.#choose(5) === 0) await this.#killAgent(driver, look, total);
      const { kind, moment } = this.#moment(isLate);
      if (this.#choose(8) === 0) await this.#freeze(driver, look);
      if (this.#choose(8) === 0) return await this.#hangUp(driver, moment, look, total);
      const end = await driver.killAt(moment, look);
      if (end.killed) this.#count(kind, total);
      return end;
    });
    const ended = await Promise.all(ends);
    for (const end of ended) this.#judge(task, args, end);
    return ended.some(({ killed }) => killed);
  }

  async #freeze(driver: Driver, look: Look): Promise<void> {
    await driver.reach({ kind: "commit", events: 1 + this.#choose(8), afterMs: this.#choose(200) }, look);
    if (driver.isOver) return;
    this.frozen += 1;
    await driver.freeze(1_000);
  }

  /** A driver whose terminal closes stops its agents and ends, or dies if it has only begun to start. */
  async #hangUp(driver: Driver, moment: Moment, look: Look, total: { kills: number }): Promise<End> {
    await driver.reach(moment, look);
    const end = await driver.hangUp();
    const diedAtStart = end.code === null && !end.hung;
    if (end.code !== 130 && !diedAtStart) return end;
    this.#count("terminal", total);
    return { ...end, killed: true };
  }

  /** Kills the agent and not its driver, which must continue by itself. */
  async #killAgent(driver: Driver, look: Look, total: { kills: number }): Promise<void> {
    await driver.reach({ kind: "commit", events: 1 + this.#choose(8), afterMs: this.#choose(200) }, look);
    for (let tries = 0; tries < 20 && !driver.isOver; tries += 1) {
      const pid = await driver.agentPid();
      if (pid !== null && isKilled(pid)) return this.#count("agent", total);
      await sleep(10);
    }
  }

  #moment(isLate: boolean): { readonly kind: Kind; readonly moment: Moment } {
    const which = this.#choose(20);
    if (isLate && which < 6) return { kind: "at the end", moment: { kind: "done", afterMs: this.#choose(150) } };
    if (which < 5) return { kind: "after start", moment: { kind: "time", afterMs: this.#choose(700) } };
    if (which < 9) return { kind: "any time", moment: { kind: "time", afterMs: this.#choose(5_000) } };
    if (which < 13) {
      const moment = { kind: "work", changes: 1 + this.#choose(2), afterMs: this.#choose(250) } as const;
      return { kind: "in the work", moment };
    }
    return {
      kind: "after commit",
      moment: { kind: "commit", events: 1 + this.#choose(10), afterMs: this.#choose(3) * this.#choose(40) },
    };
  }

  #own(): number {
    return kinds.reduce((sum, kind) => sum + this.kills[kind], 0);
  }

  #count(kind: Kind, total: { kills: number }): void {
    this.kills[kind] += 1;
    total.kills += 1;
  }

  #judge(task: string, args: readonly string[], end: End): void {
    if (end.hung) this.violations.push(`${task}: \`pawl ${args[0]}\` did not end:\n${end.complaints}`);
    else if (!end.killed && end.code !== 0)
      this.violations.push(`${task}: \`pawl ${args[0]}\` ended with ${end.code}:\n${end.complaints}`);
  }

  #shell(): string {
    return `command: sh ${this.#scene.act} ${this.#scene.dir}`;
  }
}

function isKilled(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    // It has ended since it was found.
    return false;
  }
}

const isOver = ({ status }: RunRow) => status === "done" || status === "failed" || status === "cancelled";
