// What somebody else did to the files of a project, for commands that change nothing: it is said, and the next command that writes
// records it.

import { join } from "node:path";
import { foreignState } from "../../protocols/agentic/first-state.ts";
import { readOptional } from "../../system/files/text.ts";
import type { Application } from "../application.ts";
import { folderTrouble } from "./folder-owner.ts";
import type { ProjectPlace } from "./place.ts";
import { openRun, runsOf } from "./project-runs.ts";

/** Returns what it says. */
export async function sayFound(app: Application, place: ProjectPlace): Promise<readonly string[]> {
  const found = await foundIn(app, place);
  for (const note of found) app.warn(note);
  return found;
}

async function foundIn(app: Application, place: ProjectPlace): Promise<readonly string[]> {
  const trouble = await folderTrouble(app, place);
  if (trouble !== null) return [`${trouble.why}. ${trouble.hint}`];
  const { store, projections } = (await app.read()).parts;
  const run = (await openRun(store, place)) ?? (await runsOf(store, place))[0];
  if (run === undefined) return brokenIn(place);
  const { changes, known } = await projections.look(run.id);
  return [...known, ...changes.map(({ why }) => why)];
}

/** Before a run, nothing can restore it. */
export function brokenIn({ ai }: ProjectPlace): readonly string[] {
  const file = join(ai, "STATE.json");
  const text = readOptional(file);
  const broken = text === null ? null : foreignState(text);
  return broken === null ? [] : [`${file} ${broken}; correct it or move it away`];
}
