// The workflow of a schedule: an installed or bundled one, read again whenever its file changes.

import { statSync } from "node:fs";
import { AppError } from "../../domain/error.ts";
import type { Schedule } from "../../domain/schedule.ts";
import { findWorkflow, type OpenedWorkflow, openWorkflow } from "../../runtime/runs/workflow-library.ts";
import type { Application } from "../application.ts";
import { assertListed } from "../workflows/workflows.ts";

type Place = Pick<Application, "home" | "cwd" | "protocols">;

/** With its schedule; throws where the workflow is not there, cannot be loaded, or has no schedule. */
export function openScheduled(place: Place, id: string): OpenedWorkflow & { readonly schedule: Schedule } {
  const { home, protocols, cwd } = place;
  assertListed(place, id);
  const { schedule, ...opened } = openWorkflow(home, id, protocols, cwd, { plans: true });
  // A file of a repository changes with every push, and nobody looks before it runs.
  if (opened.origin === "path") {
    throw new AppError("USAGE", `${id} is a path; only an installed workflow has a schedule that counts`, {
      hint: "`pawl workflow install PATH` keeps a copy",
    });
  }
  if (schedule !== undefined) return { ...opened, schedule };
  throw new AppError("WORKFLOW_INVALID", `the workflow ${id} has no schedule`, {
    hint: 'write `schedule: { cron: "0 3 * * *", zone: ZONE, task: TASK }` into its file, and install it again',
  });
}

/** Reads the schedules of workflows, and again only when the file is another one. */
export class ScheduleFiles {
  readonly #place: Place;
  readonly #known = new Map<string, { readonly stamp: string; readonly schedule: Schedule }>();

  constructor(place: Place) {
    this.#place = place;
  }

  /** Throws as `openScheduled` does. */
  read(id: string): Schedule {
    const stamp = this.#stampOf(id);
    const known = this.#known.get(id);
    if (known?.stamp === stamp) return known.schedule;
    this.#known.delete(id);
    const { schedule } = openScheduled(this.#place, id);
    this.#known.set(id, { stamp, schedule });
    return schedule;
  }

  #stampOf(id: string): string {
    const { home, cwd } = this.#place;
    const { file } = findWorkflow(home, id, cwd);
    const { ino, size, mtimeMs } = statSync(file);
    return `${file} ${ino} ${size} ${mtimeMs}`;
  }
}
