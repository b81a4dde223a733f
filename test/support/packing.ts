// The published package, for tests: a copy of the clone, bundled, packed, and installed into an empty project.

import { execFile } from "node:child_process";
import { cpSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";
import { tempDir } from "./repository.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

/** The files of a clone, without its packages. */
export function copyOfClone(): string {
  const copy = join(tempDir("pawl-clone-"), "clone");
  const parts = [
    "bin",
    "demo",
    "docs/guides",
    "scripts",
    "src",
    "workflows",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "README.md",
    "LICENSE",
  ];
  for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true });
  return copy;
}

export async function bundledClone(): Promise<string> {
  const copy = copyOfClone();
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const { stdout, stderr } = await run(process.execPath, ["scripts/prepare.js"], { cwd: copy });
  expect(stdout + stderr).toBe("");
  return copy;
}

/** What `npm run build` adds to a bundle: the declarations of the library. */
export async function addDeclarations(clone: string): Promise<void> {
  await run(process.execPath, ["scripts/declarations.ts"], { cwd: clone });
}

/** Packs a clone and installs the package, offline, with nothing beside it. Returns the files of the package. */
export async function packInto(project: string, clone: string): Promise<readonly string[]> {
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", project];
  const [packed] = JSON.parse((await run("npm", pack, { cwd: clone })).stdout) as [
    { readonly filename: string; readonly files: readonly { readonly path: string }[] },
  ];
  await run("npm", ["install", "--offline", "--ignore-scripts", "--prefix", project, join(project, packed.filename)]);
  return packed.files.map(({ path }) => path);
}
