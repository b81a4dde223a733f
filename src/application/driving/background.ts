// Driving in the background. Owns: a driver in a process of its own, which continues when the caller ends, and where it writes.

import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { RunId } from "../../domain/ids.ts";
import type { Parts } from "../../runtime/parts.ts";
import { lifeOfWorker } from "../../runtime/worker.ts";
import { packageFile } from "../../system/package-root.ts";
import type { Application } from "../application.ts";

/** Resolves when the driver runs, to the file that gets its output. */
export async function driveInBackground(app: Application, run: RunId): Promise<string> {
  const directory = join(app.home.logs, run);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, "driver.log");
  const log = openSync(file, "a", 0o600);
  const { storeName } = app;
  try {
    const child = spawn(
      process.execPath,
      [packageFile("bin", "pawl"), "resume", run, ...(app.trusts ? ["--trust"] : [])],
      {
        cwd: app.cwd,
        env: { ...app.env, PAWL_HOME: app.home.dir, ...(storeName === null ? {} : { PAWL_STORE: storeName }) },
        detached: true,
        stdio: ["ignore", log, log],
      },
    );
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

/** Drives a run that nothing drives, and returns the file of its driver; null: something drives it. */
export async function ensureDriven(app: Application, run: RunId): Promise<string | null> {
  const { parts } = await app.read();
  return (await isDriven(parts, run)) ? null : await driveInBackground(app, run);
}

/** Whether a process drives the run. */
export async function isDriven({ dispatch }: Pick<Parts, "dispatch">, run: RunId): Promise<boolean> {
  const drivers = await dispatch.drivers();
  return drivers.some((driver) => driver.run === run && lifeOfWorker(driver.worker) !== "dead");
}
