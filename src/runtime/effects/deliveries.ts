// Deliveries. Owns: sending messages from the outbox to their targets until each has arrived, in order for each target and run. It runs
// beside the driver's loop, so that a receiver that hangs delays only its own messages.

import type { AskedGate } from "../../domain/effect.ts";
import { errorText } from "../../domain/error.ts";
import { endOfGate } from "../../domain/gate.ts";
import type { RunId } from "../../domain/ids.ts";
import type { Delivery, Notice, NoticeGate, Target } from "../../notify/target.ts";
import type { RunSummary, StoredDelivery } from "../../store/store.ts";
import type { Parts } from "../parts.ts";
import { Wake } from "../wake.ts";
import { ownWorker } from "../worker.ts";

export interface DeliveryTimes {
  /** How often the outbox is read when nothing wakes us. */
  readonly restMs: number;
  /** The wait after the first failure; it doubles with each further one. */
  readonly firstRetryMs: number;
  readonly longestRetryMs: number;
  /** An older message is given up when it fails again. */
  readonly giveUpAfterMs: number;
}

const usualTimes: DeliveryTimes = {
  restMs: 1_000,
  firstRetryMs: 1_000,
  longestRetryMs: 10 * 60_000,
  giveUpAfterMs: 3 * 24 * 60 * 60_000,
};

/** No message is given up before this many tries, however old it is: no process may have run for days. */
const fewestTries = 5;
/** How many messages of different runs one target gets at once. */
const atOnce = 4;
const batch = 20;
/** A receiver that asks for more patience is tried all the same. */
const longestAskedMs = 60 * 60_000;
/** Added to the time limit of a delivery, before another process may try it. */
const slackMs = 5_000;
const longestTask = 1_000;
const longestText = 4_000;

type DeliveryPorts = Pick<Parts, "store" | "clock" | "targets" | "log">;

/** Which runs this process may serve. */
export type IsOurs = (run: RunId) => Promise<boolean>;

/** Delivers what is due, in at most this time; the next driver delivers the rest. */
export async function deliverDue(parts: DeliveryPorts, withinMs: number, isOurs?: IsOurs): Promise<void> {
  await new Deliveries(parts, {}, isOurs).close(withinMs);
}

export class Deliveries {
  readonly #parts: DeliveryPorts;
  readonly #times: DeliveryTimes;
  readonly #isOurs: IsOurs;
  readonly #targets: ReadonlyMap<string, Target>;
  /** Targets that this process cannot reach; another process may have what it lacks. */
  readonly #unable: readonly string[];
  /** The target of each delivery in progress, by the id of its effect. */
  readonly #underWay = new Map<number, string>();
  readonly #wake = new Wake();
  readonly #stop = new AbortController();
  readonly #working: Promise<void>;
  #isClosing = false;

  constructor(parts: DeliveryPorts, times: Partial<DeliveryTimes> = {}, isOurs: IsOurs = async () => true) {
    this.#parts = parts;
    this.#isOurs = isOurs;
    this.#times = { ...usualTimes, ...times };
    this.#targets = new Map(parts.targets.map((target) => [target.name, target]));
    const unable = parts.targets.flatMap(({ name, missing }) => ({ name, why: missing()?.what ?? null }));
    for (const { name, why } of unable) if (why !== null) parts.log("message.waits", { target: name, why });
    this.#unable = unable.filter(({ why }) => why !== null).map(({ name }) => name);
    this.#working = this.#work();
  }

  /** Reads the outbox soon: a message may be due. */
  look(): void {
    this.#wake.up();
  }

  /** Delivers what is due, in at most this time. Deliveries that are still in progress then are stopped and stay in the outbox. */
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

  /** Starts deliveries without waiting for them, and returns how many. */
  async #begin(): Promise<number> {
    let begun = 0;
    try {
      const except = [...this.#unable, ...[...this.#targets.keys()].filter((name) => this.#isBusy(name))];
      for (const due of await this.#parts.store.dueDeliveries(this.#parts.clock.now(), batch, except)) {
        if (this.#stop.signal.aborted) break;
        if (this.#isBusy(due.effect.target) || !(await this.#isOurs(due.effect.run))) continue;
        const target = this.#targets.get(due.effect.target);
        if (!target) await this.#drop(due, "there is no such target in the configuration any more");
        else if (await this.#take(due, target)) this.#deliver({ ...due, tries: due.tries + 1 }, target);
        else continue;
        begun += 1;
      }
    } catch (error) {
      // The disk is full, or the store is locked. What was not recorded is delivered again.
      this.#parts.log("message.store_failed", { why: errorText(error) });
      return 0;
    }
    return begun;
  }

  #isBusy(target: string): boolean {
    return [...this.#underWay.values()].filter((name) => name === target).length >= atOnce;
  }

  async #take(due: StoredDelivery, { timeoutMs }: Target): Promise<boolean> {
    const until = this.#parts.clock.now() + timeoutMs + slackMs;
    return await this.#parts.store.takeEffect(due, until, ownWorker());
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
      const { receiver, mark } = effect;
      const call = { at: this.#parts.clock.now(), signal, ...(receiver === undefined ? {} : { receiver }) };
      const notice = noticeOf(effect, run);
      if (!target.mark) return await target.deliver(notice, call);
      const how = await this.#endOfQuestion(effect);
      if (mark !== undefined) return await target.mark(notice, { receipt: mark, how: how ?? "" }, call);
      if (how !== null) return { outcome: "dropped", why: "its question was over before it could be sent" };
      return await target.deliver(notice, call);
    } catch (error) {
      return { outcome: "failed", why: errorText(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  /** How the question of a message ended; null: it has not, or nothing is asked. */
  async #endOfQuestion({ message: { gate } }: StoredDelivery["effect"]): Promise<string | null> {
    const asked = gate === undefined ? null : await this.#parts.store.gate(gate.id);
    return asked === null ? null : endOfGate(asked.gate);
  }

  async #settle(taken: StoredDelivery, delivery: Delivery): Promise<void> {
    if (delivery.outcome === "dropped") return await this.#drop(taken, delivery.why);
    if (delivery.outcome === "delivered") {
      return await this.#arrived(taken, delivery.receipt);
    }
    const now = this.#parts.clock.now();
    const isOld = now - taken.effect.message.at > this.#times.giveUpAfterMs;
    // A delivery that Pawl stopped has not failed.
    if (isOld && taken.tries >= fewestTries && !this.#stop.signal.aborted)
      return await this.#drop(taken, `given up: ${delivery.why}`);
    this.#parts.log("message.failed", { ...idsOf(taken), tries: taken.tries, why: delivery.why });
    const asked = Math.min(delivery.retryAfterMs ?? 0, longestAskedMs);
    await this.#parts.store.postponeEffect(taken, now + Math.max(asked, retryAfterMs(taken.tries, this.#times)));
  }

  /** A message about a question is kept as long as the question is open, if it can be marked. */
  async #arrived(taken: StoredDelivery, receipt: string | undefined): Promise<void> {
    const { store, clock, log } = this.#parts;
    const { message, mark } = taken.effect;
    log(mark === undefined ? "message.delivered" : "message.marked", { ...idsOf(taken), tries: taken.tries });
    if (receipt === undefined || message.gate === undefined || mark !== undefined)
      return await store.effectDone(taken.id);
    await store.messageArrived(taken, message.gate.id, receipt, clock.now());
  }

  async #drop(due: StoredDelivery, why: string): Promise<void> {
    this.#parts.log("message.dropped", { ...idsOf(due), tries: due.tries, why });
    await this.#parts.store.effectDone(due.id);
  }
}

/** Doubles with each try, plus or minus a quarter, so that messages that failed together are not all retried together. */
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
    gate: message.gate === undefined ? null : askedGate(message.gate),
    at: new Date(message.at).toISOString(),
  };
}

function askedGate({ deadline, feedback, ...gate }: AskedGate): NoticeGate {
  return {
    ...gate,
    feedback: shortened(feedback, longestText),
    deadline: deadline && { at: new Date(deadline.at).toISOString(), option: deadline.option },
  };
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

function idsOf({ effect }: StoredDelivery): Record<string, string> {
  const { target, run, id, receiver } = effect;
  return { target, run, message: id, ...(receiver === undefined ? {} : { receiver }) };
}
