// The product under measurement: its own parts over a store in a scratch directory, a six-step workflow, and the two moves of a
// cycle, claim and complete.

import { mkdirSync } from "node:fs";
import { configuredExecutors, openApp } from "../src/app.ts";
import type { Definition } from "../src/domain/definition.ts";
import type { RunId, StoryId } from "../src/domain/ids.ts";
import type { CompletedReport, Report } from "../src/domain/report.ts";
import type { RunPlace } from "../src/domain/run.ts";
import { startRun } from "../src/engine/decide.ts";
import { type Claim, type ClaimRequest, claimStep } from "../src/runtime/attempt/claim/claim.ts";
import { plainProject, plainWorkspace } from "../src/runtime/config/config.ts";
import type { Parts } from "../src/runtime/parts.ts";
import { createRun, transition } from "../src/runtime/transition/transition.ts";
import { ownWorker } from "../src/runtime/worker.ts";
import { type Clock, systemClock } from "../src/system/clock.ts";
import { findHome } from "../src/system/home.ts";
import { newRunId } from "../src/system/ids.ts";
import { chainOf, completed, finishOf, startOf } from "../test/support/sample-runs.ts";

export const sixSteps: Definition = chainOf(6, "six-steps");

/** The clock stands still, so that the rows of two runs can be compared. */
export const standingClock: Clock = { ...systemClock, now: () => 1_800_000_000_000 };

export interface WorldOptions {
  readonly clock?: Clock;
  /** The program of every agent; without one, nothing is started. */
  readonly agent?: string;
  /** The address of a store on a server; without one, a file. */
  readonly store?: string;
}

/** The largest number of agents at once that a configuration allows. */
const mostAgents = 64;

export async function openWorld(directory: string, options: WorldOptions = {}): Promise<Parts> {
  mkdirSync(directory, { recursive: true });
  const budget = { costUsd: null, wallMs: null, attempts: null, unknown: null };
  const defaultExecutor = `command: ${options.agent ?? "false"}`;
  return await openApp({
    home: findHome({ PAWL_HOME: directory }),
    store: options.store ?? null,
    executors: configuredExecutors({
      defaultExecutor,
      defaultExecutors: [defaultExecutor],
      executors: {},
      prices: {},
      agentLimits: {},
      agents: mostAgents,
      budget,
      project: plainProject,
      workspace: plainWorkspace,
      notify: [],
      worker: { labels: [], executors: null, repositories: {} },
      service: { publicUrl: null },
      telemetry: false,
      repositoryCommands: [],
      warnings: [],
    }),
    log: () => undefined,
    warn: () => undefined,
    clock: options.clock ?? systemClock,
  });
}

export async function begin(parts: Parts, definition: Definition, place?: RunPlace): Promise<RunId> {
  const at = parts.clock.now();
  const { run } = await createRun(parts, () =>
    startOf(definition, { run: newRunId(), at, ...(place ? { place } : {}) }),
  );
  return run;
}

/** Begins many runs in one transaction, to fill a queue; not measured. */
export async function beginMany(parts: Parts, definition: Definition, count: number): Promise<void> {
  await parts.store.transaction(async (tx) => {
    for (let index = 0; index < count; index += 1) {
      const started = startRun(startOf(definition, { run: newRunId(), at: parts.clock.now() }));
      await parts.dispatch.follow(tx, await tx.create(await tx.nextRunNumber(), started));
    }
  });
}

export async function claim(parts: Parts, changes: Partial<ClaimRequest> = {}): Promise<Claim> {
  const wish = { run: null, agent: null, driver: "push", worker: ownWorker(), leaseMs: 30_000, ...changes } as const;
  const claimed = await claimStep(parts, wish);
  if (!claimed) throw new Error("nothing could be claimed");
  return claimed;
}

export async function complete(parts: Parts, { run, attempt }: Claim, said: Said = {}): Promise<void> {
  const decision = await transition(parts, run.header.id, finishing(parts, attempt, said));
  if (!decision.accepted) throw new Error(`the report was refused: ${decision.why}`);
}

export type Said = Partial<Pick<CompletedReport & Report, "stories" | "outputs">>;

export function finishing(parts: Parts, attempt: { id: Claim["attempt"]["id"]; story: StoryId | null }, said: Said) {
  return finishOf(attempt.id, completed(said), { story: attempt.story, at: parts.clock.now() });
}

/** Claim and complete, step by step, until the run is over. */
export async function cycleToEnd(parts: Parts, steps = sixSteps.steps.length): Promise<void> {
  for (let step = 0; step < steps; step += 1) await complete(parts, await claim(parts));
}
