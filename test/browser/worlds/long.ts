// A run of 20,000 events: feature-dev with stories in parallel, rejections, crashes and costs. It has no repository.

import { openWorkflow } from "../../../src/runtime/runs/workflow-library.ts";
import { newSite } from "../../support/pawl.ts";
import { startOf } from "../../support/sample-runs.ts";
import { reporting, wide } from "./long-log.ts";
import { makeLog, storeLog } from "./made-log.ts";
import { type ServedWorld, type ServeOptions, serveHome } from "./served.ts";

export interface LongOptions extends ServeOptions {
  /** Default: 20,000. */
  readonly events?: number;
}

export interface LongWorld extends ServedWorld {
  readonly run: number;
}

const dayMs = 86_400_000;

export async function longWorld({ events = 20_000, ...options }: LongOptions = {}): Promise<LongWorld> {
  const world = await serveHome(newSite().home, options);
  const { definition } = openWorkflow(world.app.home, "feature-dev", world.app.protocols);
  const start = startOf(wide(definition), { at: Date.now() - 2 * dayMs, task: "Move the shop to the new checkout" });
  return { ...world, run: await storeLog(world.app, makeLog({ start, report: reporting(events), events })) };
}
