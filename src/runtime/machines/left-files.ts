// Logs and diffs that a guest keeps of a run: what the host has not got. They go with the run.

import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { RunId } from "../../domain/ids.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { removeAll } from "../../system/files/remove-all.ts";
import { dropRunRefs } from "../../workspaces/slots/parking.ts";
import { discardTree } from "../../workspaces/trees/heal.ts";
import type { Parts } from "../parts.ts";
import { slotPaths } from "../trees/places.ts";
import { ownFolder } from "../trees/protocol-folder.ts";
import { sentMark } from "../trees/salvage.ts";
import { forgetTurns } from "../trees/trees.ts";

type LeftPorts = Pick<Parts, "home">;

/** A home may have runs of its own, and be a guest of several hosts. */
const markName = "+guest.json";

/** `host`: the id of the home that has the run. */
export function markRun({ home }: LeftPorts, run: RunId, host: string): void {
  const mark = join(home.logs, run, markName);
  if (existsSync(mark)) return;
  mkdirSync(join(home.logs, run), { recursive: true, mode: 0o700 });
  writeJson(mark, { host });
}

/** The runs of this host of which something may be left here. */
export function markedRuns({ home }: LeftPorts, host: string): readonly string[] {
  const names = existsSync(home.logs) ? readdirSync(home.logs) : [];
  return names.filter((name) => {
    const mark = readJson(join(home.logs, name, markName)) as { readonly host?: unknown } | null;
    return mark?.host === host;
  });
}

/** The run is over. What the host has not got stays until the run is cleaned there. */
export function removeSent({ home }: LeftPorts, run: RunId): void {
  const folder = join(home.salvage, run);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const sent = names.filter((name) => names.includes(`${name}${sentMark}`));
  for (const name of sent) for (const each of [name, `${name}${sentMark}`]) rmSync(join(folder, each), { force: true });
  const isEmpty = (dir: string, but: string) => existsSync(dir) && readdirSync(dir).every((name) => name === but);
  if (isEmpty(folder, "")) removeAll(folder);
  if (!existsSync(folder) && isEmpty(join(home.logs, run), markName)) removeAll(join(home.logs, run));
}

/** What lies beside a tree that is gone. */
export function removeBeside(path: string): void {
  for (const end of [".slot.json", ".claim"]) removeAll(`${path}${end}`);
}

/** The host has cleaned the run: it was done or cancelled, or nobody will retry it. */
export async function removeLeft(parts: LeftPorts, run: RunId, clones: readonly string[]): Promise<void> {
  const { logs, salvage, worktrees } = parts.home;
  for (const path of [join(worktrees, run), ...slotPaths(parts, run)]) {
    discardTree(path);
    removeBeside(path);
  }
  await forgetTurns(worktrees, run);
  for (const clone of clones) await dropRunRefs(clone, run);
  for (const path of [join(worktrees, `${run}.parked`), ownFolder(parts, run), join(salvage, run), join(logs, run)])
    removeAll(path);
}
