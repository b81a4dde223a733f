// The push driver. Owns: the loop that moves runs: recover, perform effects, claim what is ready, wait for something to happen.
// A finished step starts the next at once; what another process made ready is noticed within a second.

import type { Lease } from "../../dispatch/dispatch.ts";
import type { Attempt } from "../../domain/attempt.ts";
import { hasStoryTrees } from "../../domain/definition.ts";
import { errorText } from "../../domain/error.ts";
import type { AttemptId, RunId, StoryId } from "../../domain/ids.ts";
import type { RunStatus } from "../../domain/run.ts";
import { isSettled } from "../../domain/story.ts";
import type { Projection } from "../../protocols/files/projection.ts";
import { claimOf, claimStep } from "../attempt/claim/claim.ts";
import { type Kept, nothingTold } from "../attempt/execute/kept-end.ts";
import { Performance } from "../attempt/execute/perform.ts";
import { Deliveries } from "../effects/deliveries.ts";
import { performEffects, settleEffects } from "../effects/effects.ts";
import type { Parts } from "../parts.ts";
import { prepareSlots } from "../trees/story-tree.ts";
import { expireGates } from "./deadlines.ts";
import { lowDiskWarning } from "./disk-space.ts";
import { type Recovered, recover, sweepStrays } from "./recover.ts";
import { isStoreTrouble } from "./store-trouble.ts";
import { Wake } from "./wake.ts";
import { ownWorker } from "./worker.ts";

export interface DriveOptions {
  readonly run: RunId;
  /** How many attempts this process performs at once. */
  readonly concurrency: number;
  /** Stop claiming, end what runs, and come back; the run can be resumed. */
  readonly signal: AbortSignal;
  /** Told what was found when somebody had died. */
  readonly onRecovered?: (recovered: Recovered) => void;
  /** Other times than the usual ones. */
  readonly times?: Partial<DriveTimes>;
}

export interface DriveTimes {
  /** How long an attempt is its driver's without a sign of life. */
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  /** How often others are looked after who may have died. */
  readonly recoverEveryMs: number;
  /** How long nothing is looked at when nothing seems to happen. */
  readonly restMs: number;
}

const usualTimes: DriveTimes = { leaseMs: 30_000, renewEveryMs: 5_000, recoverEveryMs: 2_000, restMs: 1_000 };

/** Whoever is told something at the end of a run has this long to take it; what remains is for the next process. */
const lastDeliveriesMs = 3_000;

/** Drives one run until it is over, waits for a person, is paused, or `signal` aborts. */
export async function driveRun(parts: Parts, options: DriveOptions): Promise<RunStatus> {
  const driver = new Driver(parts, options);
  try {
    return await driver.drive();
  } finally {
    await driver.close();
  }
}

class Driver {
  readonly #parts: Parts;
  readonly #options: DriveOptions;
  readonly #times: DriveTimes;
  readonly #running = new Map<AttemptId, Performance>();
  readonly #failedEffects = new Set<number>();
  readonly #wake: Wake;
  readonly #worker = ownWorker();
  readonly #listening: { close(): void }[];
  readonly #renewal: NodeJS.Timeout;
  readonly #aborted: () => void;
  readonly #deliveries: Deliveries;
  #isOver = false;
  #failure: unknown = null;
  #recoveredAt = 0;
  #projection: Projection | null = null;
  #lack: { readonly why: string | null; readonly seenAt: number } = { why: null, seenAt: 0 };
  #hasSlots = false;

  constructor(parts: Parts, options: DriveOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#times = { ...usualTimes, ...options.times };
    this.#wake = new Wake();
    const heard = () => {
      this.#projection?.changed();
      this.#wake.up();
    };
    this.#listening = [parts.store.watch(heard), parts.commits.listen(heard)];
    this.#renewal = setInterval(() => void this.#renew(), this.#times.renewEveryMs);
    this.#aborted = () => {
      for (const performance of this.#running.values()) performance.stop("the driver was interrupted");
      this.#wake.up();
    };
    options.signal.addEventListener("abort", this.#aborted);
    this.#deliveries = new Deliveries(parts);
  }

  async drive(): Promise<RunStatus> {
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
        this.#isOver = !this.#options.signal.aborted;
        return status;
      }
      await this.#wake.wait(this.#times.restMs);
    }
  }

  /** One turn of the loop; the run's status when there is nothing left to do here. */
  async #turn(): Promise<RunStatus | null> {
    try {
      await this.#recoverSometimes();
      const stop = (attempt: string, reason: string) => this.#stop(attempt as AttemptId, reason);
      const performed = await performEffects(this.#parts, stop, this.#failedEffects);
      if (performed > 0) this.#deliveries.look();
      const displaced = await this.#stopWhatShould();
      if (!this.#options.signal.aborted && !displaced) await this.#claimAll();
      const status = await this.#status();
      if (this.#running.size > 0 || (status === "running" && !this.#options.signal.aborted)) return null;
      await this.#projection?.flush();
      if (!this.#options.signal.aborted) await settleEffects(this.#parts, this.#options.run, this.#failedEffects);
      return status;
    } catch (error) {
      // Agents that run need not die because the disk is full for a moment; their results wait as well.
      if (!isStoreTrouble(error) || this.#running.size === 0) throw error;
      return null;
    }
  }

  async close(): Promise<void> {
    this.#options.signal.removeEventListener("abort", this.#aborted);
    for (const performance of this.#running.values()) performance.stop("the driver ends");
    await Promise.allSettled([...this.#running.values()].map((performance) => performance.ended));
    await this.#parts.trees.settled();
    clearInterval(this.#renewal);
    await this.#projection?.close();
    for (const listening of this.#listening) listening.close();
    await this.#deliveries.close(this.#isOver ? lastDeliveriesMs : 0);
  }

  /** Its files are brought up to date, and the trees of its stories are begun before anybody waits for them. */
  async #open(): Promise<void> {
    const run = await this.#parts.store.transaction((tx) => tx.load(this.#options.run, () => []));
    if (!run) return;
    const { header } = run.run;
    this.#parts.protocols.assertKnown(header.definition);
    this.#projection = this.#parts.projections.of(header);
    await this.#projection?.flush();
    const stories = header.definition.steps.find((step) => step.kind === "stories");
    this.#hasSlots = hasStoryTrees(header.definition);
    const open = header.stories.filter((entry) => !isSettled(entry)).length;
    if (!stories || !this.#hasSlots || header.end !== null || open === 0) return;
    // Whoever needs one that could not be made finds out, with a better word for it.
    void prepareSlots(this.#parts, run.run, Math.min(stories.concurrency, open)).catch(() => undefined);
  }

  async #claimAll(): Promise<void> {
    const holdsNew = this.#hasSlots && (await this.#lacksRoom());
    while (this.#running.size < this.#options.concurrency) {
      const { leaseMs } = this.#times;
      const { run } = this.#options;
      const wish = { run, agent: null, driver: "push", worker: this.#worker, leaseMs, holdsNew } as const;
      const claim = await claimStep(this.#parts, wish);
      if (!claim) return;
      this.#perform(new Performance(this.#parts, claim));
    }
  }

  #perform(performance: Performance): void {
    const { id } = performance.claim.attempt;
    this.#running.set(id, performance);
    performance.ended
      .catch((error: unknown) => {
        this.#failure = error;
      })
      .finally(() => {
        this.#running.delete(id);
        this.#wake.up();
      })
      .catch(() => undefined);
  }

  /** Said once each time it comes to that. */
  async #lacksRoom(): Promise<boolean> {
    const now = this.#parts.clock.now();
    if (now - this.#lack.seenAt < this.#times.recoverEveryMs) return this.#lack.why !== null;
    const why = await lowDiskWarning(this.#parts);
    if (why !== null && this.#lack.why === null) this.#parts.warn(why);
    this.#lack = { why, seenAt: now };
    return why !== null;
  }

  /** What ended while nobody was there is ours to report now. */
  async #adopt(lease: Lease, attempt: Attempt, { end, told = nothingTold, env }: Kept): Promise<boolean> {
    if (lease.run !== this.#options.run || attempt.state.phase !== "started") return false;
    const until = this.#parts.clock.now() + this.#times.leaseMs;
    if (!(await this.#parts.dispatch.takeOver(lease, this.#worker, until))) return false;
    const loaded = await this.#parts.store.transaction((tx) => tx.load(lease.run, () => storiesIn(lease)));
    const claim = loaded ? claimOf(loaded.run, loaded.number, lease, attempt.id) : null;
    if (!claim) return false;
    const { workspace, base } = attempt.state;
    this.#perform(new Performance(this.#parts, claim, { end, told, workspace: { path: workspace ?? "", base, env } }));
    return true;
  }

  /** A worker that cannot renew is no longer the owner: it ends its agent before somebody else starts another. */
  async #renew(): Promise<void> {
    const attempts = [...this.#running.keys()];
    if (attempts.length === 0) return;
    try {
      const until = this.#parts.clock.now() + this.#times.leaseMs;
      const held = new Set(await this.#parts.dispatch.renew(this.#worker, attempts, until));
      for (const attempt of attempts) if (!held.has(attempt)) this.#stop(attempt, "its lease was taken away");
    } catch (error) {
      this.#parts.log("lease.not_renewed", { why: errorText(error) });
    }
  }

  /**
   * An attempt may be told to stop between its begin and its start, by a process that then finds no agent to stop: whoever
   * performs it looks for itself. True while an agent still runs whose attempt was ended by somebody else: until it is gone,
   * nothing is started beside it.
   */
  async #stopWhatShould(): Promise<boolean> {
    let displaced = false;
    for (const [id, performance] of this.#running) {
      const state = (await this.#parts.store.attempt(id))?.attempt.state;
      if (state?.phase === "stopping") performance.stop(state.reason);
      if (state?.phase !== "ended" || !this.#running.has(id)) continue;
      performance.stop("somebody else has ended it");
      displaced = true;
    }
    return displaced;
  }

  #stop(attempt: AttemptId, reason: string): boolean {
    const performance = this.#running.get(attempt);
    performance?.stop(reason);
    return performance !== undefined;
  }

  async #recoverSometimes(): Promise<void> {
    const now = this.#parts.clock.now();
    if (now - this.#recoveredAt < this.#times.recoverEveryMs) return;
    this.#recoveredAt = now;
    const found = await recover(this.#parts, (...dead) => this.#adopt(...dead));
    for (const each of found) this.#options.onRecovered?.(each);
    await expireGates(this.#parts, this.#options.run);
  }

  async #status(): Promise<RunStatus> {
    return (await this.#parts.store.runById(this.#options.run))?.status ?? "cancelled";
  }
}

function storiesIn({ story }: Lease): readonly StoryId[] {
  return story === null ? [] : [story];
}
