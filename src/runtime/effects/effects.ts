// Effects. Owns: performing what the engine asked for, after the commit, from the outbox: at least once, and in order within a lane.

import type { Effect } from "../../domain/effect.ts";
import { errorText } from "../../domain/error.ts";
import type { RunId } from "../../domain/ids.ts";
import { attemptMarker } from "../../executors/executor.ts";
import type { StoredEffect } from "../../store/store.ts";
import { killStrays } from "../../system/process/strays.ts";
import type { Parts } from "../parts.ts";
import { type ClosingPorts, closeRun } from "./closing.ts";

/** How long one process holds an effect; after that another may try. */
const holdMs = 10_000;
const lookEveryMs = 100;
const batch = 20;
const giveUpAfter = 5;
const mostOpen = 1_000;

/** Stops an attempt of this process; false if it performs none with this id. */
export type StopAttempt = (attempt: string, reason: string) => boolean;

type EffectPorts = ClosingPorts & Pick<Parts, "clock" | "targets">;

/**
 * Performs a batch of due effects and returns how many were done. Deliveries are left out, because they wait for other programs
 * (deliveries.ts). `failed` collects the effects that failed; they are retried later.
 */
export async function performEffects(
  parts: EffectPorts,
  stop: StopAttempt,
  failed = new Set<number>(),
): Promise<number> {
  let done = 0;
  while (done < batch) {
    const due = await parts.store.dueEffects(parts.clock.now(), batch);
    const before = done;
    for (const each of due) if (await performOne(parts, each, stop, failed)) done += 1;
    // An effect that is done makes the next one of its lane due.
    if (done === before) break;
  }
  return done;
}

async function performOne(
  parts: EffectPorts,
  due: StoredEffect,
  stop: StopAttempt,
  failed: Set<number>,
): Promise<boolean> {
  if (!(await parts.store.takeEffect(due, parts.clock.now() + holdMs))) return false;
  try {
    if (due.effect.type === "notify") {
      await parts.store.replaceEffect(due.id, deliveriesOf(parts, due.id, due.effect), parts.clock.now());
      return true;
    }
    await perform(parts, due.effect, stop);
  } catch (error) {
    // An effect must not block a run: it is retried later, and given up with a line in the log. A message is never given up here:
    // only the store can have failed, and no target has got it yet.
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

/** One delivery for each target that subscribes to this kind of message, all with the same id. */
function deliveriesOf(
  parts: Pick<Parts, "targets">,
  id: number,
  { run, message }: Extract<Effect, { type: "notify" }>,
): Effect[] {
  const targets = parts.targets.filter(({ on }) => on.includes(message.kind));
  return targets.map(({ name }) => ({ type: "deliver", run, target: name, message, id: `${run}.${id}` }));
}

/**
 * Performs the effects of a run until none is left, except those that have `failed`. It waits for effects that a dead process holds,
 * because no other process may come later.
 */
export async function settleEffects(parts: EffectPorts, run: RunId, failed: Set<number>): Promise<void> {
  const giveUpAt = parts.clock.now() + 2 * holdMs;
  for (;;) {
    await performEffects(parts, () => false, failed);
    const open = await parts.store.dueEffects(Number.MAX_SAFE_INTEGER, mostOpen);
    const waits = open.some(({ id, effect }) => effect.run === run && !failed.has(id));
    if (!waits || parts.clock.now() >= giveUpAt) return;
    await parts.clock.sleep(lookEveryMs);
  }
}

async function perform(parts: ClosingPorts, effect: Effect, stop: StopAttempt): Promise<void> {
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
