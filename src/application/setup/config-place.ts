// The place of a repository's configuration. Owns: writing `.pawl/config.yml` in one step, only if it is valid, and never outside of
// the repository.

import { constants, copyFileSync, existsSync, lstatSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { agents } from "../../app.ts";
import { AppError, systemCode } from "../../domain/error.ts";
import { readConfigFile } from "../../runtime/config/config-file.ts";
import { replaceFile } from "../../system/files/whole-file.ts";

const folderName = ".pawl";
const fileName = "config.yml";

export const configPath = `${folderName}/${fileName}`;

export interface ConfigPlace {
  readonly file: string;
  readonly isTaken: boolean;
}

/** Refuses a link that leads out of the repository, and anything that is not a file. */
export function findConfigPlace(root: string): ConfigPlace {
  const folder = join(root, folderName);
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() && !leadsInside(root, folder))
    throw new AppError("REFUSED", `${folder} is a link that leads out of the repository's files`, {
      hint: "remove the link, and find out who made it",
    });
  if (stats && !stats.isSymbolicLink() && !stats.isDirectory()) throw inTheWay(folder, "a directory");
  const file = join(folder, fileName);
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there && !there.isFile()) throw inTheWay(file, "a plain file");
  return { file, isTaken: there !== undefined };
}

/** Git's own directory is inside of the repository, but not a place for files. */
function leadsInside(root: string, link: string): boolean {
  try {
    const path = relative(realpathSync(root), realpathSync(link));
    return !/^(?:\.\.|\.git)(?:\/|$)/.test(path) && lstatSync(realpathSync(link)).isDirectory();
  } catch {
    return false; // it leads nowhere
  }
}

function inTheWay(path: string, wanted: string): AppError {
  return new AppError("REFUSED", `${path} exists and is not ${wanted}`, { hint: "move it away, then try again" });
}

/** Keeps an old file beside the new one; returns its path, or null. */
export function placeConfig({ file, isTaken }: ConfigPlace, text: string): string | null {
  try {
    mkdirSync(dirname(file), { recursive: true });
    return replace(file, isTaken, text);
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** The text is read back first, so an invalid one never replaces the file. */
function replace(file: string, isTaken: boolean, text: string): string | null {
  return replaceFile(file, (draft) => {
    writeFileSync(draft, text, { flag: "wx" });
    readConfigFile(draft, agents);
    const kept = isTaken ? freeName(`${file}.bak`) : null;
    if (kept !== null) copyFileSync(file, kept, constants.COPYFILE_EXCL);
    return kept;
  });
}

/** An older copy is not overwritten. */
function freeName(name: string): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!existsSync(candidate)) return candidate;
  }
}

function unwritable(file: string, error: unknown): unknown {
  const code = systemCode(error);
  if (code === null) return error;
  return new AppError("REPOSITORY_UNUSABLE", `${file} could not be written (${code})`, {
    hint: "check the owner of the directory and the free space; `pawl init --print` writes nothing",
    cause: error,
  });
}
