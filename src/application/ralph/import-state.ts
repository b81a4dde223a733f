// Taking over a state. Owns: starting a run from the `workflow_state.json` of another program.

import { join } from "node:path";
import { readState } from "../../protocols/ralph/imported-state.ts";
import { readPrd } from "../../protocols/ralph/prd.ts";
import { planState, taskOf } from "../../protocols/ralph/prd-plan.ts";
import { importedName } from "../../protocols/ralph/shared.ts";
import { assertFreePlace } from "../../runtime/transition/place-owner.ts";
import { makeFolder } from "../../runtime/trees/protocol-folder.ts";
import { writeInside } from "../../system/files/inside.ts";
import { realPath } from "../../system/files/paths.ts";
import type { Application } from "../application.ts";
import { readText } from "../files.ts";
import {
  folderFor,
  type ProjectRequest,
  performStories,
  type StoriesResult,
  startStories,
} from "../starting/stories-given.ts";

/** Stories that are done stay done, the others continue where they were. `prd`: the PRD that the state was made from. */
export async function importState(
  app: Application,
  file: string,
  request: ProjectRequest & { readonly prd?: string | undefined },
): Promise<StoriesResult> {
  const text = readText(file, app.path(file));
  const state = readState(text, file);
  const prd = request.prd === undefined ? null : readPrd(readText(request.prd, app.path(request.prd)), request.prd);
  const shared = await folderFor(app, request);
  return await performStories(app, request, async (session) => {
    const plan = planState(state, prd);
    await assertFreePlace(session.parts.store, { repo: null, shared });
    makeFolder(shared);
    writeInside(shared, join(shared, importedName), text);
    const given = { ...plan, source: request.prd === undefined ? null : realPath(app.path(request.prd)), shared };
    const task = prd ? taskOf(prd, file) : `Continue ${file}`;
    return await startStories(app, session, { task, given }, request);
  });
}
