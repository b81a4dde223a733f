// Homes that Pawl manages for agents: a permanent directory with links to the user's files, so that a renewed login is the user's
// too. Everything in it that an agent executes or obeys is replaced at each start, so what an agent puts there is gone by then.

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
  /** The user's own home for that agent. */
  readonly theirs: string;
  /** Files with the user's login. One that an agent has put in the place of the link stays: it may be newer. */
  readonly login: readonly string[];
  /** What an agent executes or obeys there. */
  readonly obeyed: readonly string[];
  /** Which of those are linked to the user's; the others do not exist. */
  readonly linked: readonly string[];
  /** Null: Pawl writes no settings there. */
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

/** The real paths of those files that exist: a renewed login is written there. */
export function linkedFiles(dir: string, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    try {
      return [realpathSync(join(dir, name))];
    } catch {
      return [];
    }
  });
}

/** Links to a login that exists, and removes the link to one that does not. */
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
    // A rename does not replace a directory.
    if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) discard(place);
  });
}

/** Moved away first: a file that is in use, or was just replaced, must not keep an attempt from starting. */
function discard(place: string): void {
  const away = `${place}.${randomUUID()}`;
  try {
    renameSync(place, away);
  } catch {
    return; // There is nothing, or another process was first.
  }
  try {
    rmSync(away, { recursive: true, force: true });
  } catch {
    // Another process writes into it; under that name no agent obeys it.
  }
}

/** Never follows a link that is there. */
function writeNew(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600, flag: "wx" });
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
