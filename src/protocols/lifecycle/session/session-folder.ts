// The folder of a session, `.workflow/.ralph/ralph-YYYYMMDD-HHmmss`, and the files in it.

import { mkdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { systemCode } from "../../../domain/error.ts";
import { within } from "../../../system/files/inside.ts";
import { resultsFile, waveFile } from "../waves/wave.ts";

/** Where the sessions of a project are. */
export const sessionsFolder = ".workflow/.ralph";

/** A larger file is no file of a session. */
export const largestSessionFile = 8 * 1024 * 1024;

export interface SessionFolder {
  /** The project. What lies between it and the files is in reach of skills, so no link on that way is followed. */
  readonly root: string;
  readonly dir: string;
  readonly id: string;
  readonly status: string;
  /** The hashes of the last two texts of status.json that Pawl wrote. */
  readonly written: string;
  wave(number: number): string;
  /** `N`: of whichever wave, for people. */
  results(number: number | "N"): string;
  /** The same for one row of a wave of several: each program of the wave has files of its own. */
  row(number: number, id: number): { readonly wave: string; readonly results: string };
}

export function sessionFolderAt(dir: string): SessionFolder {
  return {
    root: projectAbove(dir) ?? dir,
    dir,
    id: basename(dir),
    status: join(dir, "status.json"),
    written: join(dir, ".pawl.status.json"),
    wave: (number) => join(dir, waveFile(number)),
    results: (number) => join(dir, resultsFile(number)),
    row: (number, id) => ({
      wave: join(dir, waveFile(`${number}-row-${id}`)),
      results: join(dir, resultsFile(`${number}-row-${id}`)),
    }),
  };
}

/** The project whose session has this folder; null: the folder is elsewhere. */
export function projectAbove(dir: string): string | null {
  const project = resolve(dir, "..", "..", "..");
  return dirname(dir) === join(project, sessionsFolder) ? project : null;
}

/** Makes a folder that no other session has: one that began in the same second gets a number behind it. */
export function makeSessionFolder(project: string, now: Date): SessionFolder {
  const name = `ralph-${secondOf(now)}`;
  for (let number = 1; ; number += 1) {
    const own = number === 1 ? name : `${name}-${number}`;
    try {
      within(project, join(sessionsFolder, own), (path) => mkdirSync(path), { make: true });
      return sessionFolderAt(join(project, sessionsFolder, own));
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  }
}

/** In local time, as people read it. */
function secondOf(now: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  return `${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}
