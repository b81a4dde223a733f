// Homes of ours for agents. Owns: a directory that stays, with links to what is the user's (so that a login that is renewed is his as
// well). What is executed or obeyed in it is made anew at each start: what an agent puts there is gone then, and what the user
// changes is there.

import { randomUUID } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../system/files/whole-file.ts";

export interface ManagedHome {
  readonly dir: string;
  /** Where the user's is. */
  readonly theirs: string;
  /** Names of files with the user's login there. One that an agent has put in the place of the link stays: it may be the newer. */
  readonly login: readonly string[];
  /** Names of what an agent executes or obeys there. */
  readonly obeyed: readonly string[];
  /** Those of them that are to be the user's; there are no others. */
  readonly linked: readonly string[];
  /** Null: it has no settings that are ours to write. */
  readonly settings: { readonly name: string; readonly text: string } | null;
}

export function makeManagedHome({ dir, theirs, login, obeyed, linked, settings }: ManagedHome): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (const name of login) linkLogin(join(theirs, name), join(dir, name));
  for (const name of obeyed) {
    if (name === settings?.name) continue;
    const [target, place] = [join(theirs, name), join(dir, name)];
    if (linked.includes(name) && isThere(target)) link(target, place);
    else discard(place);
  }
  if (settings !== null) put(join(dir, settings.name), (file) => writeNew(file, settings.text));
  return dir;
}

/** Where those of these files lead that are there: a login that is renewed is written there. */
export function linkedFiles(dir: string, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    try {
      return [realpathSync(join(dir, name))];
    } catch {
      return [];
    }
  });
}

/** To what is there, and away when it is gone. */
function linkLogin(target: string, place: string): void {
  const there = lstatSync(place, { throwIfNoEntry: false });
  if (there === undefined || there.isSymbolicLink()) {
    if (isThere(target)) link(target, place);
    else discard(place);
  }
}

function link(target: string, place: string): void {
  if (linkIn(place) !== target) put(place, (file) => symlinkSync(target, file));
}

function linkIn(place: string): string | null {
  try {
    return readlinkSync(place);
  } catch {
    return null;
  }
}

function put(place: string, make: (file: string) => void): void {
  replaceFile(place, (draft) => {
    make(draft);
    // A directory is not replaced.
    if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) discard(place);
  });
}

/** What is in use, or was made anew in the same moment, must not keep an attempt from starting: first it is out of the way. */
function discard(place: string): void {
  const away = `${place}.${randomUUID()}`;
  try {
    renameSync(place, away);
  } catch {
    return; // There is nothing, or somebody else was first.
  }
  try {
    rmSync(away, { recursive: true, force: true });
  } catch {
    // Somebody writes into it; under that name nobody obeys it.
  }
}

/** Never through a link that lies there. */
function writeNew(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600, flag: "wx" });
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
