// The health of the service. Owns: one document of what the doctor finds, the store, the processes that drive runs, accounts and
// schedules. It takes a bounded time, and asks the doctor rarely: that starts programs for their versions.

import { statSync } from "node:fs";
import type { HealthDetails } from "../../contracts/http-documents.ts";
import type { DoctorDocument } from "../../contracts/machine-documents.ts";
import { isoTime } from "../../runtime/views/status.ts";
import { driversOf } from "../../runtime/worker.ts";
import type { RunSummary, Store } from "../../store/store.ts";
import { packageVersion } from "../../system/package-root.ts";
import type { Application, ReadSession } from "../application.ts";
import { statusCounts } from "../looking/status-counts.ts";
import { firstLine } from "../references.ts";
import { schedules } from "../schedules/schedules.ts";
import { examine } from "../setup/doctor.ts";
import { workOverview } from "./workers.ts";

/** `streams`: how many are open. */
export async function healthDetails(app: Application, streams: number): Promise<HealthDetails> {
  const { parts } = await app.read();
  const runs = await parts.store.runCounts();
  return {
    service: {
      version: packageVersion(),
      pid: process.pid,
      startedAt: isoTime(Math.round(performance.timeOrigin)),
      streams,
    },
    store: {
      ...storeFile(app),
      runs: statusCounts(runs),
    },
    doctor: await recentlyExamined(app),
    undriven: await undrivenRuns(parts),
    ...(await workOverview(app)),
    ...(await schedules(app)),
  };
}

function storeFile({ storeName, storeLabel, home }: Application): Pick<HealthDetails["store"], "name" | "bytes"> {
  const file = storeName === null ? home.storeFile : /^sqlite:(.+)$/.exec(storeName)?.[1];
  if (file === undefined) return { name: storeLabel ?? "", bytes: null };
  const sizes = [file, `${file}-wal`].map((name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0);
  return { name: file, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

const mostUndriven = 50;

async function undrivenRuns(parts: ReadSession["parts"]): Promise<HealthDetails["undriven"]> {
  const running = await parts.store.listRuns({ statuses: ["running"], limit: 1_000 });
  const drivers = await driversOf(parts);
  const left = running.filter(({ id }) => !drivers.has(id)).slice(0, mostUndriven);
  return await Promise.all(
    left.map(async (run) => ({
      run: run.id,
      number: run.number,
      task: firstLine(run.task, 200),
      since: isoTime(await lastEventAt(parts.store, run)),
    })),
  );
}

async function lastEventAt(store: Store, { id, startedAt }: RunSummary): Promise<number> {
  const [last] = await store.events(id, (await store.lastSeq(id)) - 1, 1);
  return last?.event.at ?? startedAt;
}

interface Examination {
  readonly at: number;
  readonly document: Promise<DoctorDocument>;
}

const examinations = new WeakMap<Application, Examination>();
const freshMs = 30_000;
const longestMs = 10_000;

/** Callers at the same time share one examination. null: it takes too long; a later call may have it. */
async function recentlyExamined(app: Application): Promise<DoctorDocument | null> {
  const now = performance.now();
  const known = examinations.get(app);
  const current = known !== undefined && now - known.at < freshMs ? known : { at: now, document: examine(app) };
  if (current !== known) {
    examinations.set(app, current);
    // What failed is not kept.
    current.document.catch(() => examinations.delete(app));
  }
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), longestMs);
  });
  try {
    return await Promise.race([current.document, late]);
  } finally {
    clearTimeout(timer);
  }
}
