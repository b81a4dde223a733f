// Drives every open run of a store in one process: those that are running and have no other driver, and held ones whose deadline has
// come. A run that cannot be driven keeps none of the others waiting; it is tried again after a pause that grows, or when it changes.

import { existsSync } from "node:fs";
import type { Application, ReadSession } from "../application/application.ts";
import { AppError, errorText } from "../domain/error.ts";
import type { RunId } from "../domain/ids.ts";
import { expireGates } from "../runtime/loop/deadlines.ts";
import type { Log } from "../runtime/parts.ts";
import { Wake } from "../runtime/wake.ts";
import { isPulled, lifeOfWorker } from "../runtime/worker.ts";
import type { RunSummary } from "../store/store.ts";
import { isPast, systemClock } from "../system/clock.ts";
import type { Trouble } from "../system/service-file.ts";

export interface OpenRunsOptions {
  readonly log: Log;
  /** Told when a run cannot be driven, or can be again. */
  readonly onTroubles: (troubles: Readonly<Record<RunId, Trouble>>) => void;
  readonly times?: Partial<LookTimes>;
  /** Attempts at once of each run. Default: as configured. 0: others perform them. */
  readonly concurrency?: number | undefined;
}

export interface LookTimes {
  /** How long to wait at most while runs are driven elsewhere: a driver that is killed tells nobody. */
  readonly busyMs: number;
  /** The same while nothing is open. What other processes commit is noticed at once. */
  readonly idleMs: number;
  /** The first pause of a run that cannot be driven, and the longest one. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
  /** Several commits in a row are one reason to look. */
  readonly gatherMs: number;
}

const usualTimes: LookTimes = {
  busyMs: 2_000,
  idleMs: 30_000,
  pauseMs: 2_000,
  longestPauseMs: 60_000,
  gatherMs: 50,
};

/** Runs at once. Each costs timers and reads, also while it waits. */
const mostRuns = 200;

interface Pause extends Trouble {
  readonly until: number;
  readonly ms: number;
  /** The last event when it failed: with a newer one it is tried at once. */
  readonly seq: number;
}

export class OpenRuns {
  readonly #app: Application;
  readonly #options: OpenRunsOptions;
  readonly #times: LookTimes;
  readonly #drives = new Map<RunId, Promise<void>>();
  readonly #pauses = new Map<RunId, Pause>();
  readonly #stopping = new AbortController();
  readonly #draining = new AbortController();
  readonly #wake = new Wake();
  #looking: Promise<void> = Promise.resolve();
  /** Whether it could look the last time. */
  #hasLooked = false;
  #redact: (text: string) => string = (text) => text;
  #listening: { close(): void } | null = null;

  constructor(app: Application, options: OpenRunsOptions) {
    this.#app = app;
    this.#options = options;
    this.#times = { ...usualTimes, ...options.times };
  }

  async start(): Promise<void> {
    const { secrets } = (await this.#app.read()).parts;
    this.#redact = (text) => secrets.redact(text);
    this.#listening = await this.#app.onChange(() => this.#wake.up());
    this.#looking = this.#lookOn();
  }

  /** What is open is found and driven. */
  get drives(): boolean {
    return this.#hasLooked && !this.#draining.signal.aborted;
  }

  /** Nothing new begins. Resolves when what runs has ended, or when `stop` is called meanwhile. */
  async drain(): Promise<void> {
    this.#draining.abort();
    this.#wake.up();
    await this.#looking;
    await Promise.all(this.#drives.values());
  }

  /** Stops the running attempts in order; their runs can be resumed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.drain();
    this.#listening?.close();
  }

  async #lookOn(): Promise<void> {
    for (let waitMs = 0; !this.#draining.signal.aborted; ) {
      this.#wake.reset();
      try {
        waitMs = await this.#look();
        this.#hasLooked = true;
      } catch (error) {
        this.#hasLooked = false;
        // A store that is full or locked for long: the service waits for better times.
        this.#options.log("service.not_looked", { why: errorText(error) });
        waitMs = this.#times.busyMs;
      }
      await this.#wake.wait(waitMs);
      if (!this.#draining.signal.aborted) await systemClock.sleep(this.#times.gatherMs, this.#draining.signal);
    }
  }

  /** Returns how long nothing can happen that no commit tells of. */
  async #look(): Promise<number> {
    const reading = await this.#app.read();
    const { store, dispatch, clock } = reading.parts;
    const nextGateMs = await this.#expireDueGates(reading);
    await this.#doDueChores(reading);
    const running = await store.listRuns({ statuses: ["running"], limit: 10_000 });
    this.#forgetPauses(running);
    const drivers = new Map((await dispatch.drivers()).map((driver) => [driver.run, driver]));
    let waiting = 0;
    for (const run of running.toSorted((a, b) => a.number - b.number)) {
      if (this.#drives.has(run.id)) continue;
      waiting += 1;
      const driver = drivers.get(run.id);
      const isElsewhere =
        driver !== undefined && lifeOfWorker(driver.worker) !== "dead" && !isPast(clock, driver.until);
      if (isElsewhere || this.#drives.size >= mostRuns || (await this.#isPaused(reading, run.id))) continue;
      if (!this.#draining.signal.aborted) this.#drive(run, driver !== undefined);
    }
    const restMs = waiting > 0 || this.#drives.size > 0 ? this.#times.busyMs : this.#times.idleMs;
    return Math.max(0, Math.min(restMs, nextGateMs));
  }

  #drive(run: RunSummary, takesOver: boolean): void {
    const ended = this.#driveOne(run, takesOver)
      .then(() => this.#clear(run.id))
      .catch((error: unknown) => this.#pause(run, error))
      .finally(() => {
        this.#drives.delete(run.id);
        this.#wake.up();
      });
    this.#drives.set(run.id, ended);
  }

  /** `takesOver`: from a driver that is not heard of, which has to be watched for a while first. */
  async #driveOne({ id, number, repo }: RunSummary, takesOver: boolean): Promise<void> {
    // Not yet mounted, perhaps: an attempt there would fail, and use up the limits of its step.
    if (repo !== null && !existsSync(repo)) {
      throw new AppError("REPOSITORY_UNUSABLE", `its repository ${repo} is not there`, {
        hint: `put it back, or end the run: \`pawl cancel ${number}\``,
      });
    }
    // Another process was faster: it drives the run, and this one looks again when that one is gone.
    const leaving = new AbortController();
    const draining = AbortSignal.any([this.#draining.signal, leaving.signal]);
    const onFollowing = (isFollowing: boolean) => {
      if (isFollowing && !takesOver) leaving.abort();
    };
    const onNote = (note: string) => {
      if (!leaving.signal.aborted) this.#options.log("service.note", { run: id, note });
    };
    const onDriving = () => this.#clear(id);
    const { concurrency } = this.#options;
    // Loaded late: a service that has nothing to drive needs a third less memory.
    const { driveIn } = await import("../application/driving/drive.ts");
    await this.#app.change(repo, async (session) => {
      const request = { signal: this.#stopping.signal, draining, onNote, onFollowing, onDriving, concurrency };
      await driveIn(this.#app, session, { run: id, number }, request);
    });
  }

  async #pause({ id, number }: RunSummary, error: unknown): Promise<void> {
    const { pauseMs, longestPauseMs } = this.#times;
    const ms = Math.min(longestPauseMs, (this.#pauses.get(id)?.ms ?? pauseMs / 2) * 2);
    const why = this.#redact(errorText(error));
    const hint = error instanceof AppError ? error.hint : `\`pawl resume ${number} --foreground\` shows more`;
    this.#options.log("service.run_paused", { run: id, why, ms });
    const seq = await this.#lastSeq(id).catch(() => 0);
    this.#pauses.set(id, { why, hint, ms, seq, until: systemClock.steady() + ms });
    this.#tell();
  }

  async #isPaused({ parts }: ReadSession, run: RunId): Promise<boolean> {
    const pause = this.#pauses.get(run);
    if (pause === undefined || parts.clock.steady() >= pause.until) return false;
    return (await parts.store.lastSeq(run)) <= pause.seq;
  }

  /** Without reading events: one that is damaged can be the reason for a pause. */
  async #lastSeq(run: RunId): Promise<number> {
    return await (await this.#app.read()).parts.store.lastSeq(run);
  }

  #clear(run: RunId): void {
    if (this.#pauses.delete(run)) this.#tell();
  }

  #forgetPauses(running: readonly RunSummary[]): void {
    const open = new Set(running.map(({ id }) => id));
    for (const run of this.#pauses.keys()) if (!open.has(run)) this.#clear(run);
  }

  #tell(): void {
    const told = [...this.#pauses].map(([run, { why, hint }]) => [run, { why, hint }] as const);
    this.#options.onTroubles(Object.fromEntries(told));
  }

  /** Of runs that no driver looks after. Returns how long it is until the next one. */
  async #expireDueGates({ parts: { store, clock } }: ReadSession): Promise<number> {
    let nextMs = Number.POSITIVE_INFINITY;
    const due = new Set<RunId>();
    for (const { run, gate } of await store.openGates(null)) {
      if (gate.deadline === null || this.#drives.has(run)) continue;
      const leftMs = gate.deadline.at - clock.now();
      if (leftMs > 0) nextMs = Math.min(nextMs, leftMs);
      else if ((await store.runById(run))?.status === "held") due.add(run);
    }
    for (const run of due) await this.#app.change(null, async ({ parts }) => await expireGates(parts, run));
    return nextMs;
  }

  /** Messages that a receiver did not take, runs that could not be closed, agents that claimed a step and never reported. */
  async #doDueChores({ parts: { store, dispatch, clock } }: ReadSession): Promise<void> {
    const expired = await dispatch.leases({ endedBefore: clock.now() });
    const isDue = expired.some((lease) => isPulled(lease) && isPast(clock, lease.until));
    if (isDue || (this.#drives.size === 0 && (await store.hasDueEffects(clock.now()))))
      await this.#app.change(null, async () => undefined);
  }
}
