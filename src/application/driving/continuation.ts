// What continues a run after a person has changed it: the process that drives it, a worker or the service of this home, or a command to type.

import type { RunId } from "../../domain/ids.ts";
import type { RunStatus } from "../../domain/run.ts";
import { hostHasWorker } from "../../runtime/views/run-facts.ts";
import { driversOf } from "../../runtime/worker.ts";
import type { Application } from "../application.ts";
import { serviceHere } from "./hand-over.ts";

export interface ContinuedRun {
  readonly id: RunId;
  readonly number: number | null;
  readonly status: RunStatus | null;
}

/** One sentence; empty where nothing continues it, because it is over. */
export async function continuationOf(app: Application, { id, number, status }: ContinuedRun): Promise<string> {
  if (status === "held") return `\`pawl why ${number}\` says what the run waits for.`;
  if (status === "paused") return `The run is paused: \`pawl resume ${number}\` continues it.`;
  if (status !== "running") return "";
  const { parts } = await app.read();
  const driver = (await driversOf(parts)).get(id);
  if (driver !== undefined) return `The run continues: ${driver} drives it.`;
  const service = serviceHere(app);
  if (service === null && (await hostHasWorker(parts)))
    return `A worker takes the run if it has its executor; \`pawl resume ${number}\` continues it here.`;
  if (service === null) return `\`pawl resume ${number}\` continues the run.`;
  const trouble = service.troubles[id];
  return trouble === undefined
    ? "The service continues the run."
    : `The service tries the run again. The last time it could not drive it: ${trouble.why}; ${trouble.hint}.`;
}
