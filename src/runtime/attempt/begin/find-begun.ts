// Finds an attempt that another process began: from the store, its slot and its begin record.

import type { AttemptId } from "../../../domain/ids.ts";
import type { Parts } from "../../parts.ts";
import { slotEnvironment } from "../../trees/provisioning.ts";
import { workspacePath } from "../../trees/workspace-paths.ts";
import { claimOf } from "../claim/claim.ts";
import type { BegunAttempt } from "./begin.ts";
import { readBeginRecord } from "./begin-record.ts";

/** null: there is no such attempt. */
export async function findBegun(
  parts: Pick<Parts, "store" | "home" | "settings">,
  id: AttemptId,
): Promise<BegunAttempt | null> {
  const found = await parts.store.attempt(id);
  if (!found) return null;
  const { story, state } = found.attempt;
  // Only its own story: all stories of a long run have thousands of attempts.
  const loaded = await parts.store.transaction((tx) => tx.load(found.run, () => (story === null ? [] : [story])));
  if (!loaded) return null;
  const { missingKeys, ...facts } = readBeginRecord(parts, found.run, found.attempt);
  const claim = claimOf(loaded.run, loaded.number, { story }, id, facts);
  if (!claim) return null;
  const { workspace = null, base = null } = state.phase === "dispatched" ? {} : state;
  const path = workspace ?? workspacePath(parts, loaded.run, story);
  return { claim, missingKeys, workspace: { path, base, env: slotEnvironment(parts, loaded.run, story) } };
}
