// The sessions of a project: runs whose shared folder is in its `.workflow/.ralph`. The store knows them; the folders only show them.

import { rmdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { AppError } from "../../domain/error.ts";
import type { Run, RunStatus } from "../../domain/run.ts";
import { projectOf } from "../../protocols/lifecycle/standing/workflow-folder.ts";
import { driversOf } from "../../runtime/worker.ts";
import type { RunSummary, Store } from "../../store/store.ts";
import type { Application } from "../application.ts";
import type { LifecycleProject } from "./project.ts";

export interface KnownSession {
  readonly summary: RunSummary;
  readonly run: Run;
  /** The name of its folder. */
  readonly id: string;
  readonly folder: string;
}

const open: readonly RunStatus[] = ["running", "held", "paused", "failed"];
const mostRuns = 1_000;

/** Sessions that are not over, the newest first. One that failed can be retried, so it is not over. */
export async function openSessions(
  store: Pick<Store, "listRuns" | "wholeRun">,
  project: LifecycleProject,
): Promise<readonly KnownSession[]> {
  return await sessionsIn(store, project, open);
}

/** Also those that are over, the newest first. */
export async function allSessions(
  store: Pick<Store, "listRuns" | "wholeRun">,
  project: LifecycleProject,
): Promise<readonly KnownSession[]> {
  return await sessionsIn(store, project, null);
}

async function sessionsIn(
  store: Pick<Store, "listRuns" | "wholeRun">,
  { root }: LifecycleProject,
  statuses: readonly RunStatus[] | null,
): Promise<readonly KnownSession[]> {
  const found: KnownSession[] = [];
  for (const summary of await store.listRuns({ statuses, limit: mostRuns })) {
    if (summary.repo !== root) continue;
    const run = await store.wholeRun(summary.id);
    const folder = run?.header.place.shared;
    if (run === null || folder === undefined || projectOf({ shared: folder }) !== root) continue;
    found.push({ summary, run, id: basename(folder), folder });
  }
  return found;
}

/**
 * Two that continue one session, or that work in one folder: the second one is refused. `session`: the one that is to continue; null: a
 * new one, that will work in the project itself.
 */
export async function assertFree(
  app: Application,
  project: LifecycleProject,
  session: KnownSession | null,
): Promise<void> {
  const { parts } = await app.read();
  const drivers = await driversOf(parts);
  const sharesFolder = session === null || worksInProject(session);
  for (const other of await openSessions(parts.store, project)) {
    const driver = drivers.get(other.summary.id);
    const isSame = other.id === session?.id;
    // At its stop, nothing works there: its driver sends the last messages, and leaves.
    if (other.summary.status === "held") continue;
    if (driver === undefined || !(isSame || (sharesFolder && worksInProject(other)))) continue;
    throw new AppError("REFUSED", `${other.id} is at work${isSame ? "" : " in the same folder"}: ${driver} drives it`, {
      hint: `wait for its next stop; \`pawl logs ${other.summary.number} --follow\` shows what it does`,
    });
  }
}

/** Its skills work in the project's folder, not in a tree of their own. */
export function worksInProject({ run }: KnownSession): boolean {
  return run.header.place.kind !== "worktree";
}

/** A session that did not start leaves no folder, nor a `.workflow` that would say something about the project. */
export function removeSessionFolder(folder: string): void {
  for (const dir of [folder, dirname(folder), dirname(dirname(folder))]) {
    try {
      rmdirSync(dir);
    } catch {
      return;
    }
  }
}
