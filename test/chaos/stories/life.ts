// The drivers of one run: when each is killed, with its agents and gits, and a check that each driver that is not killed succeeds.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Choose } from "../../support/random-run.ts";
import { Driver, type End } from "../driver.ts";
import { gitOf, Moments, type Phase, phases, type RunRow, type SeenPhase } from "./moments.ts";
import { stories } from "./plan.ts";
import { hasForwarding, runCommand, type StoryScene } from "./scene.ts";
import { countIn, type Score } from "./score.ts";

/** Kills of one run's drivers before it is left alone. */
export const killsPerRun = 60;
/** After this many kills without a finished story, wait for one: a step may be lost only a limited number of times. */
const maxKillsWithoutProgress = 9;
/** The longest time from the beginning of a phase to its kill. */
const longestMs: Readonly<Record<Phase, number>> = {
  start: 700,
  any: 1_000,
  enter: 25,
  work: 120,
  edits: 80,
  snapshot: 12,
  squash: 12,
  rebase: 30,
  check: 80,
  move: 10,
  forward: 14,
  leave: 30,
  recorded: 80,
  tidy: 150,
};
const usual = phases.filter((phase) => phase !== "start" && phase !== "any" && phase !== "tidy");
/** The last phases of an integration. Without a preference, earlier ones would be reached first almost always. */
const late: readonly SeenPhase[] = ["move", "forward", "leave"];
const gitPhases = [
  "enter",
  "snapshot",
  "squash",
  "rebase",
  "move",
  "forward",
  "leave",
  "tidy",
] as const satisfies SeenPhase[];

/** The drivers of one run, one after the other, sometimes two at once. */
export class Life {
  readonly violations: string[] = [];
  kills = 0;
  readonly #scene: StoryScene;
  readonly #choose: Choose;
  readonly #score: Score;
  /** Drivers to be killed, in all runs together. */
  readonly #goal: number;
  readonly #spectator: Moments;
  /** Phases that still need a kill; one that had its kill waits until the others had theirs. */
  readonly #deck: SeenPhase[] = [];
  #killsSinceDone = 0;
  #done = 0;
  #isOver = false;
  #killedAgents = 0;

  constructor(scene: StoryScene, choose: Choose, score: Score, goal: number) {
    this.#scene = scene;
    this.#choose = choose;
    this.#score = score;
    this.#goal = goal;
    this.#spectator = new Moments(scene);
  }

  look(): RunRow | null {
    const row = this.#spectator.run();
    if (row !== null && row.done > this.#done) this.#killsSinceDone = 0;
    this.#done = row?.done ?? 0;
    this.#isOver = row !== null && isOver(row);
    return row;
  }

  async live(row: RunRow | null, mayKill: boolean): Promise<void> {
    const isAgain = row !== null && (isOver(row) || this.#choose(3) > 0);
    const args = isAgain ? ["resume", String(row.number)] : runCommand(this.#scene);
    const drivers = [this.#start(args)];
    if (mayKill && isAgain && this.#choose(6) === 0) {
      drivers.push(this.#start(args));
      this.#score.pairs += 1;
    }
    await Promise.all(
      drivers.map(async (driver) => {
        const end = mayKill ? await this.#attack(driver) : await driver.end();
        this.#judge(args, end);
      }),
    );
  }

  /** Its stories may fail: each may be tried again. */
  get hasKilledAgents(): boolean {
    return this.#killedAgents > 0;
  }

  async retry(row: RunRow): Promise<void> {
    this.#judge(["retry"], await this.#start(["retry", String(row.number)]).end());
  }

  /** True if the run progresses faster than its kills: waiting for a rare phase would let it end too early. */
  get #isBehind(): boolean {
    return this.kills < (this.#done / stories.length) * killsPerRun;
  }

  close(): void {
    this.#spectator.close();
  }

  #start(args: readonly string[]): Driver {
    return new Driver(this.#scene, args, { GIT_TRACE2_EVENT: this.#scene.trace });
  }

  async #attack(driver: Driver): Promise<End> {
    const moments = new Moments(this.#scene);
    try {
      const [agentDies, gitDies] = [this.#choose(4) === 0, this.#choose(3) === 0];
      if (agentDies && !this.#isBehind) await this.#killAgent(driver, moments);
      const isLast = this.#done >= stories.length - 1;
      if (gitDies && (isLast || !this.#isBehind)) await this.#killGit(driver, moments, isLast ? ["tidy"] : gitPhases);
      const phase = await this.#reach(driver, moments);
      if (driver.isOver) return await driver.end();
      const atWork = moments.gitsAtWork();
      // Sometimes everything is killed at once, as the kernel does when it is out of memory.
      if (this.#choose(4) === 0) for (const git of atWork) this.#shoot(git);
      else for (const { command } of atWork) countIn(this.#score.outlived, firstWord(command));
      const end = await driver.kill();
      if (end.killed) this.#count(phase);
      return end;
    } finally {
      moments.close();
    }
  }

  /** Waits for the first phase in the deck that begins. */
  async #reach(driver: Driver, moments: Moments): Promise<Phase> {
    const share = this.#choose(1_000) / 1_000;
    if (this.#isOver) {
      await driver.endsWithin(Math.round(share * longestMs.any));
      return "tidy";
    }
    const wanted = this.#wanted();
    const phase = Array.isArray(wanted) ? await moments.reach(wanted, 0, () => driver.isOver) : wanted;
    if (phase === null) return "any";
    const at = this.#deck.findIndex((card) => card === phase);
    if (at !== -1) this.#deck.splice(at, 1);
    await driver.endsWithin(Math.round(share * longestMs[phase]));
    return phase;
  }

  /** A time, or phases to wait for. */
  #wanted(): "start" | "any" | SeenPhase[] {
    if (this.#done >= stories.length - 1 && this.#choose(2) === 0) return ["tidy"];
    if (this.#killsSinceDone >= maxKillsWithoutProgress) return ["recorded"];
    const isFollowed = hasForwarding(this.#scene.variant);
    const missing = this.#score.missing(isFollowed);
    // Enough have died elsewhere.
    if (missing.length > 0 && this.#score.killed >= this.#goal) return [...missing];
    const time = this.#choose(10);
    if (time < 2) return time === 0 ? "start" : "any";
    if (this.#deck.length <= 5) this.#deck.push(...usual.filter((phase) => isFollowed || phase !== "forward"));
    if (this.#choose(3) > 0) return this.#deck;
    const few = missing.length > 0 || this.#isBehind ? missing : this.#deck.filter((phase) => late.includes(phase));
    return few.length > 0 ? [...few] : this.#deck;
  }

  /** Kills the agent and not its driver, which must continue by itself. */
  async #killAgent(driver: Driver, moments: Moments): Promise<void> {
    await moments.reach(["work", "edits"], this.#choose(2), () => driver.isOver);
    await sleep(this.#choose(30));
    const agents = (await driver.agentPids()).filter(isAgent);
    const pid = agents[this.#choose(Math.max(1, agents.length))];
    if (pid === undefined) return;
    if (!shoot(pid)) return;
    this.#score.agents += 1;
    this.#killedAgents += 1;
  }

  /** Kills one of the driver's gits and not the driver. */
  async #killGit(driver: Driver, moments: Moments, wanted: readonly SeenPhase[]): Promise<void> {
    for (let tries = 0; tries < 3; tries += 1) {
      const phase = await moments.reach(wanted, 0, () => driver.isOver);
      if (phase === null) return;
      await sleep(this.#choose(6));
      const git = moments.gitsAtWork().find(({ command }) => gitOf[phase]?.test(command));
      if (git !== undefined && this.#shoot(git)) return;
    }
  }

  #shoot({ pid, command }: { readonly pid: number; readonly command: string }): boolean {
    const isDead = shoot(pid);
    if (isDead) countIn(this.#score.gits, firstWord(command));
    return isDead;
  }

  #count(phase: Phase): void {
    this.#score.drivers[phase] += 1;
    this.kills += 1;
    this.#killsSinceDone += 1;
  }

  #judge(args: readonly string[], end: End): void {
    this.#score.adopted += end.complaints.match(/its result is taken over/g)?.length ?? 0;
    const command = `\`pawl ${args.slice(0, 2).join(" ")}\``;
    if (end.hung) this.violations.push(`${command} did not end:\n${end.complaints}`);
    else if (!end.killed && end.code !== 0 && !(end.code === 1 && this.hasKilledAgents))
      this.violations.push(`${command} ended with ${end.code}:\n${end.complaints}`);
  }
}

export const isOver = ({ status }: RunRow) => status === "done" || status === "failed" || status === "cancelled";
const firstWord = (command: string) => command.split(" ", 1)[0] ?? "";

/** Checks run beside agents. A killed check fails, which would count against the story. */
function isAgent(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("act.sh");
  } catch {
    return false;
  }
}

/** False if the process had already ended. */
function shoot(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}
