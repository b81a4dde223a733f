// Starts the service in a process of its own, which lives on when its starter, its terminal and its login end. The starter waits until
// the service is ready, and hears what went wrong if it is not.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Application } from "../application/application.ts";
import type { ServiceStarted } from "../contracts/service-documents.ts";
import { AppError, type ErrorCode } from "../domain/error.ts";
import { packageFile } from "../system/package-root.ts";

export interface BackgroundOptions {
  readonly host: string;
  readonly port: number;
}

export const usualAddress: BackgroundOptions = { host: "127.0.0.1", port: 7295 };

/** What the service tells its starter, once. */
export type FirstWords =
  | { readonly ready: ServiceStarted }
  | { readonly failed: { readonly code: ErrorCode; readonly message: string; readonly hint: string } };

/** Resolves when the service is ready. */
export async function startInBackground(
  app: Application,
  options: BackgroundOptions,
): Promise<ServiceStarted & { readonly log: string }> {
  const log = serviceLog(app);
  const { ended, child } = spawnService(app, process.execPath, packageFile("bin", "pawl"), options, "ipc");
  const said = new Promise<FirstWords>((resolve) => child.once("message", (words) => resolve(words as FirstWords)));
  const words = await Promise.race([said, ended]);
  if (child.connected) child.disconnect();
  child.unref();
  if (words !== null && "ready" in words) return { ...words.ready, log };
  if (words === null)
    throw new AppError("REFUSED", "the service ended while it started", { hint: `its last words are in ${log}` });
  const { code, message, hint } = words.failed;
  throw new AppError(code, message, { hint });
}

/** It lives long and mostly waits: memory that is given back is worth more than a few milliseconds. */
export const nodeOptions: readonly string[] = ["--max-semi-space-size=1"];

/** Where a service in the background writes. */
export function serviceLog({ home }: Application): string {
  return join(home.logs, "service.log");
}

/** Another program than this one, for an upgrade. It may still wait for this process to go. */
export function spawnService(
  app: Application,
  node: string,
  program: string,
  { host, port }: BackgroundOptions,
  channel: "ipc" | "ignore",
): { readonly child: ChildProcess; readonly ended: Promise<null> } {
  mkdirSync(app.home.logs, { recursive: true, mode: 0o700 });
  const log = openSync(serviceLog(app), "a", 0o600);
  try {
    const { storeName } = app;
    const store = storeName === null ? {} : { PAWL_STORE: storeName };
    const child = spawn(node, [...nodeOptions, program, "up", "--host", host, "--port", String(port)], {
      // A folder that is removed later would be no place to start programs from.
      cwd: app.home.dir,
      env: { ...app.env, PAWL_HOME: app.home.dir, ...store },
      detached: true,
      stdio: ["ignore", log, log, channel],
    });
    const ended = new Promise<null>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", () => resolve(null));
    });
    return { child, ended };
  } finally {
    closeSync(log);
  }
}
