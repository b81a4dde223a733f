// A chaos campaign with stories: runs of a PRD, each in its own repository, whose drivers, agents and gits are killed repeatedly until
// each run has ended and is checked.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorText } from "../../../src/domain/error.ts";
import { type Choose, chooser } from "../../support/random-run.ts";
import { checkStories, type StoriesFound } from "./checks.ts";
import { isOver, killsPerRun, Life } from "./life.ts";
import type { RunRow } from "./moments.ts";
import { hasForwarding, makeStoryScene, type StoryScene, type Variant, variants } from "./scene.ts";
import { Score } from "./score.ts";

export interface StoryCampaignOptions {
  /** Drivers to be killed, at least. */
  readonly kills: number;
  readonly seed: number;
  /** Runs at the same time. */
  readonly lanes: number;
  /** Null to use each variant in turn. */
  readonly variant: Variant | null;
  readonly say: (line: string) => void;
}

export interface StorySummary extends StoriesFound {
  readonly dir: string;
  readonly seed: number;
  readonly seconds: number;
  readonly runs: number;
  readonly score: Score;
}

export async function storyCampaign(options: StoryCampaignOptions): Promise<StorySummary> {
  const begun = performance.now();
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "pawl-chaos-stories-")));
  options.say(`chaos with stories: seed ${options.seed}, ${options.kills} kills, in ${dir}`);
  const score = new Score();
  const lanes = Array.from({ length: options.lanes }, (_, lane) => new Lane(dir, options, lane, score));
  await Promise.all(lanes.map((lane) => lane.work()));
  const found = lanes.flatMap((lane) => lane.found);
  const sum = (of: (one: StoriesFound) => number) => found.reduce((total, one) => total + of(one), 0);
  return {
    violations: found.flatMap(({ violations }) => violations),
    events: sum(({ events }) => events),
    attempts: sum(({ attempts }) => attempts),
    lost: sum(({ lost }) => lost),
    resolved: sum(({ resolved }) => resolved),
    dir,
    seed: options.seed,
    seconds: Math.round((performance.now() - begun) / 100) / 10,
    runs: found.length,
    score,
  };
}

function cannotBeChecked(error: unknown): StoriesFound {
  const why = errorText(error);
  return { violations: [`it cannot be checked: ${why}`], events: 0, attempts: 0, lost: 0, resolved: 0 };
}

class Lane {
  readonly found: StoriesFound[] = [];
  readonly #dir: string;
  readonly #options: StoryCampaignOptions;
  readonly #lane: number;
  readonly #score: Score;
  readonly #choose: Choose;

  constructor(dir: string, options: StoryCampaignOptions, lane: number, score: Score) {
    this.#dir = dir;
    this.#options = options;
    this.#lane = lane;
    this.#score = score;
    this.#choose = chooser(options.seed * 1_000 + lane);
  }

  async work(): Promise<void> {
    const { seed, kills, lanes } = this.#options;
    // Of several lanes, one has a checkout that follows the base.
    const first = lanes > 1 && this.#lane === 0 ? 0 : seed + this.#lane;
    for (let run = 1; run === 1 || this.#isAnotherNeeded; run += 1) {
      const next = variants[(first + run - 1) % variants.length] ?? "clean";
      const isOnlyForward = this.#score.killed >= kills && this.#score.missing(true).join() === "forward";
      const variant = this.#options.variant ?? (isOnlyForward ? "clean" : next);
      const scene = makeStoryScene(join(this.#dir, `${this.#lane}.${run}-${variant}`), variant);
      const violations = await this.#oneRun(scene);
      const found = await checkStories(scene).catch(cannotBeChecked);
      this.found.push({
        ...found,
        violations: [...violations, ...found.violations].map((text) => `${variant}: ${text}`),
      });
      if (violations.length + found.violations.length > 0) return;
      rmSync(scene.dir, { recursive: true, force: true });
    }
  }

  /** For phases that are still missing, one lane is enough. */
  get #isAnotherNeeded(): boolean {
    const { kills, variant } = this.#options;
    const isEnough = this.#score.isEnough(kills, variant === null || hasForwarding(variant));
    return !isEnough && (this.#lane === 0 || this.#score.killed < kills);
  }

  async #oneRun(scene: StoryScene): Promise<readonly string[]> {
    const begun = performance.now();
    const { kills } = this.#options;
    const life = new Life(scene, this.#choose, this.#score, kills);
    let row: RunRow | null = null;
    let starts = 0;
    for (;;) {
      const mayKill = life.kills < killsPerRun && !this.#score.isEnough(kills, hasForwarding(scene.variant));
      await life.live(row, mayKill);
      starts += 1;
      row = life.look();
      // An agent that was killed has failed, and its story with it: a person tries it again.
      if (row?.status === "failed" && life.hasKilledAgents) await life.retry(row);
      else if (row !== null && isOver(row)) break;
      if (starts > 300) return [...life.violations, `the run does not end (${row?.status ?? "never recorded"})`];
    }
    this.#score.restarts += starts - 1;
    // The driver that ended the run may have been killed before it cleaned up; so may the next one.
    while (kills > 0 && this.#choose(2) === 0) await life.live(row, true);
    await life.live(row, false);
    life.close();
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    this.#options.say(`  ${scene.variant}: ${row.status} after ${life.kills} kills, ${starts} starts, ${seconds} s`);
    return life.violations;
  }
}
