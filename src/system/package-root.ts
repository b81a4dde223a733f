// The files of the package. Owns: finding them, from the sources of a clone and from the bundle in dist/.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A file or folder of the package, such as `demo`. */
export function packageFile(...path: readonly string[]): string {
  return join(packageRoot(), ...path);
}

/** As its package.json has it. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version;
}

/** A guide that messages send people to. It is in the package, so its path is right wherever Pawl is installed. */
export function guide(name: string): string {
  return packageFile("docs", "guides", `${name}.md`);
}

/** A program of the package to start as a process: the bundled one when Pawl is bundled, else its source. */
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
