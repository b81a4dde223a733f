// Opening a project: what the files of a protocol ask for, with the runs of this store at hand.

import type { Event } from "../../domain/event.ts";
import { shownOf } from "../../protocols/files/sidecar.ts";
import type { Opening, OpenRequest, RunLookup } from "../../protocols/protocol.ts";
import type { Store } from "../../store/store.ts";
import { hasCommit } from "../../workspaces/clones/clone.ts";
import type { Parts } from "../parts.ts";
import { keepsPlace, runsAtPlace } from "../transition/place-owner.ts";

/** `repo`: the root of the repository that the work is in. */
export type ProjectFiles = Omit<OpenRequest, "runs" | "text"> & { readonly repo: string };

/** `protocol`: its name. `read` is called after the files of an earlier run are complete, because they include this one. */
export async function openProject(
  parts: Pick<Parts, "protocols" | "store" | "projections">,
  protocol: string,
  { repo, ...project }: ProjectFiles,
  read: () => string,
): Promise<Opening> {
  const runs = lookupIn(parts.store, repo);
  await completeFiles(parts, runs, project);
  return await parts.protocols.of({ protocol }).open({ ...project, text: read(), runs });
}

/** A driver may have died after the last commit of its run and before the files showed it. */
async function completeFiles(
  { store, projections }: Pick<Parts, "store" | "projections">,
  runs: RunLookup,
  { folder, path }: Pick<ProjectFiles, "folder" | "path">,
): Promise<void> {
  const last = (await runs.at({ folder, file: path })).find(({ file }) => file === path);
  if (last === undefined || !last.isOver || last.folder === null) return;
  const shown = shownOf(last.folder, last.id);
  if (shown === null || (await store.events(last.id, shown, 1)).length === 0) return;
  await projections.show(last.id);
}

const batch = 1_000;

function lookupIn(store: Store, repo: string): RunLookup {
  return {
    async find(id) {
      const loaded = await store.transaction((tx) => tx.load(id, () => []));
      return loaded === null ? null : { number: loaded.number, header: loaded.run.header };
    },
    async at({ folder, file }) {
      const runs = await runsAtPlace(store, { repo, shared: folder, source: file });
      return runs.map((run) => ({
        id: run.id,
        number: run.number,
        isOver: !keepsPlace(run),
        folder: run.shared,
        file: run.source,
      }));
    },
    specs: (id) => store.storySpecs(id),
    beganHere: async ({ header: { place } }) => place.base === null || (await hasCommit(repo, place.base)),
    async eventsAfter(id, seq) {
      const events: Event[] = [];
      for (let after = seq; ; ) {
        const more = await store.events(id, after, batch);
        events.push(...more.map(({ event }) => event));
        const last = more.at(-1);
        if (last === undefined) return events;
        after = last.seq;
      }
    },
  };
}
