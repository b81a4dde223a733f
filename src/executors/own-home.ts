// Homes of ours for agents. Owns: a directory that stays, with links to what is the user's (so that a login that is renewed is his as
// well) and settings that are written anew at each start: what an agent adds to them is gone then, and what the user changes is there.

import { lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface OwnHome {
  readonly dir: string;
  /** Where the user's is. */
  readonly theirs: string;
  /** Names of files and directories there. */
  readonly linked: readonly string[];
  /** Null: it has no settings that are ours to write. */
  readonly settings: { readonly name: string; readonly text: string } | null;
}

export function makeHome({ dir, theirs, linked, settings }: OwnHome): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (const name of linked) link(join(theirs, name), join(dir, name));
  if (settings !== null) write(settings.text, join(dir, settings.name));
  return dir;
}

/** To what is there, and away when it is gone. */
function link(target: string, place: string): void {
  const there = lstatSync(place, { throwIfNoEntry: false });
  const wanted = lstatSync(target, { throwIfNoEntry: false }) !== undefined;
  if (there?.isSymbolicLink() && !wanted) rmSync(place, { force: true });
  if (there !== undefined || !wanted) return;
  try {
    symlinkSync(target, place);
  } catch (error) {
    // Another attempt began in the same moment.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

function write(text: string, file: string): void {
  const half = `${file}.${process.pid}`;
  writeFileSync(half, text, { mode: 0o600 });
  renameSync(half, file);
}
