// Opening a project: what the files of a protocol ask for, with the runs of this store at hand.

import type { Opening, OpenRequest } from "../../protocols/protocol.ts";
import type { Parts } from "../parts.ts";

/** `protocol`: its name. */
export async function openProject(
  { protocols, store }: Pick<Parts, "protocols" | "store">,
  protocol: string,
  project: Omit<OpenRequest, "runs">,
): Promise<Opening> {
  const runs: OpenRequest["runs"] = {
    async find(id) {
      const loaded = await store.transaction((tx) => tx.load(id, () => []));
      return loaded === null ? null : { number: loaded.number, header: loaded.run.header };
    },
  };
  return await protocols.of({ protocol }).open({ ...project, runs });
}
