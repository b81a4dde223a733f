// Handing a run over to the service. Owns: whether the service of this home should drive it, and following it there. A run whose meaning
// would change is driven by the caller: the service has other variables, another store, or does not know an option of this call.

import { agents } from "../../app.ts";
import { agentName, type RunId } from "../../domain/ids.ts";
import type { Header, RunStatus } from "../../domain/run.ts";
import { executorIn } from "../../executors/executor-config.ts";
import type { Parts } from "../../runtime/parts.ts";
import { isPulled, lifeOfWorker } from "../../runtime/worker.ts";
import { isPast } from "../../system/clock.ts";
import { packageVersion } from "../../system/package-root.ts";
import { outsideVariables } from "../../system/process/environment.ts";
import { differing, readRecord, readService, type ServiceRecord } from "../../system/service-file.ts";
import type { Application, Session } from "../application.ts";

export interface HandOverRequest {
  /** A service of this home may drive the run instead; the caller then follows it. */
  readonly mayHandOver?: boolean | undefined;
  /** Attempts at once. Default: as configured. */
  readonly concurrency?: number | null | undefined;
  /** Aborted: the caller does not want to follow or drive it any longer. */
  readonly signal: AbortSignal;
  /** Receives what a person should know, as it happens. */
  readonly onNote?: ((note: string) => void) | undefined;
}

/** The service of this home and of the store of this application; null: none runs. */
export function serviceHere({ home, storeLabel }: Application): ServiceRecord | null {
  const service = readService(home.serviceFile);
  return service !== null && service.store === storeLabel ? service : null;
}

/** What decides who performs a run. */
type Performed = Pick<Header, "definition" | "executor">;

/** The service that drives this run for the caller; null: the caller drives it itself, and hears why if a service runs. */
export async function serviceFor(
  app: Application,
  session: Session,
  run: Performed,
  { mayHandOver = false, concurrency = null, onNote }: Omit<HandOverRequest, "signal">,
): Promise<ServiceRecord | null> {
  const service = mayHandOver ? serviceHere(app) : null;
  if (service === null) return null;
  const why =
    (app.trusts ? "--trust counts for this command alone" : null) ??
    (concurrency === null ? null : "--concurrency counts for this command alone") ??
    (await otherVariables(app, session, run, service)) ??
    // A newer command has asked it to restart by now.
    (service.version === packageVersion() ? null : `the service is version ${service.version}`);
  if (why === null) return service;
  onNote?.(`${why}: this command drives the run itself, not the service (process ${service.pid})`);
  return null;
}

/** Agents see few variables of the process that starts them. Where those differ, so may programs, accounts and bills. */
async function otherVariables(
  app: Application,
  { parts, config }: Session,
  run: Performed,
  { variables }: ServiceRecord,
): Promise<string | null> {
  const names = Object.keys(run.definition.agents).flatMap((agent) => parts.executors.namesFor(run, agentName(agent)));
  const own = await Promise.all(
    [...new Set(names)].map(async (name) => {
      const configured = executorIn(config, name);
      const profile = await agents.find(configured?.preset ?? configured?.kind ?? name)?.profile();
      return [...(configured?.env ?? []), ...(profile?.keys ?? [])];
    }),
  );
  const all = new Set([...outsideVariables({ ...app.env, ...variables.sums }), ...own.flat()]);
  const others = differing(variables, app.env, [...all]);
  if (others.length === 0) return null;
  const shown =
    others.length > 3 ? `${others.slice(0, 3).join(", ")} and ${others.length - 3} more` : others.join(", ");
  return `the service has other values of ${shown}`;
}

/** A worker performs an attempt of the run. Its lease says nothing about its life: on a server none is renewed. */
async function isAtWork(dispatch: Pick<Parts["dispatch"], "leases">, run: RunId): Promise<boolean> {
  return (await dispatch.leases({ endedBefore: null })).some(
    (lease) => lease.run === run && !isPulled(lease) && lifeOfWorker(lease.worker) !== "dead",
  );
}

/** How long a run may be without a driver: a service that is there takes it within a second. */
const undrivenMs = 10_000;
/** How long a service that has ended may take to come back: one that was upgraded, or that a supervisor starts again. */
const absentMs = 5_000;
const lookEveryMs = 500;
/** The same while its driver finishes: soon the caller can go on. */
const lookAtEndEveryMs = 100;

/**
 * Follows a run that the service drives, until its driver has left it: only then agents are gone, files are written, and the base and
 * the trees are as the run leaves them. null: the service does not drive it, and the caller should.
 */
export async function followService(
  app: Application,
  { store, dispatch, clock }: Pick<Parts, "store" | "dispatch" | "clock">,
  { run, number }: { readonly run: RunId; readonly number: number },
  { signal, onNote }: Pick<HandOverRequest, "signal" | "onNote">,
): Promise<RunStatus | "left" | "interrupted" | null> {
  let [undrivenSince, absentSince]: (number | null)[] = [null, null];
  for (;;) {
    const status = (await store.runById(run))?.status ?? "cancelled";
    const driver = (await dispatch.drivers()).find((each) => each.run === run);
    const isDriven = driver !== undefined && lifeOfWorker(driver.worker) !== "dead" && !isPast(clock, driver.until);
    if (status !== "running") {
      if (signal.aborted || !(isDriven || (await isAtWork(dispatch, run)))) return status;
      await clock.sleep(lookAtEndEveryMs, signal);
      continue;
    }
    if (signal.aborted) return "left";
    const now = clock.steady();
    const service = serviceHere(app);
    undrivenSince = isDriven ? null : (undrivenSince ?? now);
    absentSince = isDriven || service !== null ? null : (absentSince ?? now);
    const trouble = isDriven ? undefined : service?.troubles[run];
    const silence = driver === undefined ? "it has not begun to" : "it does not renew its lease";
    const isLeft = absentSince !== null && now - absentSince >= absentMs;
    // A service that was stopped has removed its record: its runs were stopped on purpose.
    if (isLeft && readRecord(app.home.serviceFile) === null) {
      onNote?.("the service was stopped");
      return "interrupted";
    }
    const why =
      trouble?.why ??
      (isLeft ? "it was killed" : undrivenSince !== null && now - undrivenSince >= undrivenMs ? silence : null);
    if (why !== null) {
      onNote?.(`the service does not drive run #${number} (${why}): this command tries to`);
      return null;
    }
    await clock.sleep(lookEveryMs, signal);
  }
}
