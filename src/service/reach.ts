// The service that a command needs. Owns: finding the one that runs, waiting for one that is starting, or starting one in the background.

import type { Application } from "../application/application.ts";
import { serviceHere } from "../application/driving/hand-over.ts";
import { AppError } from "../domain/error.ts";
import { systemClock } from "../system/clock.ts";
import { hostName } from "../system/home.ts";
import { startInBackground, usualAddress } from "./background.ts";

export interface ReachedService {
  /** Where this machine reaches it. */
  readonly url: string;
  readonly pid: number;
  /** Whether this call has started it. */
  readonly isNew: boolean;
}

/** The usual port may belong to another home; then any free one. */
const tried = [usualAddress.port, 0, 0];
const patienceMs = 30_000;
const lookEveryMs = 50;

export async function reachService(app: Application): Promise<ReachedService> {
  return (await running(app)) ?? (await started(app));
}

async function started(app: Application, ports: readonly number[] = tried): Promise<ReachedService> {
  const [port = 0, ...others] = ports;
  try {
    const { url, pid } = await startInBackground(app, { ...usualAddress, port });
    return { url, pid, isNew: true };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "REFUSED") throw error;
    // Somebody else may have started one meanwhile.
    const other = await running(app);
    if (other !== null) return other;
    if (others.length === 0) throw error;
    return await started(app, others);
  }
}

/** Null: none runs. */
async function running(app: Application): Promise<ReachedService | null> {
  const giveUpAt = systemClock.steady() + patienceMs;
  for (;;) {
    const service = serviceHere(app);
    if (service === null) return null;
    if (service.host !== hostName())
      throw new AppError("REFUSED", `the service runs on ${service.host} (process ${service.pid})`, {
        hint: "type it there, with --print",
      });
    if (service.url !== null) return { url: reachable(service.url), pid: service.pid, isNew: false };
    if (systemClock.steady() >= giveUpAt)
      throw new AppError("REFUSED", `the service (process ${service.pid}) does not become ready`, {
        hint: "`pawl down`, then type it again",
      });
    await systemClock.sleep(lookEveryMs);
  }
}

/** Whoever listens on every address is called by one of them. */
function reachable(url: string): string {
  return url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\]):/, "http://127.0.0.1:");
}
