// Where branches and tags are when an attempt begins, and later.

import { readRefs } from "../../../workspaces/git/refs.ts";
import type { Claim } from "../claim/claim.ts";
import { mayOnlyRead } from "../claim/read-access.ts";
import type { Workspace } from "../prepare/workspace.ts";

/** Where each branch and tag is. */
export type RefPlaces = Readonly<Record<string, string>>;

/** Null where nothing is compared: the agent may write, or the tree is not Pawl's. */
export async function refsBefore(claim: Claim, { path, base }: Workspace): Promise<RefPlaces | null> {
  return mayOnlyRead(claim) && base !== null ? await refsNow(path) : null;
}

export async function refsNow(path: string): Promise<RefPlaces> {
  return Object.fromEntries(await readRefs(path, ["refs/heads", "refs/tags"]));
}
