// Worker names: a process holds its leases under one, and another process of the same machine can tell from it whether it is alive.

import type { Dispatch } from "../dispatch/dispatch.ts";
import type { AttemptId, RunId } from "../domain/ids.ts";
import type { Machines } from "../store/store.ts";
import { type Clock, isPast } from "../system/clock.ts";
import { hostName } from "../system/home.ts";
import { isAlive, ownIdentity, type ProcessIdentity } from "../system/process/identity.ts";

interface Worker extends ProcessIdentity {
  readonly host: string;
}

/** By which the processes and attempts of this machine are known in its store. */
export function machineOf({ machines }: { readonly machines: Pick<Machines, "name"> | null }): string {
  return machines?.name ?? hostName();
}

/** `machine`: for the store. A guest writes its host name alone only in its own home. */
export function ownWorker(machine = hostName()): string {
  return JSON.stringify({ host: machine, ...ownIdentity() } satisfies Worker);
}

let drivers = 0;

/** For a driver: one process may have several, and each has a name of its own. */
export function newDriverName(machine = hostName()): string {
  drivers += 1;
  return JSON.stringify({ host: machine, ...ownIdentity(), driver: drivers } satisfies Worker & { driver: number });
}

/** For people: `process 4711`, with its machine if it is another one. */
export function processInWords(name: string): string {
  const worker = readWorker(name);
  if (worker === null) return "another process";
  return `process ${worker.pid}${worker.host === hostName() ? "" : ` on ${worker.host}`}`;
}

/** `unknown`: it is on another machine, or not a process of Pawl; only its lease can tell. */
export function lifeOfWorker(name: string): "alive" | "dead" | "unknown" {
  const worker = readWorker(name);
  if (worker?.host !== hostName()) return "unknown";
  return isAlive(worker) ? "alive" : "dead";
}

/** The process behind a name; null: it is on another machine, or not a process of Pawl. */
export function processOf(name: string): ProcessIdentity | null {
  const worker = readWorker(name);
  return worker?.host === hostName() ? { pid: worker.pid, startedAt: worker.startedAt } : null;
}

/** Attempts whose driver is dead; nothing is changed. */
export async function findOrphans({
  dispatch,
}: {
  readonly dispatch: Pick<Dispatch, "leases">;
}): Promise<ReadonlySet<AttemptId>> {
  const leases = await dispatch.leases({ endedBefore: null });
  return new Set(leases.filter((lease) => lifeOfWorker(lease.worker) === "dead").map((lease) => lease.attempt));
}

/** What moves each run now: the process that drives it, or the agents that have claimed its steps. Runs without are not in it. */
export async function driversOf({
  dispatch,
  clock,
}: {
  readonly dispatch: Pick<Dispatch, "leases" | "drivers">;
  readonly clock: Clock;
}): Promise<ReadonlyMap<RunId, string>> {
  const found = new Map<RunId, string>();
  for (const { run, worker, until } of await dispatch.leases({ endedBefore: null })) {
    if (isPulled({ worker }) && !isPast(clock, until)) found.set(run, "agents that pull");
  }
  for (const { run, worker, until } of await dispatch.drivers()) {
    const life = lifeOfWorker(worker);
    if (life === "alive" || (life === "unknown" && !isPast(clock, until))) found.set(run, processInWords(worker));
  }
  return found;
}

/** The machine and the process of a worker; null: it is an agent that pulls, or nobody any more. */
export function hostAndPidOf(name: string): { readonly host: string; readonly pid: number } | null {
  const worker = readWorker(name);
  return worker === null ? null : { host: worker.host, pid: worker.pid };
}

function readWorker(name: string): Worker | null {
  try {
    const value: unknown = JSON.parse(name);
    const known =
      typeof value === "object" && value !== null && "host" in value && "pid" in value && "startedAt" in value;
    return known ? (value as Worker) : null;
  } catch {
    return null;
  }
}

/** The name under which an attempt is held that outlives its driver, after that one has gone: the next driver takes it. */
export const noWorker = "left";

const pulling = "pull:";

/** The name under which an agent that pulls holds its attempts. */
export function pullingWorker(agent: string): string {
  return `${pulling}${agent}`;
}

export function isPulled({ worker }: { readonly worker: string }): boolean {
  return worker.startsWith(pulling);
}
