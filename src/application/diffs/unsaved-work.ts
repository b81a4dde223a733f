// Unsaved work. Owns: finding what a run that is over has nowhere but in its trees: uncommitted files, and stories that were parked.

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { errorText } from "../../domain/error.ts";
import type { Run } from "../../domain/run.ts";
import { byProductsOf } from "../../runtime/trees/left-work.ts";
import { readParked } from "../../workspaces/slots/parking.ts";
import { isConnected } from "../../workspaces/trees/heal.ts";
import { ownedTree } from "../../workspaces/trees/ownership.ts";
import { isReachable, whyNotDisposable } from "../../workspaces/trees/removal.ts";
import { parseSnapshot } from "../../workspaces/trees/snapshot.ts";

/** One sentence for each place with such work, with what to do. `trees`: what the run has in the folder of trees. Changes nothing. */
export async function unsavedWork(run: Run, trees: readonly string[]): Promise<readonly string[]> {
  const found: (string | null)[] = [];
  for (const path of trees) {
    if (path.endsWith(".parked")) found.push(...(await parkedIn(run, path)));
    // Half removed already: it was found to have none.
    else if (!path.endsWith(".gone") && statSync(path, { throwIfNoEntry: false })?.isDirectory())
      found.push(await unsavedIn(run, path));
  }
  return found.filter((text) => text !== null);
}

async function unsavedIn({ header }: Run, path: string): Promise<string | null> {
  if (readdirSync(path).length === 0) return null;
  const asked = `commit what you need there, delete the rest, and clean again`;
  if (ownedTree(path) === null || !isConnected(path) || !existsSync(header.place.repo ?? ""))
    return `tree ${path}: git cannot tell whether its files are committed; copy what you need, delete it, and clean again`;
  try {
    const why = await whyNotDisposable(path, byProductsOf(header));
    return why === null ? null : `tree ${path}: ${why}; ${asked}`;
  } catch (error) {
    return `tree ${path}: ${errorText(error)}; ${asked}`;
  }
}

/** What a story had when its slot was removed is in refs of Pawl alone. */
async function parkedIn({ header }: Run, folder: string): Promise<readonly string[]> {
  const { repo } = header.place;
  const found: string[] = [];
  for (const name of readdirSync(folder)) {
    const story = basename(name, ".json");
    const parked = readParked(join(folder, name));
    const isDone = header.stories.some(({ id, status }) => id === story && status === "done");
    if (parked === null || isDone || repo === null || !existsSync(repo)) continue;
    const { head, content } = parseSnapshot(parked);
    if (content !== null || !(await isReachable(repo, head, header.place.base)))
      found.push(
        `story ${story}: it has uncommitted work, in ${content ?? head} (\`git show\`); retry the run, or take it from there`,
      );
  }
  return found;
}
