// Effects. Owns: performing what the engine asked for, after the commit, from the outbox: at least once, and in order within a lane.

import { hasEnded } from "../../domain/attempt.ts";
import type { Effect } from "../../domain/effect.ts";
import { AppError, errorText } from "../../domain/error.ts";
import type { AttemptId, NoteId, RunId } from "../../domain/ids.ts";
import { attemptMarker } from "../../executors/executor.ts";
import type { StoredEffect } from "../../store/store.ts";
import { killStrays } from "../../system/process/strays.ts";
import type { Parts } from "../parts.ts";
import { lifeOfWorker, machineOf, ownWorker } from "../worker.ts";
import { type ClosingPorts, closeRun } from "./closing.ts";
import type { IsOurs } from "./deliveries.ts";

/** How long one process holds an effect; after that another may try. */
const holdMs = 10_000;
const lookEveryMs = 100;
const batch = 20;
const longestRetryMs = 60_000;
const giveUpAfter = 5;
const mostOpen = 1_000;

/** The attempts that this process performs. */
export interface OwnAttempts {
  performs(attempt: AttemptId): boolean;
  /** false: this process does not perform it. */
  stop(attempt: AttemptId, reason: string): boolean;
  /** Begins to tell its agent; what comes of it is recorded with the attempt. */
  tell(attempt: AttemptId, note: NoteId, text: string): void;
}

/** Of a process that performs none. */
export const noAttempts: OwnAttempts = { performs: () => false, stop: () => false, tell: () => undefined };

type EffectPorts = ClosingPorts & Pick<Parts, "clock" | "targets">;

/**
 * Performs a batch of due effects and returns how many were done. Deliveries are left out, because they wait for other programs
 * (deliveries.ts). `failed` collects the effects that failed; they are retried later. `isOurs`: which runs this process may serve;
 * `takes`: which effects.
 */
export async function performEffects(
  parts: EffectPorts,
  own: OwnAttempts,
  failed = new Set<number>(),
  isOurs: IsOurs = async () => true,
  takes: (effect: StoredEffect["effect"]) => boolean = () => true,
): Promise<number> {
  let done = 0;
  while (done < batch) {
    const due: StoredEffect[] = [];
    for (const each of await parts.store.dueEffects(parts.clock.now(), batch))
      if (takes(each.effect) && (await isOurs(each.effect.run)) && !(await isOthers(parts, each.effect, own)))
        due.push(each);
    const before = done;
    for (const each of due) if (await performOne(parts, each, own, failed)) done += 1;
    // An effect that is done makes the next one of its lane due.
    if (done === before) break;
  }
  return done;
}

async function performOne(
  parts: EffectPorts,
  due: StoredEffect,
  own: OwnAttempts,
  failed: Set<number>,
): Promise<boolean> {
  if (!(await parts.store.takeEffect(due, parts.clock.now() + holdMs, ownWorker(machineOf(parts))))) return false;
  try {
    if (due.effect.type === "notify") {
      await parts.store.replaceEffect(due.id, await deliveriesOf(parts, due.id, due.effect), parts.clock.now());
      return true;
    }
    await perform(parts, due.effect, own);
  } catch (error) {
    // An effect must not block a run: it is retried later. Only the processes of an attempt are given up, with a line in the log:
    // every driver looks for them when it starts.
    const why = reasonOf(error);
    const tries = due.tries + 1;
    parts.log("effect.failed", { effect: due.effect.type, why, tries });
    if (due.effect.type !== "stop_attempt" || tries < giveUpAfter) {
      const until = parts.clock.now() + Math.min(longestRetryMs, holdMs * 2 ** due.tries);
      // If the store itself has failed, the time for which it was taken counts.
      await parts.store.postponeEffect({ ...due, tries }, until, why).catch(() => undefined);
      failed.add(due.id);
      return false;
    }
  }
  await parts.store.effectDone(due.id);
  return true;
}

/** With what to do about it: a person reads it in `status` and in `doctor`. */
function reasonOf(error: unknown): string {
  return error instanceof AppError ? `${error.message}; ${error.hint}` : errorText(error);
}

/** Makes due what a dead process has begun and not finished. False if there is nothing such. */
export async function releaseEffects({ store, clock }: Pick<Parts, "store" | "clock">): Promise<boolean> {
  const now = clock.now();
  const dead = (await store.effectHolders(now)).filter((holder) => lifeOfWorker(holder) === "dead");
  for (const holder of dead) await store.releaseEffectsOf(holder, now);
  return dead.length > 0;
}

/** One delivery for each receiver of each target that subscribes to this kind of message, all with the same id. */
async function deliveriesOf(
  parts: Pick<Parts, "targets">,
  id: number,
  { run, message }: Extract<Effect, { type: "notify" }>,
): Promise<Effect[]> {
  const found: Effect[] = [];
  for (const target of parts.targets.filter(({ on }) => on.includes(message.kind))) {
    const delivery = { type: "deliver", run, target: target.name, message, id: `${run}.${id}` } as const;
    if (!target.receivers) found.push(delivery);
    else found.push(...(await target.receivers()).map((receiver) => ({ ...delivery, receiver })));
  }
  return found;
}

/**
 * Performs the effects of a run until none is left, except those that have `failed`. It waits for effects that a dead process holds,
 * because no other process may come later.
 */
export async function settleEffects(parts: EffectPorts, run: RunId, failed: Set<number>): Promise<void> {
  const giveUpAt = parts.clock.steady() + 2 * holdMs;
  for (;;) {
    await releaseEffects(parts);
    await performEffects(parts, noAttempts, failed);
    const open = await parts.store.dueEffects(Number.MAX_SAFE_INTEGER, mostOpen);
    const waits = open.some(({ id, effect }) => effect.run === run && !failed.has(id));
    if (!waits || parts.clock.steady() >= giveUpAt) return;
    await parts.clock.sleep(lookEveryMs);
  }
}

/** Only the process that performs an attempt can tell its agent something, as long as the attempt lasts. */
async function isOthers(
  { store }: Pick<Parts, "store">,
  effect: StoredEffect["effect"],
  own: OwnAttempts,
): Promise<boolean> {
  if (effect.type !== "tell_attempt" || own.performs(effect.attempt)) return false;
  const found = await store.attempt(effect.attempt);
  return found !== null && !hasEnded(found.attempt);
}

async function perform(parts: ClosingPorts, effect: StoredEffect["effect"], own: OwnAttempts): Promise<void> {
  switch (effect.type) {
    case "unreadable":
      throw new AppError("STORE_UNUSABLE", effect.why, {
        hint: "restore a backup of the store; other runs in it can still be used",
      });
    case "notify":
    case "deliver":
      return;
    case "stop_attempt":
      if (!own.stop(effect.attempt, "it was stopped")) {
        await killStrays({ marker: { name: attemptMarker, value: effect.attempt } });
      }
      return;
    case "tell_attempt":
      return own.tell(effect.attempt, effect.note, effect.text);
    case "close_run":
      return await closeRun(parts, effect.run);
  }
}
