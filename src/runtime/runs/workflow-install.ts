// Keeps copies of workflows under Pawl's home, with their role files and the files that they include by path.

import { cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { AgentDefinition, Definition } from "../../domain/definition.ts";
import { AppError, systemCode } from "../../domain/error.ts";
import { isSafeId } from "../../domain/ids.ts";
import type { Protocols } from "../../protocols/registry.ts";
import { namedFile } from "../../system/files/linked-file.ts";
import type { Home } from "../../system/home.ts";
import { makePrivateHome } from "../../system/private-home.ts";
import { findFrom, findWorkflow, loadFile, openWorkflow, readWorkflow } from "./workflow-library.ts";

/** In an installed workflow: role files that lay outside of its directory. */
const sharedFolder = "shared";

/** Keeps a copy with its role files. One that several workflows share lies outside its directory: it is copied into it. */
export function installWorkflow(
  home: Home,
  name: string,
  protocols: Pick<Protocols, "facts">,
  from = ".",
): { readonly id: string; readonly file: string; readonly missing: readonly string[] } {
  const { definition, file } = openWorkflow(home, name, protocols, from);
  if (file !== findWorkflow(home, name, from).file) {
    throw new AppError(
      "WORKFLOW_INVALID",
      `${name} changes the bundled rules for its project and cannot be installed`,
      {
        hint: "a table of its own begins with `pawl_rules: 1`",
      },
    );
  }
  const target = join(home.workflows, definition.id);
  const draft = join(home.workflows, `.${definition.id}.${process.pid}`);
  const missing: string[] = [];
  writing(home, () => {
    makePrivateHome(home.dir);
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true, mode: 0o700 });
  });
  copyWorkflow({ home, protocols, missing }, file, join(draft, "workflow.yml"), draft);
  rmSync(target, { recursive: true, force: true });
  renameSync(draft, target);
  return { id: definition.id, file: join(target, "workflow.yml"), missing };
}

interface Copying {
  readonly home: Home;
  readonly protocols: Pick<Protocols, "facts">;
  /** Role files that are not there. */
  readonly missing: string[];
}

/** Copies a file with what it names. What lies outside of its directory is copied into the installed one. */
function copyWorkflow(copying: Copying, file: string, to: string, top: string): void {
  const { home, protocols, missing } = copying;
  let text = readWorkflow(file);
  const place = (source: string) => {
    const isShared = isAbsolute(source) || relative(top, resolve(dirname(to), source)).startsWith("..");
    const name = isShared
      ? relative(dirname(to), join(top, sharedFolder, source.replace(/^(?:\.{0,2}\/)+/, "")))
      : source;
    return { target: resolve(dirname(to), name), take: () => isShared && (text = text.replaceAll(source, name)) };
  };
  const copied = new Set<string>();
  const find = (name: string, from: string) => {
    const found = findFrom(home, file)(name, from);
    // An id is found wherever the copy is; what an included file includes is copied with that file.
    if (
      "missing" in found ||
      from !== file ||
      copied.has(name) ||
      findWorkflow(home, name, dirname(from)).origin !== "path"
    )
      return found;
    copied.add(name);
    const { target, take } = place(name);
    const isFolder = !/\.ya?ml$/.test(name);
    copyWorkflow(copying, found.file, isFolder ? join(target, "workflow.yml") : target, top);
    take();
    return found;
  };
  const { definition } = loadFile(home, file, protocols, { find });
  for (const agent of definition === null ? [] : ownAgents(definition)) {
    for (const source of Object.values(agent.files)) {
      const from = namedFile(dirname(file), source);
      const { target, take } = place(source);
      if (from === null) missing.push(source);
      else if (statSync(from).isDirectory()) throw directoryAsFile(agent.name, source);
      else cpSync(from, target);
      if (from !== null) take();
    }
  }
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  writeFileSync(to, text);
}

/** Without those that came with an included workflow. */
function ownAgents({ agents, includes = {} }: Definition): readonly AgentDefinition[] {
  const ids = Object.keys(includes);
  return Object.values(agents).filter(({ name }) => !ids.some((id) => name.startsWith(`${id}.`)));
}

export function uninstallWorkflow(home: Home, id: string): void {
  const dir = join(home.workflows, id);
  if (!isSafeId(id) || !existsSync(dir)) {
    throw new AppError("NOT_FOUND", `no workflow "${id}" is installed`, {
      hint: "`pawl workflow list` lists the installed ones",
    });
  }
  writing(home, () => rmSync(dir, { recursive: true, force: true }));
}

/** Changes Pawl's home. A home that cannot be changed is the user's to repair. */
function writing({ workflows }: Home, change: () => void): void {
  try {
    change();
  } catch (error) {
    const code = systemCode(error);
    if (code === null) throw error;
    throw new AppError("STORE_UNUSABLE", `${workflows} cannot be changed (${code})`, {
      hint: "make it writable, or choose another home with PAWL_HOME",
      cause: error,
    });
  }
}

function directoryAsFile(agent: string, source: string): AppError {
  return new AppError("WORKFLOW_INVALID", `agent ${agent}: ${source} is a directory`, {
    hint: "name single files in `files`",
  });
}
