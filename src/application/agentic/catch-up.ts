// Catches up with a project before a command changes it: refuses a folder that is not the project's own, ends the attempts of dead
// drivers and those whose time is over, looks at what others did to the files, and writes those that a killed driver had not written.

import { AppError } from "../../domain/error.ts";
import { recover } from "../../runtime/loop/recover.ts";
import type { Application } from "../application.ts";
import { folderTrouble } from "./folder-owner.ts";
import { brokenIn } from "./found.ts";
import type { ProjectPlace } from "./place.ts";
import { openRun, runsOf } from "./project-runs.ts";

export interface CatchUpRequest {
  /** Also a folder that was made anew, or copied. */
  readonly takeOver?: boolean | undefined;
}

export async function catchUp(
  app: Application,
  place: ProjectPlace,
  { takeOver = false }: CatchUpRequest = {},
): Promise<void> {
  const trouble = await folderTrouble(app, place);
  if (trouble !== null && (trouble.kind === "foreign" || !takeOver))
    throw new AppError("REFUSED", trouble.why, { hint: trouble.hint });
  await app.change(null, async ({ parts }) => {
    await recover(parts);
    const run = (await openRun(parts.store, place)) ?? (await runsOf(parts.store, place))[0];
    if (run === undefined) for (const note of brokenIn(place)) app.warn(note);
    else await parts.projections.show(run.id);
  });
}
