// The package's own files. Owns: where they lie, for the sources of a clone and for the bundle in dist/ alike.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A file or folder of the package, such as `demo`. */
export function packageFile(...path: readonly string[]): string {
  return join(packageRoot(), ...path);
}

/** A program of ours for a process of its own: the bundled one from the bundle, the source from the sources. */
export function packageProgram(program: { readonly source: string; readonly bundled: string }): string {
  return packageFile(import.meta.filename.endsWith(".ts") ? program.source : program.bundled);
}

function packageRoot(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    if (isRoot(folder)) return folder;
    if (folder === dirname(folder)) throw new Error(`${import.meta.filename} is in no package called pawl`);
  }
}

function isRoot(folder: string): boolean {
  const file = join(folder, "package.json");
  return existsSync(file) && (JSON.parse(readFileSync(file, "utf8")) as { name?: string }).name === "pawl";
}
