// The state before an integration. Owns: recording it in the git directory of the tree before the tree is changed, and restoring it
// after a refusal or a crash.

import { join } from "node:path";
import { writeInside } from "../../system/files/inside.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { readIfReadable } from "../../system/files/text.ts";
import { type OwnedTree } from "../trees/ownership.ts";
import { restoreSnapshot, stateFile } from "../trees/restore.ts";

interface RememberedState {
  readonly snapshot: string;
  /** Files of a merge that the agent resolved and did not commit; without them git would forget what was merged. */
  readonly merge: Readonly<Record<string, string>>;
}

const mergeFiles = ["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG"];

/** Records the state that the snapshot has, for `putBack`. */
export function rememberState({ gitDir }: OwnedTree, snapshot: string): void {
  const texts = mergeFiles.map((name) => [name, readIfReadable(join(gitDir, name))] as const);
  const merge = Object.fromEntries(texts.filter((entry): entry is [string, string] => entry[1] !== null));
  writeJson(stateFile(gitDir), { snapshot, merge } satisfies RememberedState);
}

/** Restores the recorded state. False if none is recorded; then nothing changes. */
export async function putBack({ path, gitDir }: Pick<OwnedTree, "path" | "gitDir">): Promise<boolean> {
  const before = readJson(stateFile(gitDir)) as RememberedState | null;
  if (before === null) return false;
  await restoreSnapshot(path, before.snapshot);
  for (const [name, text] of Object.entries(before.merge)) writeInside(gitDir, join(gitDir, name), text);
  return true;
}
