// A worker: performs attempts of any run of a store, in so many slots. Where the store is its home's, it also drives the runs that nothing
// else drives, so that workers alone finish a run; what it drives claims nothing for itself. In another home it is a guest, and only performs.

import type { Application, Session } from "../application/application.ts";
import { limitedBySlots, onlyInstalled, onlyThese } from "../application/driving/allowed-executors.ts";
import { AppError, errorText } from "../domain/error.ts";
import type { RunId } from "../domain/ids.ts";
import type { Run } from "../domain/run.ts";
import { RunningAttempt } from "../runtime/attempt/attempt.ts";
import { claimStep } from "../runtime/attempt/claim/claim.ts";
import { agentsFor } from "../runtime/config/config.ts";
import { performEffects } from "../runtime/effects/effects.ts";
import { RunningAttempts } from "../runtime/loop/running.ts";
import { Guest } from "../runtime/machines/guest.ts";
import { placementOf } from "../runtime/machines/placement.ts";
import type { Log, Parts } from "../runtime/parts.ts";
import { sweepStrays } from "../runtime/strays.ts";
import { lowDiskWarning } from "../runtime/trees/disk-space.ts";
import { Wake } from "../runtime/wake.ts";
import { machineOf, newDriverName } from "../runtime/worker.ts";
import type { RunSummary, StoredEffect } from "../store/store.ts";
import { packageVersion } from "../system/package-root.ts";
import { OpenRuns } from "./open-runs.ts";

export interface WorkerOptions {
  readonly app: Application;
  /** How many attempts it performs at once. */
  readonly slots: number;
  /** It ends when no step is ready any more. */
  readonly untilIdle?: boolean | undefined;
  readonly log: Log;
  readonly times?: Partial<WorkerTimes>;
}

export interface WorkerTimes {
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  /** How long it waits at most when nothing happens. What other processes commit is noticed at once. */
  readonly restMs: number;
  /** The first pause of a run whose step could not be claimed, because of its repository or its configuration; it grows. */
  readonly pauseMs: number;
}

const usualTimes: WorkerTimes = { leaseMs: 30_000, renewEveryMs: 5_000, restMs: 1_000, pauseMs: 2_000 };
const longestPauseMs = 60_000;
/** Removing takes its time, too: after a minute nothing is left. */
const tidyEveryMs = 30_000;
/** Of all runs; a slot takes one. */
const offersSeen = 500;

export class Worker {
  readonly name: string;
  /** Resolves when it has ended, and nothing of it is left. Rejects where it ended because it may not use the store any more. */
  readonly ended: Promise<void>;
  readonly #options: WorkerOptions;
  readonly #times: WorkerTimes;
  readonly #parts: Parts;
  /** null: a guest drives nothing. */
  readonly #runs: OpenRuns | null;
  readonly #guest: Guest | null;
  #toldAt: number | null = null;
  #tidiedAt: number | null = null;
  #hasLowDisk = false;
  readonly #running: RunningAttempts;
  readonly #slots = new Map<Promise<void>, RunId>();
  readonly #pauses = new Map<RunId, { readonly until: number; readonly ms: number }>();
  readonly #failedEffects = new Set<number>();
  #looking: Promise<void> | null = null;
  /** Something happened since it began to look. */
  #looksAgain = false;
  readonly #wake = new Wake();
  readonly #closing: (() => void)[] = [];
  #isDraining = false;
  #isStopped = false;
  /** A newer Pawl has migrated the store: nothing that this process does would be kept. */
  #refusal: AppError | null = null;

  static async start(options: WorkerOptions): Promise<Worker> {
    const { parts, config } = await options.app.open();
    // A server that goes away now ends this process. What has begun before would keep it alive, with a store that is closed.
    const attendance = await parts.dispatch.attend();
    const isGuest = parts.machines?.isGuest === true;
    const runs = isGuest
      ? null
      : new OpenRuns(options.app, { log: options.log, concurrency: 0, onTroubles: () => undefined });
    const worker = new Worker(options, parts, runs, isGuest ? new Guest(parts, config.worker.repositories) : null);
    const listening = await options.app.onChange(() => worker.#wake.up());
    const renewal = setInterval(() => void worker.#running.renew(), worker.#times.renewEveryMs);
    worker.#closing.push(
      () => attendance.close(),
      () => listening.close(),
      () => clearInterval(renewal),
    );
    await runs?.start();
    return worker;
  }

  private constructor(options: WorkerOptions, parts: Parts, runs: OpenRuns | null, guest: Guest | null) {
    this.name = newDriverName(machineOf(parts));
    this.#guest = guest;
    this.#options = options;
    this.#times = { ...usualTimes, ...options.times };
    this.#parts = parts;
    this.#runs = runs;
    this.#running = new RunningAttempts(parts, {
      worker: this.name,
      leaseMs: this.#times.leaseMs,
      onEnded: () => this.#wake.up(),
    });
    this.ended = this.#work();
  }

  /** Nothing new begins; it ends when what runs has ended. */
  drain(): void {
    this.#isDraining = true;
    this.#wake.up();
  }

  /** Stops its attempts in order; another worker begins their steps again. */
  stop(): void {
    this.#isStopped = true;
    this.#running.leaveAll("the worker was stopped");
    this.drain();
  }

  async #work(): Promise<void> {
    // Its start is not over yet.
    await Promise.resolve();
    if (this.#guest !== null) await sweepStrays(this.#parts).catch(() => 0);
    while (!this.#isDraining || this.#slots.size > 0 || this.#looking !== null) {
      this.#wake.reset();
      try {
        await this.#tellAlive();
        await this.#performEffects();
        await this.#running.stopWhatShould();
        if (!this.#isDraining) this.#look();
        await this.#tidy(tidyEveryMs);
      } catch (error) {
        this.#failed(error);
      }
      await this.#wake.wait(this.#times.restMs);
    }
    await (this.#isStopped ? this.#runs?.stop() : this.#runs?.drain());
    await this.#running.close();
    if (!this.#isStopped) await this.#tidy(0);
    await this.#parts.machines?.leave(this.name).catch(() => undefined);
    for (const close of this.#closing) close();
    if (this.#refusal !== null) throw this.#refusal;
  }

  /** Looks for steps, beside everything else: a repository may take an hour to be cloned, or never answer. */
  #look(): void {
    if (this.#looking !== null) {
      this.#looksAgain = true;
      return;
    }
    this.#looksAgain = false;
    this.#looking = this.#fill()
      .then(async () => {
        const isOver = this.#options.untilIdle === true && this.#slots.size === 0 && (await this.#isIdle());
        if (isOver) this.#isDraining = true;
      })
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#looking = null;
        if (this.#looksAgain || this.#isDraining) this.#wake.up();
      });
  }

  /** A server that restarts, a full disk: agents that run need not die of it. */
  #failed(error: unknown): void {
    this.#endIfRefused(error);
    this.#options.log("worker.not_looked", { why: errorText(error) });
  }

  #endIfRefused(error: unknown): void {
    if (!(error instanceof AppError) || error.code !== "STORE_NEWER" || this.#refusal !== null) return;
    this.#refusal = error;
    this.stop();
  }

  /** This machine lives, and is of the version of the host: two versions would change runs by two sets of rules. */
  async #tellAlive(): Promise<void> {
    const { machines, clock, labels } = this.#parts;
    if (machines === null) return;
    const now = clock.steady();
    if (this.#toldAt !== null && now - this.#toldAt < this.#times.renewEveryMs) return;
    this.#toldAt = now;
    await machines.tellAlive(this.name, labels);
    const host = (await machines.live()).find(({ isHost }) => isHost);
    if (this.#guest !== null && host !== undefined && host.version !== packageVersion() && !this.#isDraining) {
      const why = `the host has Pawl ${host.version} and this is ${packageVersion()}: it takes nothing more; install the same version, and start it again`;
      this.#options.log("worker.outdated", { own: packageVersion(), host: host.version, why });
      this.drain();
    }
  }

  /** A guest tells its own agents what people say; everything else is for the machine that has the repositories. */
  async #performEffects(): Promise<void> {
    const takes = (effect: StoredEffect["effect"]) => this.#guest === null || effect.type === "tell_attempt";
    const performs = async (run: RunId) => this.#performs(run);
    await performEffects(this.#parts, this.#running, this.#failedEffects, performs, takes);
  }

  /** A guest removes what it has of runs that are over, if it did so longer ago. */
  async #tidy(longerAgoMs: number): Promise<void> {
    const now = this.#parts.clock.steady();
    if (this.#guest === null || (this.#tidiedAt !== null && now - this.#tidiedAt < longerAgoMs)) return;
    this.#tidiedAt = now;
    await this.#guest
      .tidy((run) => this.#performs(run))
      .catch((error: unknown) => this.#options.log("guest.not_tidied", { why: errorText(error) }));
  }

  /** No step of a run that moves is ready, now or later. */
  async #isIdle(): Promise<boolean> {
    const { store, dispatch } = this.#parts;
    const all = { run: null, agent: null, now: Number.MAX_SAFE_INTEGER, limit: 1 };
    return (await dispatch.offers(store, all)).length === 0;
  }

  #performs(run: RunId): boolean {
    return [...this.#slots.values()].includes(run);
  }

  async #fill(): Promise<void> {
    for (const run of await this.#waitingRuns()) {
      if (this.#slots.size >= this.#options.slots || this.#isDraining) return;
      await this.#take(run);
    }
  }

  /** Runs with a step that can be claimed: the one with the fewest attempts first, then the oldest. */
  async #waitingRuns(): Promise<readonly RunId[]> {
    if (this.#slots.size >= this.#options.slots) return [];
    const { store, dispatch, clock } = this.#parts;
    const offers = await dispatch.offers(store, { run: null, agent: null, now: clock.now(), limit: offersSeen });
    if (offers.length === 0) return [];
    const working = new Map<RunId, number>();
    for (const { run } of await dispatch.leases({ endedBefore: null })) working.set(run, (working.get(run) ?? 0) + 1);
    const waiting = [...new Set(offers.map(({ run }) => run))].filter((run) => !this.#isPaused(run));
    return waiting.toSorted((a, b) => (working.get(a) ?? 0) - (working.get(b) ?? 0));
  }

  #isPaused(run: RunId): boolean {
    return (this.#pauses.get(run)?.until ?? 0) > this.#parts.clock.steady();
  }

  /** Resolves when a step of the run has been claimed, or none could be. */
  async #take(run: RunId): Promise<void> {
    const summary = await this.#parts.store.runById(run);
    if (summary === null || this.#guest?.takesFrom(summary.repo) === false) return;
    const claimed = Promise.withResolvers<void>();
    let hasClaimed = false;
    const onClaimed = () => {
      hasClaimed = true;
      claimed.resolve();
    };
    const slot = this.#perform(summary, onClaimed)
      .then(() => void this.#pauses.delete(run))
      .catch((error: unknown) => this.#pause(summary, error))
      .finally(() => {
        claimed.resolve();
        this.#slots.delete(slot);
        // Where nothing could be claimed, the next look would find the same: it waits for a commit.
        if (hasClaimed) this.#wake.up();
      });
    this.#slots.set(slot, run);
    await claimed.promise;
  }

  async #perform({ id, repo }: RunSummary, onClaimed: () => void): Promise<void> {
    const { leaseMs } = this.#times;
    const guest = this.#guest;
    const { folder, commit } = guest === null ? { folder: repo, commit: null } : await guest.ready(id);
    const work = async ({ parts: given, config }: Session) => {
      const allowed = limitedBySlots(onlyThese(given.executors, config.worker.executors), config);
      const executors = guest === null ? allowed : onlyInstalled(allowed);
      const parts: Parts = { ...given, site: guest, executors };
      if (!(await this.#mayTakeMore(parts, id, config))) return;
      const takes = (claimed: Run) => guest === null || guest.takes(claimed);
      const claim = await claimStep(parts, {
        run: id,
        agent: null,
        driver: "push",
        worker: this.name,
        leaseMs,
        mayTake: placementOf(parts, takes),
        holdsNew: await this.#isDiskLow(parts),
      });
      if (claim === null) return;
      onClaimed();
      const attempt = RunningAttempt.start(parts, claim, () => null);
      this.#running.add(attempt);
      if (this.#isStopped) attempt.leave("the worker was stopped");
      await attempt.ended;
    };
    await this.#options.app.change(folder, work, commit);
  }

  /** Who drives a run says it of the disk of the host. */
  async #isDiskLow(parts: Parts): Promise<boolean> {
    const warning = await lowDiskWarning(parts);
    if (warning !== null && this.#guest !== null && !this.#hasLowDisk) parts.warn(warning);
    this.#hasLowDisk = warning !== null;
    return this.#hasLowDisk;
  }

  /** As many attempts of a run at once as its configuration says, by all workers together. */
  async #mayTakeMore(parts: Parts, run: RunId, config: Parameters<typeof agentsFor>[0]): Promise<boolean> {
    const loaded = await parts.store.transaction((tx) => tx.load(run, () => []));
    if (loaded === null) return false;
    const working = (await parts.dispatch.leases({ endedBefore: null })).filter((lease) => lease.run === run).length;
    return working < agentsFor(config, loaded.run.header.definition);
  }

  #pause({ id, number }: RunSummary, error: unknown): void {
    this.#endIfRefused(error);
    const ms = Math.min(longestPauseMs, (this.#pauses.get(id)?.ms ?? this.#times.pauseMs / 2) * 2);
    this.#pauses.set(id, { until: this.#parts.clock.steady() + ms, ms });
    const hint = error instanceof AppError ? ` (${error.hint})` : "";
    this.#options.log("worker.run_paused", { run: id, number, why: `${errorText(error)}${hint}`, ms });
  }
}
