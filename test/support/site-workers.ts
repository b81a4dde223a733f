// Two workers for each home of a test, on a store of its own on the PostgreSQL server. They start with the first command that drives a
// run. A record like that of a service lets commands hand over to them, so that they only follow; a command that does not hand over
// drives, and the workers perform attempts beside it. Whoever kills a command means all that work for its home.

import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { hostName } from "../../src/system/home.ts";
import { packageFile, packageVersion } from "../../src/system/package-root.ts";
import { processIdentity } from "../../src/system/process/identity.ts";
import { checksumsOf, type ServiceRecord } from "../../src/system/service-file.ts";
import { withoutPassword } from "../../src/system/store-address.ts";
import { postgresAddress } from "./postgres.ts";
import type { SiteCommand, SiteStores } from "./site-store.ts";

const count = 2;
/** Together as many as the widest of the tests' workflows works on at once. */
const slots = 2;

/** Of the home, by its first command that drives. */
const working = new Map<string, readonly ChildProcess[]>();
/** How much of its log is known. */
const heard = new Map<string, number>();

export const storesWithWorkers: SiteStores = {
  variables: (home) => ({ PAWL_STORE: addressOf(home) }),
  beforeCommand(command) {
    if (drives(command.args) && !areAlive(command.home)) startWorkers(command);
  },
  started(home, child) {
    const kill = child.kill.bind(child);
    child.kill = (signal) => {
      if (signal === "SIGKILL") stopWorkers(home);
      return kill(signal);
    };
  },
  // A worker says there what a command that drives says to its user.
  saidBeside({ home, args }) {
    if (!drives(args)) return "";
    const file = logOf(home);
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const before = heard.get(home) ?? 0;
    heard.set(home, text.length);
    return text.slice(before);
  },
};

function addressOf(home: string): string {
  return postgresAddress(`site_${createHash("sha256").update(home).digest("hex").slice(0, 12)}`);
}

/** Commands that move a run until it stops. One that only records is for the test to move. */
function drives([first = "", second = "", ...more]: readonly string[]): boolean {
  if ([second, ...more].includes("--detach")) return false;
  if (["run", "resume", "demo", "lifecycle"].includes(first)) return true;
  if (first === "project") return second === "continue" || second === "say";
  return ["prd", "agent", "workflow"].includes(first) && ["run", "import"].includes(second);
}

function areAlive(home: string): boolean {
  return (working.get(home) ?? []).some(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
}

function startWorkers({ home, env }: SiteCommand): void {
  // A child that could not be started has no pid, and to kill it would kill this process and its group.
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const log = openSync(logOf(home), "a", 0o600);
  const workers = Array.from({ length: count }, () =>
    spawn(process.execPath, [packageFile("bin", "pawl"), "worker", "--slots", String(slots), "--json"], {
      cwd: home,
      env: { ...env },
      stdio: ["ignore", "ignore", log],
    }),
  );
  closeSync(log);
  if (workers.some(({ pid }) => pid === undefined)) throw new Error("a worker could not be started");
  working.set(home, workers);
  afterTest(() => stopWorkers(home));
  const identity = processIdentity(workers[0]?.pid ?? 0);
  if (identity === null) throw new Error("no worker could be started");
  const record: ServiceRecord = {
    ...identity,
    host: hostName(),
    version: packageVersion(),
    url: null,
    store: withoutPassword(addressOf(home)),
    program: packageFile("bin", "pawl"),
    supervisor: null,
    variables: checksumsOf(env),
    troubles: {},
  };
  writeFileSync(recordOf(home), `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

function stopWorkers(home: string): void {
  for (const worker of working.get(home) ?? []) worker.kill("SIGKILL");
  working.delete(home);
  rmSync(recordOf(home), { force: true });
}

/** For those that a hook has started. */
export function stopAllWorkers(): void {
  for (const home of working.keys()) stopWorkers(home);
}

function afterTest(end: () => void): void {
  try {
    onTestFinished(end);
  } catch {
    // Called from a hook: they end with the file.
  }
}

/** Beside the home: tests look at what is in it. */
function logOf(home: string): string {
  return `${home}-workers.log`;
}

function recordOf(home: string): string {
  return join(home, "service.json");
}
