// Driving in the background. Owns: a driver that goes on when whoever started it is gone, and where it writes.

import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { RunId } from "../domain/ids.ts";
import { lifeOfWorker } from "../runtime/loop/worker.ts";
import type { Parts } from "../runtime/parts.ts";
import type { Home } from "../system/home.ts";
import { packageFile } from "../system/package-root.ts";

/** Resolves when it runs, to the file that has its words. */
export async function driveInBackground(home: Home, run: RunId): Promise<string> {
  const directory = join(home.logs, run);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, "driver.log");
  const log = openSync(file, "a", 0o600);
  try {
    const child = spawn(process.execPath, [packageFile("bin", "pawl"), "resume", run], {
      detached: true,
      stdio: ["ignore", log, log],
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    child.unref();
    return file;
  } finally {
    closeSync(log);
  }
}

/** Somebody performs something of it now. A driver that only waits is not seen; a second one beside it does no harm. */
export async function isDriven(parts: Parts, run: RunId): Promise<boolean> {
  const leases = await parts.dispatch.leases({ endedBefore: null });
  return leases.some((lease) => lease.run === run && lifeOfWorker(lease.worker) !== "dead");
}
