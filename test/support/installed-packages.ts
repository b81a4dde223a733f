// Installs the packages of a folder of tests that has a package.json of its own, so that `npm ci` of Pawl does not. What it makes is made
// aside and then moved to its place, whole: two that install at once do not meet.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";

/** On the same file system as what it makes, and out of sight of every tool. */
const workshop = join(import.meta.dirname, "../../node_modules/.cache");
const installMs = 180_000;

/** Installs what the lockfile of the folder names, where that was not done before. Install scripts do not run. */
export async function installPackages(folder: string): Promise<string> {
  const packages = join(folder, "node_modules");
  const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
  const stamp = createHash("sha256").update(lock).digest("hex");
  const stampFile = join(packages, ".pawl-stamp");
  const isInstalled = existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp;
  if (!isInstalled) {
    const install = async (dir: string) => {
      for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(folder, name), join(dir, name));
      await runNpm(dir);
      writeFileSync(join(dir, "node_modules/.pawl-stamp"), stamp);
    };
    await makeAside(install, packages, "node_modules");
  }
  return packages;
}

/** `make` writes `part` into the folder that it is given; it then gets its place. */
export async function makeAside(make: (dir: string) => Promise<void>, place: string, part: string): Promise<void> {
  mkdirSync(workshop, { recursive: true });
  const dir = mkdtempSync(join(workshop, `pawl-${basename(place)}-`));
  try {
    await make(dir);
    rmSync(place, { recursive: true, force: true });
    renameSync(join(dir, part), place);
  } catch (error) {
    // Another one was faster.
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function runNpm(cwd: string): Promise<void> {
  const words = ["ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  try {
    await promisify(execFile)("npm", words, { cwd, timeout: installMs });
  } catch (error) {
    const { killed, stderr = "" } = error as { readonly killed?: boolean; readonly stderr?: string };
    const code = /npm error code (\S+)/.exec(stderr)?.[1] ?? firstLine(error);
    throw new Error(`npm did not install it (${killed ? `no end after ${installMs / 1_000} s` : code})`, {
      cause: error,
    });
  }
}

export function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1)[0] ?? text;
}
