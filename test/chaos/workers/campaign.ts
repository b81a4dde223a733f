// A chaos campaign with workers on a server: runs with stories in parallel, several workers and the service of one home and guests of other
// homes, whose processes, server, network and clocks fail until so many faults are done. Then everything is healed, every run must end,
// and all is checked.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../../src/domain/error.ts";
import { chooser } from "../../support/random-run.ts";
import { checkWorkers, type WorkersFound } from "./checks.ts";
import { deck, type Fault, Faults } from "./faults.ts";
import type { Member } from "./member.ts";
import { eventsOf, makeWorkerScene, record, runsOf, type WorkerScene } from "./scene.ts";

export interface WorkerCampaignOptions {
  readonly faults: number;
  readonly seed: number;
  /** Runs at the same time. */
  readonly lanes: number;
  readonly workers: number;
  readonly guests: number;
  /** Waits until guests have removed the trees of the last runs by themselves; else they do it when they end. */
  readonly isPatient: boolean;
  readonly say: (line: string) => void;
}

export interface WorkerSummary extends WorkersFound {
  readonly dir: string;
  readonly seed: number;
  readonly seconds: number;
  /** How the network was cut. */
  readonly form: string;
  readonly faults: Readonly<Partial<Record<Fault, number>>>;
  readonly done: number;
  /** Processes that lost an attempt while they stood still or were cut off. */
  readonly displaced: number;
  /** Processes that were started, in all. */
  readonly starts: number;
  readonly guests: number;
}

/** When all is healed, something happens within this time until every run has ended. */
const quietMs = 120_000;

export async function workerCampaign(options: WorkerCampaignOptions): Promise<WorkerSummary> {
  const begun = performance.now();
  const scene = await makeWorkerScene(options);
  const { dir, network, server, repository, members } = scene;
  const guests = members.filter(({ kind }) => kind === "guest");
  const { seed, say } = options;
  say(
    `chaos with workers: seed ${seed}, ${options.faults} faults, ${members.length} processes, ${network.form}, in ${dir}`,
  );
  const choose = chooser(seed);
  const faults = new Faults(scene, choose);
  const runs = new Runs(scene, options.lanes);
  const violations: string[] = [];
  try {
    for (const member of members) member.setClock(choose(21) - 10);
    for (const member of members) if (member.kind !== "guest") member.start();
    const recording = runs.keepOpen();
    await runs.begun;
    // A store that no home has yet refuses them.
    for (const guest of guests) guest.start();
    await strikeAll(faults, { ...options, guests: guests.length }, choose);
    await faults.heal();
    runs.stop();
    await recording;
    violations.push(...(await runs.end()));
    if (options.isPatient) violations.push(...(await Promise.all(guests.map(tidied))).flat());
    await Promise.all(members.map((member) => member.end()));
    violations.push(...members.flatMap((member) => member.violations));
    const found = await checkWorkers(scene, runs.tasks).catch(cannotBeChecked);
    return {
      ...found,
      violations: [...violations, ...found.violations],
      dir,
      seed,
      seconds: Math.round((performance.now() - begun) / 100) / 10,
      form: network.form,
      faults: faults.counts,
      done: faults.done,
      displaced: faults.displaced,
      starts: members.reduce((sum, { starts }) => sum + starts, 0),
      guests: guests.length,
    };
  } finally {
    await Promise.all(members.map((member) => member.end()));
    network.close();
    await repository.close();
    await server.close();
  }
}

async function strikeAll(
  faults: Faults,
  { faults: wanted, guests, say }: WorkerCampaignOptions,
  choose: (below: number) => number,
): Promise<void> {
  while (faults.done < wanted) {
    const cards = deck(choose, guests).slice(0, wanted - faults.done);
    // One that found nobody comes again at the end.
    for (let card = cards.shift(); card !== undefined; card = cards.shift())
      if (!(await faults.strike(card))) cards.push(card);
    say(`  ${faults.done} faults`);
  }
}

/** A guest removes the trees of runs that are over within a minute. */
const tidyMs = 60_000;

async function tidied({ name, home }: Member): Promise<readonly string[]> {
  const trees = join(home, "worktrees");
  const end = performance.now() + tidyMs;
  for (;;) {
    const left = existsSync(trees) ? readdirSync(trees) : [];
    if (left.length === 0) return [];
    if (performance.now() > end) return [`${name} has trees of runs that are over: ${left.join(", ")}`];
    await sleep(200);
  }
}

class Runs {
  readonly tasks: string[] = [];
  /** Resolves when the first one is recorded. */
  readonly begun: Promise<void>;
  readonly #scene: WorkerScene;
  readonly #lanes: number;
  #isWanted = true;
  #hasBegun: () => void = () => undefined;

  constructor(scene: WorkerScene, lanes: number) {
    this.#scene = scene;
    this.#lanes = lanes;
    this.begun = new Promise((resolve) => {
      this.#hasBegun = resolve;
    });
  }

  /** Records another run whenever one has ended. */
  async keepOpen(): Promise<void> {
    while (this.#isWanted) {
      const runs = (await runsOf(this.#scene)) ?? null;
      // Before the first run there is no table of them.
      const open = runs?.filter(({ status }) => status === "running").length ?? (this.tasks.length === 0 ? 0 : null);
      if (open !== null && open < this.#lanes) await this.#record();
      else await sleep(200);
    }
  }

  stop(): void {
    this.#isWanted = false;
  }

  async #record(): Promise<void> {
    const task = `task ${this.tasks.length + 1}`;
    this.tasks.push(task);
    // Where there are guests, every second run needs them.
    const hasGuests = this.#scene.members.some(({ kind }) => kind === "guest");
    const kind = hasGuests && this.tasks.length % 2 === 0 ? "far" : "near";
    for (;;) {
      if (await record(this.#scene, task, kind)) break;
      // Its answer may have been lost, and not the run.
      const runs = await runsOf(this.#scene);
      if (runs?.some((run) => run.task === task) === true) break;
      await sleep(200);
    }
    this.#hasBegun();
  }

  /** Waits until each of them has ended, as long as something happens. */
  async end(): Promise<readonly string[]> {
    let [seen, since] = [0, performance.now()];
    for (;;) {
      const open = (await runsOf(this.#scene))?.filter(({ status }) => status === "running");
      if (open?.length === 0) return [];
      const events = (await eventsOf(this.#scene)) ?? seen;
      if (events !== seen) [seen, since] = [events, performance.now()];
      if (performance.now() - since > quietMs)
        return (open ?? []).map(({ task, status }) => `${task} does not end: it is ${status}`);
      await sleep(100);
    }
  }
}

function cannotBeChecked(error: unknown): WorkersFound {
  const violations = [`it cannot be checked: ${errorText(error)}`];
  return { violations, runs: 0, events: 0, attempts: 0, lost: 0, refused: 0, away: 0 };
}
