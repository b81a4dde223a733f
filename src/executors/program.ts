// Programs. Owns: where a program lies, as a shell would find it.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** Its absolute path; null when there is none that may be executed. */
export function findProgram(program: string): string | null {
  const places =
    isAbsolute(program) || program.includes("/")
      ? [resolve(program)]
      : (process.env["PATH"] ?? "")
          .split(delimiter)
          .filter(Boolean)
          .map((dir) => join(dir, program));
  return places.find(isExecutable) ?? null;
}

/**
 * What it is started by: a name is looked up here, and not in the PATH of the environment that it gets. That one may be the
 * repository's, and what lies there is not what the user has installed.
 */
export function programPath(program: string): string {
  const file = program.includes("/") ? program : findProgram(program);
  if (file === null) throw new Error(`cannot start ${program}: it is not on PATH`);
  return file;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
