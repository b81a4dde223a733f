// What works on runs, and what cannot: the processes that drive runs and perform attempts, and the accounts that refused an agent.

import type { AccountList, WorkerList } from "../contracts/http-documents.ts";
import { isoTime } from "../runtime/views/status.ts";
import { lifeOfWorker, processInWords } from "../runtime/worker.ts";
import type { Application } from "./application.ts";

/** Each process with the runs that it drives and the attempts that it performs. */
export async function workers(app: Application): Promise<WorkerList> {
  const { dispatch } = (await app.read()).parts;
  const found = new Map<string, { readonly runs: string[]; readonly attempts: string[] }>();
  const of = (worker: string) => {
    const known = found.get(worker) ?? { runs: [], attempts: [] };
    found.set(worker, known);
    return known;
  };
  for (const { worker, run } of await dispatch.drivers()) of(worker).runs.push(run);
  for (const { worker, attempt } of await dispatch.leases({ endedBefore: null })) of(worker).attempts.push(attempt);
  const list = [...found].map(([worker, work]) => ({
    worker: processInWords(worker),
    life: lifeOfWorker(worker),
    ...work,
  }));
  return { workers: list };
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
