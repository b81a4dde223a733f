// Workers, queues and accounts as the command line prints them.

import type { AccountList, MachineDocument, QueueDocument, WorkerDocument } from "../../contracts/http-documents.ts";
import { counted } from "../../domain/counted.ts";
import { localTime } from "../../system/local-time.ts";
import { durationText, table } from "./table.ts";

export function workersTable(workers: readonly WorkerDocument[], now: number): string {
  const head = ["worker", "host", "life", "since", "heard", "drives", "performs"];
  return table([head, ...workers.map((worker) => row(worker, now))]);
}

function row(document: WorkerDocument, now: number): readonly string[] {
  const { worker, host, pid, life, since, heardAt, drives, performs } = document;
  return [
    // The host has a column.
    pid === null ? worker : `process ${pid}`,
    host ?? "–",
    life,
    since === null ? "–" : localTime(Date.parse(since), now),
    heardAt === null ? "–" : `${durationText(now - Date.parse(heardAt))} ago`,
    shortened(drives.map(({ number }) => `#${number}`)),
    shortened(
      performs.map((work) => {
        const place = work.story === null ? work.step : `${work.story}/${work.step}`;
        return `#${work.number} ${place} (${durationText(now - Date.parse(work.since))})`;
      }),
    ),
  ];
}

const mostNamed = 6;

function shortened(names: readonly string[]): string {
  if (names.length === 0) return "–";
  const more = names.length - mostNamed;
  return [...names.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** `machine build-2 (guest; linux, gpu): heard of 3s ago` */
export function machineLine({ host, guest, labels, heardAt }: MachineDocument, now: number): string {
  const is = guest ? "guest" : "has the repositories";
  return `machine ${host} (${is}; ${labels.join(", ")}): heard of ${durationText(now - Date.parse(heardAt))} ago`;
}

/** `queue home.4f2a: 3 steps wait (the first for 2m10s), 1 waits for its time, 2 attempts are performed` */
export function queueLine(
  { queue, waiting, deferred, active, lost, waitingSince }: QueueDocument,
  now: number,
): string {
  const since = waitingSince === null ? "" : ` (the first for ${durationText(now - Date.parse(waitingSince))})`;
  const parts = [
    `${counted(waiting, "step waits", "steps wait")}${since}`,
    ...(deferred === 0 ? [] : [counted(deferred, "waits for its time", "wait for their time")]),
    counted(active, "attempt is performed", "attempts are performed"),
    ...(lost === 0 ? [] : [counted(lost, "attempt has lost its worker", "attempts have lost their workers")]),
  ];
  return `${queue === null ? "ready" : `queue ${queue}`}: ${parts.join(", ")}`;
}

const causes = { quota: "its quota is used up", auth: "it is not logged in" } as const;

export function accountLines(accounts: AccountList["accounts"], now: number): readonly string[] {
  return accounts.map(({ account, cause, until, times, why }) => {
    const next = cause === "auth" ? "log in, then `pawl retry`" : `tried again at ${localTime(Date.parse(until), now)}`;
    return `account ${account}: ${causes[cause]} (refused ${counted(times, "time")}); ${next}${why === "" ? "" : `: ${why}`}`;
  });
}
