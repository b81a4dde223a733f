// JavaScript and TypeScript. Owns: the commands that follow from package.json and its lockfile.

import { type Folder, first, has, type JsonObject, objectIn, objectOf } from "./folder.ts";
import { noTools, type Tools } from "./tools.ts";

export function javascript(folder: Folder): Tools | null {
  const text = folder.text("package.json");
  if (text === null) return null;
  const manifest = objectIn(text);
  const manager = managerOf(folder, manifest);
  const tools = { ...noTools, manager, languages: ["TypeScript", "JavaScript"], isOwn: true };
  if (manifest === null) return { ...tools, notes: ["package.json is not a JSON object: its scripts are unknown"] };
  const scripts = objectOf(manifest["scripts"]);
  const test = scripts["test"];
  const watches = typeof test === "string" && /--watch(?:All)?(?![\w-]*=false)\b/.test(test);
  const isReal = typeof test === "string" && test.trim() !== "" && !test.includes("no test specified");
  const lock = first(folder, ...(lockfiles[manager] ?? []));
  return {
    ...tools,
    // `bun test` would start Bun's own test runner instead of the script.
    test: isReal && !watches ? (manager === "bun" ? "bun run test" : `${manager} test`) : null,
    lint: scriptCalled(scripts, manager, ["lint"]),
    types: scriptCalled(scripts, manager, ["typecheck", "type-check", "check-types", "types"]),
    setup: needsPackages(manifest) || lock !== null ? installWith(manager, lock, isBerry(folder, manifest)) : null,
    setupWhen: [lock ?? "package.json"],
    notes: watches
      ? ["the test script of package.json watches files and never ends, so it was not taken as the test command"]
      : [],
  };
}

const lockfiles: Readonly<Record<string, readonly string[]>> = {
  bun: ["bun.lock", "bun.lockb"],
  pnpm: ["pnpm-lock.yaml"],
  yarn: ["yarn.lock"],
  npm: ["package-lock.json", "npm-shrinkwrap.json"],
};

/** The manager that the manifest names, else the one whose lockfile exists. */
function managerOf(folder: Folder, manifest: JsonObject | null): string {
  const named = namedManager(manifest).split("@", 1)[0] ?? "";
  if (Object.hasOwn(lockfiles, named)) return named;
  return Object.keys(lockfiles).find((manager) => has(folder, ...(lockfiles[manager] ?? []))) ?? "npm";
}

function isBerry(folder: Folder, manifest: JsonObject): boolean {
  return has(folder, ".yarnrc.yml") || /^yarn@[2-9]/.test(namedManager(manifest));
}

/** The field `packageManager`, such as `pnpm@9.1.0`. */
function namedManager(manifest: JsonObject | null): string {
  const named = manifest?.["packageManager"];
  return typeof named === "string" ? named : "";
}

function installWith(manager: string, lock: string | null, isBerry: boolean): string {
  if (lock === null) return `${manager} install`;
  if (manager === "npm") return "npm ci";
  return `${manager} install ${isBerry && manager === "yarn" ? "--immutable" : "--frozen-lockfile"}`;
}

function needsPackages(manifest: JsonObject): boolean {
  const kinds = ["dependencies", "devDependencies", "optionalDependencies"];
  return manifest["workspaces"] !== undefined || kinds.some((kind) => Object.keys(objectOf(manifest[kind])).length > 0);
}

function scriptCalled(scripts: JsonObject, manager: string, names: readonly string[]): string | null {
  const found = names.find((name) => typeof scripts[name] === "string" && scripts[name].trim() !== "");
  return found === undefined ? null : `${manager} run ${found}`;
}
