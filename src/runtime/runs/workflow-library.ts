// The workflow library. Owns: finding workflows: bundled with the package, installed under Pawl's home, or by path; and loading them with
// the workflows that they include.

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Definition } from "../../domain/definition.ts";
import { AppError } from "../../domain/error.ts";
import type { Schedule } from "../../domain/schedule.ts";
import type { Protocols } from "../../protocols/registry.ts";
import { namedFile } from "../../system/files/linked-file.ts";
import { readRegular } from "../../system/files/regular-file.ts";
import type { Home } from "../../system/home.ts";
import { packageFile } from "../../system/package-root.ts";
import { nearest, type Problem } from "../../workflows/document/problem.ts";
import type { FindWorkflow } from "../../workflows/document/reading.ts";
import { type LoadedWorkflow, type LoadOptions, loadWorkflow } from "../../workflows/load.ts";
import { WorkflowError } from "./workflow-error.ts";

export interface FoundWorkflow {
  readonly file: string;
  readonly origin: "bundled" | "installed" | "path";
}

export interface OpenedWorkflow extends FoundWorkflow {
  readonly definition: Definition;
  readonly warnings: readonly Problem[];
  /** When the service starts it; absent: the file says nothing of that. */
  readonly schedule?: Schedule;
}

const bundledDir = packageFile("workflows");
const fileNames = ["workflow.yml", "workflow.yaml", "step-rules.yml", "step-rules.yaml"];

/** A path wins over an id only if it looks like one; a relative one starts at `from`. */
export function findWorkflow(home: Home, name: string, from = "."): FoundWorkflow {
  const looksLikePath = name.includes("/") || /^\.{1,2}$|\.ya?ml$/.test(name) || isAbsolute(name);
  if (looksLikePath) {
    const path = resolve(from, name);
    const file = fileAt(path);
    if (file) return { file, origin: "path" };
    const others = yamlIn(path);
    if (others.length === 1 && others[0] !== undefined) return { file: others[0], origin: "path" };
    throw new AppError("NOT_FOUND", `there is no workflow file at ${name}`, {
      hint:
        others.length === 0
          ? "give a workflow.yml or the directory it is in"
          : `the directory has ${others.map((other) => basename(other)).join(", ")}: name one of them`,
    });
  }
  const installed = fileAt(join(home.workflows, name));
  if (installed) return { file: installed, origin: "installed" };
  const bundled = fileAt(join(bundledDir, name));
  if (bundled) return { file: bundled, origin: "bundled" };
  const known = listWorkflows(home).map(({ id }) => id);
  const near = nearest(name, known);
  throw new AppError("NOT_FOUND", `there is no workflow "${name}"`, {
    hint: near
      ? `did you mean ${near}?`
      : `there are: ${known.join(", ") || "none"}; or give a path such as ./workflow.yml`,
  });
}

/** Parsed and checked; every problem is told, not only the first. */
export function openWorkflow(
  home: Home,
  name: string,
  protocols: Pick<Protocols, "facts">,
  from = ".",
  options: Pick<LoadOptions, "plans"> = {},
): OpenedWorkflow {
  const found = findWorkflow(home, name, from);
  const { definition, problems, roleFile, schedule } = loadFile(home, found.file, protocols, options);
  const when = schedule === undefined ? {} : { schedule };
  if (definition) return { ...found, file: roleFile, definition, warnings: problems, ...when };
  const hint = `mend it and look again with \`pawl workflow check ${name}\``;
  throw new WorkflowError(found.file, problems, { file: shownPath(found.file, from), hint });
}

export interface LoadedFile extends LoadedWorkflow {
  /** The file that role files are beside: the workflow itself, or the bundled table that it was merged into. */
  readonly roleFile: string;
}

/** A workflow file with all that is wrong with it. A project's rules are merged into the bundled table. */
export function loadFile(
  home: Home,
  file: string,
  protocols: Pick<Protocols, "facts">,
  options: LoadOptions = {},
): LoadedFile {
  const table = bundledRules();
  const rules = table === null || table === file ? {} : { base: readWorkflow(table) };
  const find = findFrom(home, file);
  const loaded = loadWorkflow(readWorkflow(file), file, protocols.facts, { find, ...options, rules });
  return { ...loaded, roleFile: loaded.isMerged && table !== null ? table : file };
}

/** Finds the workflows that a file includes: by id, or by a path that begins at the file which names it. */
export function findFrom(home: Home, root: string): FindWorkflow {
  return (name, from) => {
    try {
      const { file } = findWorkflow(home, name, dirname(from));
      const roleFolder = relative(dirname(root), dirname(file)).split(sep).join("/");
      return { file, text: readWorkflow(file), roleFolder };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { missing: error.message, hint: error.hint ?? "check the path" };
    }
  };
}

/** The file of the bundled table of step rules; null: this package has none. */
export function bundledRules(): string | null {
  const found = listIn(bundledDir).map((id) => join(bundledDir, id, "step-rules.yml"));
  return found.find((file) => existsSync(file)) ?? null;
}

/** As a person would type it from there: an editor opens it. */
export function shownPath(file: string, from: string): string {
  const path = relative(resolve(from), file);
  return path.startsWith("..") ? file : path;
}

export function readWorkflow(file: string): string {
  try {
    return readRegular(file, { links: "follow" });
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("NOT_FOUND", `${file} cannot be read`, {
      hint: "check the path and its permissions",
      cause: error,
    });
  }
}

export function listWorkflows(
  home: Home,
): readonly { readonly id: string; readonly file: string; readonly origin: "bundled" | "installed" }[] {
  const inDir = (dir: string, origin: "bundled" | "installed") =>
    listIn(dir).flatMap((id) => {
      const file = fileAt(join(dir, id));
      return file ? [{ id, file, origin }] : [];
    });
  const installed = inDir(home.workflows, "installed");
  const hidden = new Set(installed.map(({ id }) => id));
  return [...installed, ...inDir(bundledDir, "bundled").filter(({ id }) => !hidden.has(id))];
}

function listIn(dir: string): readonly string[] {
  return existsSync(dir) ? readdirSync(dir).toSorted() : [];
}

/** Role files that a workflow names and that are not there; its agents would work without them. */
export function missingRoleFiles(definition: Definition, file: string): readonly string[] {
  const sources = Object.values(definition.agents).flatMap((agent) => Object.values(agent.files));
  return sources.filter((source) => namedFile(dirname(file), source) === null);
}

/** The YAML files of a directory, for one whose workflow has another name. */
function yamlIn(path: string): readonly string[] {
  if (!existsSync(path) || !statSync(path).isDirectory()) return [];
  const names = readdirSync(path).filter((name) => /^[^.].*\.ya?ml$/.test(name));
  return names.toSorted().map((name) => join(path, name));
}

function fileAt(path: string): string | null {
  if (!existsSync(path)) return null;
  if (statSync(path).isFile()) return path;
  return fileNames.map((name) => join(path, name)).find((candidate) => existsSync(candidate)) ?? null;
}
