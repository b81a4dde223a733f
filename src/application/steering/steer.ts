// Steering. Owns: one command to one run: pause, let move, cancel, retry, before which steps it asks.

import type { RunDocument } from "../../contracts/run-documents.ts";
import type { Command } from "../../domain/command.ts";
import { AppError } from "../../domain/error.ts";
import { stepName, storyId } from "../../domain/ids.ts";
import type { WaitsLevel } from "../../domain/run.ts";
import { transition } from "../../runtime/transition/transition.ts";
import { runDocument } from "../../runtime/views/status.ts";
import { driversOf } from "../../runtime/worker.ts";
import type { Application } from "../application.ts";
import { findRun } from "../references.ts";

/** Running attempts end, nothing new starts. */
export async function pause(app: Application, reference: string, author = app.author): Promise<RunDocument> {
  return await steer(app, reference, (at) => ({ type: "pause_run", at, author }));
}

/** Lets a run move again, whatever stopped it. Something must drive it then: `resume` does both. */
export async function letMove(app: Application, reference: string, author = app.author): Promise<RunDocument> {
  return await steer(app, reference, (at) => ({ type: "resume_run", at, author }));
}

/** Ends a run for good, with its agents. What it has committed stays on its branch. */
export async function cancel(
  app: Application,
  reference: string,
  { reason = "cancelled by the user", author = app.author }: CancelRequest = {},
): Promise<RunDocument> {
  return await steer(app, reference, (at) => ({ type: "cancel_run", reason, at, author }));
}

export interface CancelRequest {
  readonly reason?: string | undefined;
  readonly author?: string | undefined;
}

/** Before which steps it asks from here on. Questions that it does not ask any more are withdrawn. */
export async function setWaits(
  app: Application,
  reference: string,
  waits: WaitsLevel,
  author = app.author,
): Promise<RunDocument> {
  return await steer(app, reference, (at) => ({ type: "change_waits", waits, at, author }));
}

/** Puts what failed back to `ready` and starts its limits again. */
export async function retry(
  app: Application,
  reference: string,
  { story, step, author = app.author }: RetryRequest = {},
): Promise<RunDocument> {
  return await steer(app, reference, (at) => ({
    type: "retry_run",
    story: story === undefined ? null : storyId(story),
    step: step === undefined ? null : stepName(step),
    at,
    author,
  }));
}

export interface RetryRequest {
  /** Only this story. */
  readonly story?: string | undefined;
  /** Only this step. */
  readonly step?: string | undefined;
  readonly author?: string | undefined;
}

async function steer(app: Application, reference: string, command: (at: number) => Command): Promise<RunDocument> {
  const run = await app.change(null, async ({ parts }) => {
    const found = await findRun(parts.store, reference);
    const decision = await transition(parts, found.id, command(parts.clock.now()));
    if (decision.accepted) return found;
    throw new AppError("REFUSED", `run #${found.number}: ${decision.why}`, {
      hint: `\`pawl status ${found.number}\` shows where it stands`,
    });
  });
  const { parts } = await app.read();
  return runDocument((await parts.store.runById(run.id)) ?? run, (await driversOf(parts)).get(run.id) ?? null);
}
