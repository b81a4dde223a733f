// Deliveries. Owns: messages from the outbox to their targets: each until it has arrived, in order for each target and run.
// Apart from the driver's loop: a receiver that hangs keeps nobody but itself waiting.

import { errorText } from "../../domain/error.ts";
import type { Delivery, Notice, Target } from "../../notify/target.ts";
import type { RunSummary, StoredDelivery } from "../../store/store.ts";
import { Wake } from "../loop/wake.ts";
import type { Parts } from "../parts.ts";

export interface DeliveryTimes {
  /** How long nothing is looked at when nothing seems to happen. */
  readonly restMs: number;
  /** After the first failure; twice as long after each that follows. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** A message that is older is given up when it fails again. */
  readonly giveUpAfterMs: number;
}

const usualTimes: DeliveryTimes = {
  restMs: 1_000,
  firstRetryMs: 1_000,
  longestRetryMs: 10 * 60_000,
  giveUpAfterMs: 3 * 24 * 60 * 60_000,
};

/** Nothing is given up before, however old it is: nobody may have tried for days. */
const fewestTries = 5;
/** At once to one target, for different runs. */
const atOnce = 4;
const batch = 20;
/** How long others keep off beyond the time that a delivery may take. */
const slackMs = 5_000;
const longestTask = 1_000;
const longestText = 4_000;

/** What is due now, in at most this time; what remains is for the next process that drives. */
export async function deliverDue(parts: Parts, withinMs: number): Promise<void> {
  await new Deliveries(parts).close(withinMs);
}

export class Deliveries {
  readonly #parts: Parts;
  readonly #times: DeliveryTimes;
  readonly #targets: ReadonlyMap<string, Target>;
  /** Targets that this process cannot reach: another may have what it lacks. */
  readonly #unable: readonly string[];
  /** Target by the number of the effect. */
  readonly #underWay = new Map<number, string>();
  readonly #wake = new Wake();
  readonly #stop = new AbortController();
  readonly #working: Promise<void>;
  #isClosing = false;

  constructor(parts: Parts, times: Partial<DeliveryTimes> = {}) {
    this.#parts = parts;
    this.#times = { ...usualTimes, ...times };
    this.#targets = new Map(parts.targets.map((target) => [target.name, target]));
    const unable = parts.targets.flatMap(({ name, missing }) => ({ name, why: missing()?.what ?? null }));
    for (const { name, why } of unable) if (why !== null) parts.log("message.waits", { target: name, why });
    this.#unable = unable.filter(({ why }) => why !== null).map(({ name }) => name);
    this.#working = this.#work();
  }

  /** Something may be due. */
  look(): void {
    this.#wake.up();
  }

  /** Delivers what is due in at most this time; what is under way then is stopped and stays in the outbox. */
  async close(withinMs: number): Promise<void> {
    this.#isClosing = true;
    const stop = () => {
      this.#stop.abort(new Error("Pawl ended before there was an answer"));
      this.#wake.up();
    };
    this.#wake.up();
    if (withinMs <= 0) stop();
    const timer = setTimeout(stop, withinMs);
    await this.#working;
    clearTimeout(timer);
  }

  async #work(): Promise<void> {
    for (;;) {
      this.#wake.reset();
      const begun = this.#stop.signal.aborted ? 0 : await this.#begin();
      if (begun > 0) continue;
      if (this.#isClosing && this.#underWay.size === 0) return;
      await this.#wake.wait(this.#times.restMs);
    }
  }

  /** How many were begun. They are not waited for. */
  async #begin(): Promise<number> {
    let begun = 0;
    try {
      const except = [...this.#unable, ...[...this.#targets.keys()].filter((name) => this.#isBusy(name))];
      for (const due of await this.#parts.store.dueDeliveries(this.#parts.clock.now(), batch, except)) {
        if (this.#stop.signal.aborted) break;
        if (this.#isBusy(due.effect.target)) continue;
        const target = this.#targets.get(due.effect.target);
        if (!target) await this.#drop(due, "there is no such target in the configuration any more");
        else if (await this.#take(due, target)) this.#deliver({ ...due, tries: due.tries + 1 }, target);
        else continue;
        begun += 1;
      }
    } catch (error) {
      // A full disk, a lock: what was not recorded is delivered again, nothing is lost.
      this.#parts.log("message.store_failed", { why: errorText(error) });
      return 0;
    }
    return begun;
  }

  #isBusy(target: string): boolean {
    return [...this.#underWay.values()].filter((name) => name === target).length >= atOnce;
  }

  async #take(due: StoredDelivery, { timeoutMs }: Target): Promise<boolean> {
    return await this.#parts.store.takeEffect(due, this.#parts.clock.now() + timeoutMs + slackMs);
  }

  #deliver(taken: StoredDelivery, target: Target): void {
    this.#underWay.set(taken.id, target.name);
    this.#tryOnce(taken, target)
      .then((delivery) => this.#settle(taken, delivery))
      .catch((error: unknown) => this.#parts.log("message.store_failed", { why: errorText(error) }))
      .finally(() => {
        this.#underWay.delete(taken.id);
        this.#wake.up();
      })
      .catch(() => undefined);
  }

  async #tryOnce({ effect }: StoredDelivery, target: Target): Promise<Delivery> {
    const run = await this.#parts.store.runById(effect.run);
    if (!run) return { outcome: "dropped", why: "its run is not there any more" };
    const limit = new AbortController();
    const seconds = Math.round(target.timeoutMs / 1000);
    const timer = setTimeout(() => limit.abort(new Error(`no answer within ${seconds} s`)), target.timeoutMs);
    try {
      const signal = AbortSignal.any([limit.signal, this.#stop.signal]);
      return await target.deliver(noticeOf(effect, run), { at: this.#parts.clock.now(), signal });
    } catch (error) {
      return { outcome: "failed", why: errorText(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  async #settle(taken: StoredDelivery, delivery: Delivery): Promise<void> {
    if (delivery.outcome === "dropped") return await this.#drop(taken, delivery.why);
    if (delivery.outcome === "delivered") {
      this.#parts.log("message.delivered", { ...idsOf(taken), tries: taken.tries });
      return await this.#parts.store.effectDone(taken.id);
    }
    const now = this.#parts.clock.now();
    const isOld = now - taken.effect.message.at > this.#times.giveUpAfterMs;
    // What we ended ourselves has not failed.
    if (isOld && taken.tries >= fewestTries && !this.#stop.signal.aborted)
      return await this.#drop(taken, `given up: ${delivery.why}`);
    this.#parts.log("message.failed", { ...idsOf(taken), tries: taken.tries, why: delivery.why });
    await this.#parts.store.postponeEffect(taken, now + retryAfterMs(taken.tries, this.#times));
  }

  async #drop(due: StoredDelivery, why: string): Promise<void> {
    this.#parts.log("message.dropped", { ...idsOf(due), tries: due.tries, why });
    await this.#parts.store.effectDone(due.id);
  }
}

/** Twice as long each time; a quarter more or less, so that those who failed together do not come back together. */
export function retryAfterMs(
  tries: number,
  { firstRetryMs, longestRetryMs }: Pick<DeliveryTimes, "firstRetryMs" | "longestRetryMs">,
  chance = Math.random(),
): number {
  const ms = Math.min(longestRetryMs, firstRetryMs * 2 ** (tries - 1));
  return Math.round(Math.min(longestRetryMs, ms * (0.75 + chance / 2)));
}

function noticeOf({ id, message }: StoredDelivery["effect"], run: RunSummary): Notice {
  return {
    id,
    event: message.kind,
    run: {
      id: run.id,
      number: run.number,
      workflow: run.workflow,
      task: shortened(run.task, longestTask),
      status: run.status,
    },
    story: message.story,
    step: message.step,
    text: shortened(message.text, longestText),
    at: new Date(message.at).toISOString(),
  };
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

function idsOf({ effect }: StoredDelivery): { target: string; run: string; message: string } {
  return { target: effect.target, run: effect.run, message: effect.id };
}
