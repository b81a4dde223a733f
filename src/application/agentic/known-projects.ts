// The projects that runs of this store have worked on, each as `pawl project status` shows it.

import { basename, dirname } from "node:path";
import type { ProjectList } from "../../contracts/http-documents.ts";
import type { ProjectStatus } from "../../contracts/project-documents.ts";
import { AppError } from "../../domain/error.ts";
import type { Application } from "../application.ts";
import { sayFound } from "./found.ts";
import { projectAt } from "./place.ts";
import { type ProjectView, viewProject } from "./view.ts";

export async function knownProjects(app: Application): Promise<ProjectList> {
  const { shared } = await (await app.read()).parts.store.places();
  const projects: ProjectStatus[] = [];
  const unreadable: { readonly root: string; readonly why: string }[] = [];
  for (const root of shared.filter((folder) => basename(folder) === ".ai").map(dirname)) {
    try {
      const place = await projectAt(app, root);
      projects.push(projectStatus(await viewProject(app, place), await sayFound(app, place)));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      unreadable.push({ root, why: error.message });
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
