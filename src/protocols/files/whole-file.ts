// Whole files. Owns: replacing a file in one go, so that a reader sees the old text or the new one and never half of either.

import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../../domain/error.ts";
import { processIdentity } from "../../system/process/identity.ts";

/** Directories on the way are made. A link stays a link, and a file keeps its mode. */
export function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const target = targetOf(file);
  const draft = draftFor(target, ".tmp");
  try {
    writeFileSync(draft, text);
    const mode = statSync(target, { throwIfNoEntry: false })?.mode;
    if (mode !== undefined) chmodSync(draft, mode & 0o777);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

let drafts = 0;
const swept = new Set<string>();

/** A name beside the file that is nobody else's. The first time, those go that belong to processes which were killed over theirs. */
export function draftFor(file: string, ending: string): string {
  if (!swept.has(file)) sweepDrafts(file, ending);
  swept.add(file);
  return `${file}.${process.pid}-${++drafts}${ending}`;
}

function sweepDrafts(file: string, ending: string): void {
  const begin = `${basename(file)}.`;
  const names = readdirSync(dirname(file)).filter((name) => name.startsWith(begin) && name.endsWith(ending));
  for (const name of names) {
    const [, pid] = /^(\d+)-\d+$/.exec(name.slice(begin.length, name.length - ending.length)) ?? [];
    if (pid !== undefined && processIdentity(Number(pid)) === null) rmSync(join(dirname(file), name), { force: true });
  }
}

/** Null when there is no such file. */
export function readOptional(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
