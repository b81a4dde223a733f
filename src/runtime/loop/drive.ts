// The push driver: recovers what dead workers left, performs effects, claims ready steps, starts their attempts, and waits. A
// finished step starts the next one at once; what another process made ready is noticed within a second.

import type { DriverLease, Lease } from "../../dispatch/dispatch.ts";
import { hasStoryTrees } from "../../domain/definition.ts";
import { errorText } from "../../domain/error.ts";
import type { Event } from "../../domain/event.ts";
import type { RunId } from "../../domain/ids.ts";
import type { RunStatus } from "../../domain/run.ts";
import { isSettled } from "../../domain/story.ts";
import type { Projection } from "../../protocols/files/projection.ts";
import { deadlineIn } from "../../system/clock.ts";
import { RunningAttempt } from "../attempt/attempt.ts";
import { type Claim, type ClaimRequest, claimStep, hasWork, type MayTake } from "../attempt/claim/claim.ts";
import { adoptAttempt } from "../attempt/execute/adopt.ts";
import type { SavedEnd } from "../attempt/records.ts";
import { Deliveries } from "../effects/deliveries.ts";
import { performEffects, settleEffects } from "../effects/effects.ts";
import { placementOf } from "../machines/placement.ts";
import { receiveLogs } from "../machines/received-logs.ts";
import type { Committed, Parts } from "../parts.ts";
import { isStoreTrouble } from "../store-trouble.ts";
import { sweepStrays } from "../strays.ts";
import { DiskWatch } from "../trees/disk-space.ts";
import { keepBase } from "../trees/hand-over.ts";
import { prepareSlots } from "../trees/story-tree.ts";
import { Wake } from "../wake.ts";
import { newDriverName } from "../worker.ts";
import { expireGates } from "./deadlines.ts";
import { DriverRole, Patience } from "./driver-role.ts";
import { type Recovered, recover } from "./recover.ts";
import { RunningAttempts } from "./running.ts";

export interface DriveOptions {
  readonly run: RunId;
  /** How many attempts this process performs at once. */
  readonly concurrency: number;
  /** Aborted: claim nothing more, stop what runs, and return. The run can be resumed. */
  readonly signal: AbortSignal;
  /** Aborted: claim nothing more, and return when what runs has ended. */
  readonly draining?: AbortSignal | undefined;
  /** Called when another process drives the run: this one follows it, and takes over when it is gone. */
  readonly onFollow?: (driver: DriverLease) => void;
  /** Called when this process begins to drive. */
  readonly onDrive?: () => Promise<void>;
  /** Called for each attempt that a dead worker left. */
  readonly onRecovered?: (recovered: Recovered) => void;
  /** Other times than the usual ones. */
  readonly times?: Partial<DriveTimes>;
}

export interface DriveTimes {
  /** How long a worker keeps an attempt without a sign of life. */
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  /** How often the driver looks for dead workers, overdue gates and disk space. */
  readonly recoverEveryMs: number;
  /** How long the driver waits at most when nothing happens. */
  readonly restMs: number;
}

const usualTimes: DriveTimes = { leaseMs: 30_000, renewEveryMs: 5_000, recoverEveryMs: 2_000, restMs: 1_000 };

/** After these of its own, the driver has nothing to look at. */
const uneventful: ReadonlySet<Event["type"]> = new Set(["attempt_dispatched", "attempt_began", "notes_delivered"]);

/** How long receivers get to accept the last messages of a run; the rest is for the next process. */
const lastDeliveriesMs = 3_000;

/** Drives one run until it is over, waits for a person, is paused, or `signal` aborts. Where another process drives it, follows that one. */
export async function driveRun(parts: Parts, options: DriveOptions): Promise<RunStatus> {
  const times = { ...usualTimes, ...options.times };
  const worker = newDriverName();
  const patience = new Patience(parts.clock, 2 * times.renewEveryMs);
  const role = new DriverRole(parts, { run: options.run, worker, leaseMs: times.leaseMs, patience });
  const attendance = await parts.dispatch.attend();
  try {
    for (;;) {
      const followed = await follow(parts, options, role, times);
      if (followed !== null) return followed;
      await options.onDrive?.();
      const driven = await driveAs(new Driver(parts, options, { worker, role, patience, times }), options.signal);
      if (driven === "displaced" || (await movesAgain(parts, options, driven))) continue;
      return driven;
    }
  } finally {
    attendance.close();
    await role.leave();
  }
}

/** Waits while another process drives the run; null: this one drives now. */
async function follow(
  parts: Parts,
  { run, signal, draining, onFollow }: DriveOptions,
  role: DriverRole,
  { restMs }: DriveTimes,
): Promise<RunStatus | null> {
  for (let driver = await role.take(), told = ""; !role.isHeld; driver = await role.take()) {
    if (driver.worker !== told) onFollow?.(driver);
    told = driver.worker;
    const status = await statusOf(parts, run);
    if (signal.aborted || draining?.aborted === true || status !== "running") return status;
    await parts.clock.sleep(restMs, signal);
  }
  return null;
}

async function statusOf({ store }: Pick<Parts, "store">, run: RunId): Promise<RunStatus> {
  return (await store.runById(run))?.status ?? "cancelled";
}

/** A person may have answered after the driver had seen that the run is held, and before it gave up its role. */
async function movesAgain(parts: Parts, { run, signal, draining }: DriveOptions, ended: RunStatus): Promise<boolean> {
  return (
    !signal.aborted && draining?.aborted !== true && ended !== "running" && (await statusOf(parts, run)) === "running"
  );
}

async function driveAs(driver: Driver, signal: AbortSignal): Promise<RunStatus | "displaced"> {
  try {
    const ended = await driver.drive();
    // Its last messages take a while: what makes the run move meanwhile must not count on this driver.
    if (!signal.aborted) await driver.giveUpRole();
    return ended;
  } finally {
    await driver.close();
  }
}

/** What makes this process the driver. */
interface Driving {
  readonly worker: string;
  readonly role: DriverRole;
  readonly patience: Patience;
  readonly times: DriveTimes;
}

class Driver {
  /** The driver hands all of them to the attempts that it starts. */
  readonly #parts: Parts;
  readonly #options: DriveOptions;
  readonly #times: DriveTimes;
  readonly #running: RunningAttempts;
  readonly #failedEffects = new Set<number>();
  readonly #wake = new Wake();
  readonly #worker: string;
  readonly #role: DriverRole;
  readonly #patience: Patience;
  readonly #renewal: NodeJS.Timeout;
  readonly #listening: { close(): void }[];
  readonly #aborted: () => void;
  readonly #wakeUp = () => this.#wake.up();
  readonly #deliveries: Deliveries;
  readonly #disk: DiskWatch;
  readonly #mayPerform: MayTake;
  #isOver = false;
  #failure: unknown = null;
  #recoveredAt: number | null = null;
  #renewedAt: number;
  #renewing: Promise<void> | null = null;
  #projection: Projection | null = null;
  #hasStoryTrees = false;
  #holdsNew = false;

  constructor(parts: Parts, options: DriveOptions, { worker, role, patience, times }: Driving) {
    this.#parts = parts;
    this.#options = options;
    this.#worker = worker;
    this.#role = role;
    this.#patience = patience;
    this.#times = times;
    const { leaseMs, renewEveryMs, recoverEveryMs } = times;
    this.#renewedAt = parts.clock.steady();
    this.#renewal = setInterval(() => void this.#renew(), renewEveryMs);
    this.#running = new RunningAttempts(parts, {
      worker,
      leaseMs,
      onEnded: (next, failure) => {
        this.#failure ??= failure;
        if (next !== null) this.#start(next);
        this.#wake.up();
      },
    });
    const onCommit = () => {
      this.#projection?.changed();
      this.#wake.up();
    };
    const onOwnCommit = ({ events }: Committed) => {
      if (events.every(({ type }) => uneventful.has(type))) this.#projection?.changed();
      else onCommit();
    };
    this.#listening = [parts.store.watch(onCommit), parts.commits.listen(onOwnCommit)];
    this.#aborted = () => {
      this.#running.leaveAll("the driver was interrupted");
      this.#wake.up();
    };
    options.signal.addEventListener("abort", this.#aborted);
    options.draining?.addEventListener("abort", this.#wakeUp);
    this.#deliveries = new Deliveries(parts);
    this.#disk = new DiskWatch(parts, recoverEveryMs);
    this.#mayPerform = placementOf(parts);
  }

  /** `displaced`: another process drives the run by now, and nothing runs here any more. */
  async drive(): Promise<RunStatus | "displaced"> {
    for (const target of this.#parts.targets) {
      const missing = target.missing();
      if (missing) this.#parts.warn(`${missing.what}; its messages wait`);
    }
    await sweepStrays(this.#parts);
    await this.#recoverSometimes();
    await this.#open();
    for (;;) {
      this.#wake.reset();
      if (this.#failure !== null) throw this.#failure;
      const status = await this.#turn();
      if (status !== null) {
        this.#isOver = !this.#isLeaving;
        return status;
      }
      await this.#wake.wait(this.#times.restMs);
    }
  }

  /** One turn of the loop; the run's status when there is nothing left to do here. */
  async #turn(): Promise<RunStatus | "displaced" | null> {
    try {
      // After the machine has slept, or this process was stopped: first keep what is ours.
      if (this.#parts.clock.steady() - this.#renewedAt > 2 * this.#times.renewEveryMs) await this.#renew();
      if (!this.#role.isHeld && this.#running.size === 0) return "displaced";
      await this.#recoverSometimes();
      await receiveLogs(this.#parts, this.#options.run);
      const performed = await performEffects(this.#parts, this.#running, this.#failedEffects);
      if (performed > 0) this.#deliveries.look();
      const displaced = await this.#running.stopWhatShould();
      if (this.#isLeaving) this.#running.leaveAwaited("the driver leaves");
      if (!this.#isLeaving && !displaced && this.#role.isHeld) await this.#claimAll();
      const status = await statusOf(this.#parts, this.#options.run);
      if (this.#running.size > 0 || (status === "running" && !this.#isLeaving)) return null;
      // What its last agents printed has come before their results.
      await receiveLogs(this.#parts, this.#options.run);
      await this.#projection?.flush();
      if (!this.#options.signal.aborted) await settleEffects(this.#parts, this.#options.run, this.#failedEffects);
      return status;
    } catch (error) {
      // Agents that run need not die because the disk is full for a moment; their results wait as well.
      if (!isStoreTrouble(error) || this.#running.size === 0) throw error;
      return null;
    }
  }

  /** Nothing new begins here. */
  get #isLeaving(): boolean {
    return this.#options.signal.aborted || this.#options.draining?.aborted === true;
  }

  async giveUpRole(): Promise<void> {
    clearInterval(this.#renewal);
    await this.#renewing;
    await this.#role.leave();
  }

  async close(): Promise<void> {
    this.#options.signal.removeEventListener("abort", this.#aborted);
    this.#options.draining?.removeEventListener("abort", this.#wakeUp);
    await this.#running.close();
    clearInterval(this.#renewal);
    await this.#renewing;
    await this.#parts.trees.settled();
    await this.#projection?.close();
    for (const listening of this.#listening) listening.close();
    await this.#deliveries.close(this.#isOver ? lastDeliveriesMs : 0);
  }

  /** Brings the run's files up to date, and begins to make the trees of its stories before they are needed. */
  async #open(): Promise<void> {
    const loaded = await this.#parts.store.transaction((tx) => tx.load(this.#options.run, () => []));
    if (!loaded) return;
    const { header } = loaded.run;
    this.#parts.protocols.assertKnown(header.definition);
    await keepBase(this.#parts, loaded.run);
    this.#projection = this.#parts.projections.of(header);
    await this.#projection?.flush();
    const stories = header.definition.steps.find((step) => step.kind === "stories");
    this.#hasStoryTrees = hasStoryTrees(header.definition);
    const open = header.stories.filter((entry) => !isSettled(entry)).length;
    if (!stories || !this.#hasStoryTrees || header.end !== null || open === 0) return;
    // The attempt that needs a tree which could not be made fails with a better message.
    void prepareSlots(this.#parts, loaded.run, Math.min(stories.concurrency, open)).catch(() => undefined);
  }

  async #claimAll(): Promise<void> {
    this.#holdsNew = this.#hasStoryTrees && (await this.#disk.isLow());
    // Most looks find nothing, and a transaction would keep other writers waiting for it.
    while (this.#running.size < this.#options.concurrency && (await hasWork(this.#parts, this.#request))) {
      const claim = await claimStep(this.#parts, this.#request);
      if (!claim) return;
      this.#start(claim);
    }
  }

  get #request(): ClaimRequest {
    const { leaseMs } = this.#times;
    return {
      run: this.#options.run,
      agent: null,
      driver: "push",
      worker: this.#worker,
      leaseMs,
      holdsNew: this.#holdsNew,
      mayTake: this.#mayPerform,
    };
  }

  #start(claim: Claim): void {
    const attempt = RunningAttempt.start(this.#parts, claim, () => this.#wantsNext());
    this.#running.add(attempt);
    // It was claimed while the driver was told to go.
    if (this.#options.signal.aborted) attempt.leave("the driver was interrupted");
  }

  /** Beside others, the loop looks first whether one of them should stop. */
  #wantsNext(): ClaimRequest | null {
    const isAlone = this.#running.size === 1;
    return isAlone && this.#role.isHeld && !this.#isLeaving ? this.#request : null;
  }

  /** Takes over an attempt whose driver has died: the result of an execution that had ended, or the wait for another program. */
  async #adopt(lease: Lease, saved: SavedEnd | null): Promise<boolean> {
    if (lease.run !== this.#options.run) return false;
    const until = deadlineIn(this.#parts.clock, this.#times.leaseMs);
    const adopted = await adoptAttempt(this.#parts, lease, saved, { worker: this.#worker, until });
    if (adopted !== null) this.#running.add(adopted);
    return adopted !== null;
  }

  async #recoverSometimes(): Promise<void> {
    const now = this.#parts.clock.steady();
    if (this.#recoveredAt !== null && now - this.#recoveredAt < this.#times.recoverEveryMs) return;
    this.#recoveredAt = now;
    const found = await recover(this.#parts, {
      adopt: (lease, saved) => this.#adopt(lease, saved),
      mayTake: (lease) => this.#mayTake(lease),
    });
    for (const each of found) this.#options.onRecovered?.(each);
    await expireGates(this.#parts, this.#options.run);
  }

  /** Never its own attempts: a driver that was frozen for longer than its lease renews them. */
  #mayTake(lease: Lease): boolean {
    const { run } = this.#options;
    return lease.run === run && lease.worker !== this.#worker && this.#patience.isOver(lease.attempt, lease);
  }

  /** One renewal at a time: a slow store does not pile them up. */
  async #renew(): Promise<void> {
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = null;
    });
    await this.#renewing;
  }

  async #renewOnce(): Promise<void> {
    await this.#running.renew();
    try {
      if (this.#role.isHeld) await this.#role.take();
      this.#renewedAt = this.#parts.clock.steady();
    } catch (error) {
      this.#parts.log("driver.not_renewed", { run: this.#options.run, why: errorText(error) });
    }
  }
}
