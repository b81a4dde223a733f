// The run's own tree. Owns: making it, and bringing what another machine has made of it.

import { mkdirSync } from "node:fs";
import type { Run } from "../../domain/run.ts";
import { ensureWorktree } from "../../workspaces/trees/worktree.ts";
import type { Parts } from "../parts.ts";
import { newestElsewhere, receiveInOwnTree } from "./arrival.ts";
import { workspacePath } from "./places.ts";
import { excludeProtocolFiles } from "./protocol-folder.ts";
import { withTreeLock } from "./trees.ts";

type OwnTreePorts = Pick<Parts, "trees" | "home" | "protocols" | "machines" | "log">;

/** Its path, where a step of the run may work now. */
export async function ensurePlace(parts: OwnTreePorts, run: Run): Promise<string> {
  const { id, place, definition } = run.header;
  const path = workspacePath(parts, run, null);
  if (place.kind === "directory") mkdirSync(path, { recursive: true });
  const { kind, repo, base, branch } = place;
  if (kind !== "worktree" || repo === null || base === null) return path;
  const make = async () => {
    await ensureWorktree({ run: id, repo, path, base, branch });
    await excludeProtocolFiles(parts.protocols.of(definition), run.header);
  };
  // Parts of the first step may begin in several workers at once.
  await parts.trees.ensure(path, () => withTreeLock(path, make));
  await receiveInOwnTree(parts, run, path);
  return path;
}

/** Before the run is closed: its branch must have what was done elsewhere. */
export async function bringOwnTree(parts: OwnTreePorts, run: Run): Promise<void> {
  if ((await newestElsewhere(parts, run, null, () => true)) !== null) await ensurePlace(parts, run);
}
