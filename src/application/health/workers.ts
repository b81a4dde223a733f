// What works on runs, what waits for it, and what it cannot use: the processes that drive runs and perform attempts, the queues of ready
// steps, and the accounts that refused an agent.

import type {
  AccountList,
  MachineDocument,
  QueueList,
  WorkerDocument,
  WorkerList,
  WorkOverview,
} from "../../contracts/http-documents.ts";
import { nameWithPart } from "../../domain/attempt.ts";
import type { AttemptId, RunId } from "../../domain/ids.ts";
import { isoTime } from "../../runtime/views/status.ts";
import { hostAndPidOf, isPulled, lifeOfWorker, noWorker, processInWords, processOf } from "../../runtime/worker.ts";
import type { DriverLease, Lease } from "../../store/store.ts";
import { startTimeOf } from "../../system/process/identity.ts";
import type { Application, ReadSession } from "../application.ts";
import { firstLine } from "../references.ts";

type Parts = ReadSession["parts"];
type Overview = Awaited<ReturnType<Parts["dispatch"]["overview"]>>;

/** Workers, queues and accounts, of one moment. */
export async function workOverview(app: Application): Promise<WorkOverview> {
  const { parts } = await app.read();
  const overview = await parts.dispatch.overview(parts.clock.now());
  const found = await workersOf(parts, overview);
  const machines = await machinesOf(parts);
  // Whether a process of this home lives, its own machine knows better.
  const isAnyThere =
    machines.some(({ guest }) => guest) || found.some((worker) => seemsAlive(worker, parts.clock.now()));
  return { machines, workers: found, queues: queuesOf(overview, found, isAnyThere), ...(await accounts(app)) };
}

/** Each process with the runs that it drives and the attempts that it performs. */
export async function workers(app: Application): Promise<WorkerList> {
  return { workers: (await workOverview(app)).workers };
}

/** How many ready steps wait, by queue. */
export async function queues(app: Application): Promise<QueueList> {
  return { queues: (await workOverview(app)).queues };
}

/** Accounts that refused an agent and have accepted none since. */
export async function accounts(app: Application): Promise<AccountList> {
  const { store } = (await app.read()).parts;
  const held = await store.holds();
  const list = held.map(({ account, cause, since, until, times, why }) => {
    return { account, cause, since: isoTime(since), until: isoTime(until), times, why };
  });
  return { accounts: list };
}

/** Those with a worker that was heard of a moment ago. */
async function machinesOf({ machines, clock }: Parts): Promise<readonly MachineDocument[]> {
  const live = machines === null ? [] : await machines.live();
  return live.flatMap(({ host, isHost, workers: ofIt, version, silentMs }) => {
    const labels = [...new Set(ofIt.flat())];
    return silentMs === null
      ? []
      : [{ host, guest: !isHost, labels, version, heardAt: isoTime(clock.now() - silentMs) }];
  });
}

function queuesOf(
  { queues: found }: Overview,
  all: readonly WorkerDocument[],
  isAnyThere: boolean,
): QueueList["queues"] {
  // A worker that died on this machine holds its lease for a while.
  const ofDead = new Set(all.flatMap(({ life, attempts }) => (life === "dead" ? attempts : [])));
  return found.map(({ waitingSince, active, lost, ...figures }) => {
    const gone = active.filter((attempt) => ofDead.has(attempt)).length + lost.length;
    return {
      ...figures,
      active: active.length + lost.length - gone,
      lost: gone,
      waitingSince: waitingSince === null ? null : isoTime(waitingSince),
      attended: isAnyThere || figures.waiting + gone === 0,
    };
  });
}

/** Of a worker on another machine, what it renews tells. */
function seemsAlive({ life, heardAt }: WorkerDocument, now: number): boolean {
  return life === "alive" || (life === "unknown" && heardAt !== null && now - Date.parse(heardAt) < renewedForMs);
}

/** What one process holds, by whatever names: it has one for each run that it drives. */
interface Held {
  readonly name: string;
  readonly drivers: DriverLease[];
  readonly leases: Lease[];
}

/** Of what a worker holds, as much is described. */
const mostDescribed = 50;
/** A driver, and a worker that performs, hold what they have for so long and renew it long before. */
const renewedForMs = 30_000;

async function workersOf(parts: Parts, { heardAt }: Overview): Promise<readonly WorkerDocument[]> {
  const found = new Map<string, Held>();
  const of = (name: string) => {
    const process = processKey(name);
    const known = found.get(process) ?? { name, drivers: [], leases: [] };
    found.set(process, known);
    return known;
  };
  for (const driver of await parts.dispatch.drivers()) of(driver.worker).drivers.push(driver);
  for (const lease of await parts.dispatch.leases({ endedBefore: null })) of(lease.worker).leases.push(lease);
  const numbers = await runsOf(parts, [...found.values()]);
  return await Promise.all([...found.values()].map(async (held) => await describe(parts, held, heardAt, numbers)));
}

function processKey(name: string): string {
  const place = hostAndPidOf(name);
  return place === null ? name : `${place.host}/${place.pid}`;
}

type KnownRuns = ReadonlyMap<RunId, { readonly number: number; readonly task: string }>;

async function runsOf({ store }: Parts, all: readonly Held[]): Promise<KnownRuns> {
  const ids = new Set(
    all.flatMap(({ drivers, leases }) => [...drivers, ...leases].slice(0, 2 * mostDescribed).map(({ run }) => run)),
  );
  const runs = await Promise.all([...ids].map(async (id) => await store.runById(id)));
  return new Map(runs.flatMap((run) => (run === null ? [] : [[run.id, run] as const])));
}

async function describe(
  { store }: Parts,
  { name, drivers, leases }: Held,
  heardAt: ReadonlyMap<AttemptId, number>,
  known: KnownRuns,
): Promise<WorkerDocument> {
  const process = processOf(name);
  const since = process === null ? null : startTimeOf(process);
  const heard = isRenewed(name) ? [...drivers, ...leases].flatMap((held) => heardOf(held, heardAt) ?? []) : [];
  const place = hostAndPidOf(name);
  const performed = await Promise.all(
    leases.slice(0, mostDescribed).map(async ({ attempt }) => await store.attempt(attempt)),
  );
  return {
    worker: inWords(name),
    life: name === noWorker ? "dead" : lifeOfWorker(name),
    host: place?.host ?? null,
    pid: place?.pid ?? null,
    since: since === null ? null : isoTime(since),
    heardAt: heard.length === 0 ? null : isoTime(Math.max(...heard)),
    runs: drivers.map(({ run }) => run),
    attempts: leases.map(({ attempt }) => attempt),
    drives: drivers.slice(0, mostDescribed).flatMap(({ run }) => {
      const { number, task } = known.get(run) ?? {};
      return number === undefined || task === undefined ? [] : [{ run, number, task: firstLine(task, 200) }];
    }),
    performs: performed.flatMap((ref) => {
      const number = ref === null ? undefined : known.get(ref.run)?.number;
      if (ref === null || number === undefined) return [];
      const { id, story, startedAt } = ref.attempt;
      const step = nameWithPart(ref.attempt);
      return [{ attempt: id, run: ref.run, number, story, step, since: isoTime(startedAt) }];
    }),
  };
}

/** Not what an agent that pulls holds for the time that its step may take. */
function isRenewed(worker: string): boolean {
  return !isPulled({ worker }) && worker !== noWorker;
}

/** null: what it holds ends by no time, or has ended at once. */
function heardOf(held: DriverLease | Lease, heardAt: ReadonlyMap<AttemptId, number>): number | null {
  const recorded = "attempt" in held ? heardAt.get(held.attempt) : undefined;
  const { at } = held.until;
  return recorded ?? (at > 0 && at < Number.MAX_SAFE_INTEGER ? at - renewedForMs : null);
}

function inWords(name: string): string {
  if (name === noWorker) return "no process any more";
  return isPulled({ worker: name }) ? `agent ${name.slice(name.indexOf(":") + 1)}` : processInWords(name);
}
