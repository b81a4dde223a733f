// Effects. Owns: doing what the engine asked for, after the commit, from the outbox: at least once, in order within a lane.

import type { Effect } from "../../domain/effect.ts";
import { errorText } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import { attemptMarker } from "../../executors/executor.ts";
import type { StoredEffect } from "../../store/store.ts";
import { killStrays } from "../../system/process/strays.ts";
import type { Parts } from "../parts.ts";
import { closeRun } from "./closing.ts";

/** How long one process has an effect for itself; after that somebody else tries. */
const holdMs = 10_000;
const lookEveryMs = 100;
const batch = 20;
const giveUpAfter = 5;
const mostOpen = 1_000;

/** Attempts that this process performs, so that they can be stopped from inside. */
export type StopAttempt = (attempt: string, reason: string) => boolean;

/**
 * What is due, some of it at a time, but no deliveries: they wait for others (deliveries.ts). `failed` collects what could
 * not be done; it is tried again later. How many were done.
 */
export async function performEffects(parts: Parts, stop: StopAttempt, failed = new Set<number>()): Promise<number> {
  let done = 0;
  while (done < batch) {
    const due = await parts.store.dueEffects(parts.clock.now(), batch);
    const before = done;
    for (const each of due) if (await performOne(parts, each, stop, failed)) done += 1;
    // What is done lets the next of its lane come.
    if (done === before) break;
  }
  return done;
}

async function performOne(parts: Parts, due: StoredEffect, stop: StopAttempt, failed: Set<number>): Promise<boolean> {
  if (!(await parts.store.takeEffect(due, parts.clock.now() + holdMs))) return false;
  try {
    if (due.effect.type === "notify") {
      await parts.store.replaceEffect(due.id, deliveriesOf(parts, due.id, due.effect), parts.clock.now());
      return true;
    }
    await perform(parts, due.effect, stop);
  } catch (error) {
    // Nothing of it may hold a run: it is tried again later, and given up with a line in the log. A message is not given up
    // here: only the store can have failed, and nobody has been told yet.
    const why = errorText(error);
    parts.log("effect.failed", { effect: due.effect.type, why, tries: due.tries + 1 });
    if (due.effect.type === "notify" || due.tries + 1 < giveUpAfter) {
      failed.add(due.id);
      return false;
    }
  }
  await parts.store.effectDone(due.id);
  return true;
}

/** One for each target that wants to hear of it, all with the same id. */
function deliveriesOf(parts: Parts, id: number, { run, message }: Extract<Effect, { type: "notify" }>): Effect[] {
  const targets = parts.targets.filter(({ on }) => on.includes(message.kind));
  return targets.map(({ name }) => ({ type: "deliver", run, target: name, message, id: `${run}.${id}` }));
}

/**
 * Until nothing is left of what a run asked for, except what has `failed`. What a process had taken that died in the
 * middle is free again after a while: nobody else might come by later.
 */
export async function settleEffects(parts: Parts, run: RunId, failed: Set<number>): Promise<void> {
  const giveUpAt = parts.clock.now() + 2 * holdMs;
  for (;;) {
    await performEffects(parts, () => false, failed);
    const open = await parts.store.dueEffects(Number.MAX_SAFE_INTEGER, mostOpen);
    const waits = open.some(({ id, effect }) => effect.run === run && !failed.has(id));
    if (!waits || parts.clock.now() >= giveUpAt) return;
    await parts.clock.sleep(lookEveryMs);
  }
}

async function perform(parts: Parts, effect: Effect, stop: StopAttempt): Promise<void> {
  switch (effect.type) {
    case "notify":
    case "deliver":
      return;
    case "stop_attempt":
      if (!stop(effect.attempt, "the run was cancelled")) {
        await killStrays({ marker: { name: attemptMarker, value: effect.attempt } });
      }
      return;
    case "close_run":
      return await closeRun(parts, effect.run);
  }
}
