// Where branches and tags are when an attempt begins, and later.

import { readRefs } from "../../../workspaces/git/refs.ts";
import type { Claim } from "../claim/claim.ts";
import { mayOnlyRead } from "../claim/read-access.ts";
import type { Workspace } from "../prepare/workspace.ts";

/** Where each branch and tag is. */
export type RefPlaces = Readonly<Record<string, string>>;

/** Null where nothing is compared: no agent works, or the tree is not Pawl's. */
export async function refsBefore(claim: Claim, { path, base }: Workspace): Promise<RefPlaces | null> {
  return claim.definition.kind === "agent" && base !== null ? await refsNow(claim, path) : null;
}

/** An agent that writes may set a tag. */
export async function refsNow(claim: Claim, path: string): Promise<RefPlaces> {
  const compared = mayOnlyRead(claim) ? ["refs/heads", "refs/tags"] : ["refs/heads"];
  return Object.fromEntries(await readRefs(path, compared));
}
