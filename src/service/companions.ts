// What runs in the service beside its driver. Each companion starts before the first run is driven and closes after the last one; a
// start that fails ends the service.

import type { Application } from "../application/application.ts";
import type { Log } from "../runtime/parts.ts";
import { packageFile } from "../system/package-root.ts";

interface CompanionContext {
  readonly app: Application;
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  /** Whether the service drives runs now. */
  readonly drives: () => boolean;
}

export interface Companion {
  /** Where it answers, if it listens. */
  readonly url?: string;
  close(): Promise<void>;
}

export type StartCompanion = (context: CompanionContext) => Promise<Companion>;

/** The API and the page. Loaded late: every other command starts faster. */
const api: StartCompanion = async ({ app, host, port, log, drives }) => {
  const { startServer } = await import("../http/server.ts");
  return await startServer({ app, host, port, log, drives, page: packageFile("dist", "page") });
};

/** Records runs at the times of schedules; the service finds and drives them as any other. */
const schedules: StartCompanion = async ({ app, log }) => {
  const { startSchedules } = await import("../application/schedules/service.ts");
  return startSchedules(app, { log });
};

/** Where telemetry is on, gauges of the whole store are sent by one process: this one. The application closes it. */
const gauges: StartCompanion = async ({ app }) => {
  (await app.read()).parts.telemetry?.observe();
  return { close: async () => undefined };
};

/** In this order; they close in the reverse one. */
export const companions: readonly StartCompanion[] = [api, schedules, gauges];
