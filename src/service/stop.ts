// Stops the service of a home from another process, and waits until it has ended.

import type { Application } from "../application/application.ts";
import type { ServiceStopped } from "../contracts/service-documents.ts";
import { AppError } from "../domain/error.ts";
import { systemClock } from "../system/clock.ts";
import { hostName } from "../system/home.ts";
import { isAlive } from "../system/process/identity.ts";
import { readService, type ServiceRecord } from "../system/service-file.ts";

/** Longer than agents get to stop. */
const patienceMs = 60_000;
const lookEveryMs = 20;

export async function stopService({ home }: Application): Promise<ServiceStopped> {
  const service = readService(home.serviceFile);
  if (service === null) return { stopped: false, pid: null };
  if (service.host !== hostName()) {
    throw new AppError("REFUSED", `the service runs on ${service.host} (process ${service.pid})`, {
      hint: `stop it there; if it is gone, remove ${home.serviceFile}`,
    });
  }
  signal(service, "SIGTERM");
  // One that a terminal has stopped (Ctrl-Z) acts on nothing before it continues.
  signal(service, "SIGCONT");
  const giveUpAt = systemClock.steady() + patienceMs;
  while (isAlive(service)) {
    if (systemClock.steady() >= giveUpAt) throw hangs(service);
    await systemClock.sleep(lookEveryMs);
  }
  return { stopped: true, pid: service.pid };
}

/** Never a later process with the same pid. */
export function signal(service: ServiceRecord, name: "SIGTERM" | "SIGCONT" | "SIGUSR2"): void {
  try {
    if (isAlive(service)) process.kill(service.pid, name);
  } catch (error) {
    if (isAlive(service)) throw error;
  }
}

function hangs({ pid }: ServiceRecord): AppError {
  return new AppError("REFUSED", `the service (process ${pid}) has not ended after ${patienceMs / 1_000} seconds`, {
    hint: `\`kill -9 ${pid}\` ends it; its agents end with it, and the next driver recovers their attempts`,
  });
}
