// Catches up with a project before a command looks at it: ends the attempts of dead drivers and those whose time is over, and writes the
// files again that a driver could not write any more, because it was killed after its last commit.

import { recover } from "../../runtime/loop/recover.ts";
import type { Application } from "../application.ts";
import type { ProjectPlace } from "./place.ts";
import { openRun, runsOf } from "./project-runs.ts";

export async function catchUp(app: Application, place: ProjectPlace): Promise<void> {
  await app.change(null, async ({ parts }) => {
    await recover(parts);
    const run = (await openRun(parts.store, place)) ?? (await runsOf(parts.store, place))[0];
    if (run !== undefined) await parts.projections.show(run.id);
  });
}
