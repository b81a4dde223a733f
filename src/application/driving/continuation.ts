// What continues a run after a person has changed it: the process that drives it, the service of this home, or a command to type.

import type { RunId } from "../../domain/ids.ts";
import type { RunStatus } from "../../domain/run.ts";
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
  const driver = (await driversOf((await app.read()).parts)).get(id);
  if (driver !== undefined) return `The run continues: ${driver} drives it.`;
  const service = serviceHere(app);
  if (service === null) return `\`pawl resume ${number}\` continues the run.`;
  const trouble = service.troubles[id];
  return trouble === undefined
    ? "The service continues the run."
    : `The service tries the run again. The last time it could not drive it: ${trouble.why}; ${trouble.hint}.`;
}
