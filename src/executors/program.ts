// Finds programs on PATH as a shell does.

import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** Its absolute path; null: there is no executable file. */
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
 * The path to start. A name is looked up on the PATH of Pawl and not on that of the attempt's environment, which a repository
 * may set: a program there is not what the user has installed.
 */
export function programPath(program: string): string {
  const file = program.includes("/") ? program : findProgram(program);
  if (file === null) throw new Error(`cannot start ${program}: it is not on PATH`);
  return file;
}

function isExecutable(file: string): boolean {
  try {
    // Looked for first: PATH has a dozen places where it is not, and an error for each takes longer than the look.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
