// The projects that runs of this store have worked on, each as `pawl project status` shows it.

import { basename, dirname } from "node:path";
import type { ProjectList } from "../../contracts/http-documents.ts";
import type { ProjectStatus } from "../../contracts/project-documents.ts";
import { AppError } from "../../domain/error.ts";
import type { Application } from "../application.ts";
import { sayFound } from "./found.ts";
import { type ProjectPlace, projectAt } from "./place.ts";
import { type ProjectView, viewProject } from "./view.ts";

interface Unreadable {
  readonly root: string;
  readonly why: string;
}

/** The folders that `.ai/` is in, and those where it is no more. */
export async function knownPlaces(
  app: Application,
): Promise<{ readonly places: readonly ProjectPlace[]; readonly unreadable: readonly Unreadable[] }> {
  const { shared } = await (await app.read()).parts.store.places();
  const places: ProjectPlace[] = [];
  const unreadable: Unreadable[] = [];
  for (const root of shared.filter((folder) => basename(folder) === ".ai").map(dirname)) {
    try {
      places.push(await projectAt(app, root));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      unreadable.push({ root, why: error.message });
    }
  }
  return { places, unreadable };
}

export async function knownProjects(app: Application): Promise<ProjectList> {
  const known = await knownPlaces(app);
  const projects: ProjectStatus[] = [];
  const unreadable = [...known.unreadable];
  for (const place of known.places) {
    try {
      projects.push(projectStatus(await viewProject(app, place), await sayFound(app, place)));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      unreadable.push({ root: place.root, why: error.message });
    }
  }
  return { projects, unreadable };
}

export function projectStatus(
  { place, run, state, gate, context, commands, report }: ProjectView,
  notes: readonly string[],
): ProjectStatus {
  const { next = null, done = [] } = context;
  return {
    root: place.root,
    level: place.level,
    run: run?.number ?? null,
    state,
    question: gate?.question ?? null,
    options: gate === null ? [] : Object.keys(gate.options),
    commands: commands.map(({ command }) => command),
    done,
    next: next === null ? null : { id: next.id, title: next.title },
    report,
    notes,
  };
}
