// Provisioning. Owns: giving a fresh tree what it lacks to run the project's tests: local files that are in no commit, what setup
// commands install, and ports of its own.

import { existsSync, rmSync } from "node:fs";
import { AppError } from "../../domain/error.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { freePorts } from "../../system/ports.ts";
import { sha256Of } from "../../system/sha256.ts";
import { blobsOf, copyLocalFiles, excludeFiles, untrackedFiles } from "../../workspaces/trees/local-files.ts";
import type { Parts, TreeSettings } from "../parts.ts";
import type { RegisterStop } from "../stop-switch.ts";
import { slotOf } from "./places.ts";
import { type CommandSite, failureText, howItEnded, runInTree } from "./tree-commands.ts";

export interface Tree {
  readonly path: string;
  /** null: the run's own tree. */
  readonly slot: number | null;
  readonly story: StoryId | null;
  readonly attempt: string;
}

/** Kept in a file beside the tree. */
interface TreeRecord {
  readonly ports?: readonly number[];
  /** A hash of the commands and files that the last setup used. */
  readonly setup?: string;
}

/** Makes the tree ready, and returns the variables of the attempts that work there. */
export async function provisionTree(
  { settings }: Pick<Parts, "settings">,
  run: Run,
  tree: Tree,
  control: RegisterStop,
): Promise<Readonly<Record<string, string>>> {
  const { workspace } = settings;
  const file = recordFile(tree.path);
  const record = (readJson(file) ?? {}) as TreeRecord;
  const ports = await freePorts(workspace.ports, record.ports ?? []);
  const env = variablesOf(run, tree, ports, workspace.env);
  if (workspace.copy.length > 0) await copyLocalFiles(run.header.place.repo ?? "", tree.path, workspace.copy);
  const setup = await setUp(workspace, tree, env, record.setup ?? null, control);
  // Its run may have been closed while this process stood still.
  if (existsSync(tree.path)) writeJson(file, { ports, setup } satisfies TreeRecord);
  return env;
}

/** Runs the setup commands once for each tree, and again when the commands or the files of `setup_when` have changed. */
async function setUp(
  { setup, setupWhen }: TreeSettings["workspace"],
  tree: Tree,
  env: Readonly<Record<string, string>>,
  lastKey: string | null,
  control: RegisterStop,
): Promise<string> {
  if (setup.length === 0) return "";
  const inputs = await blobsOf(tree.path, setupWhen);
  const key = sha256Of(JSON.stringify([setup, inputs]));
  if (key === lastKey) return key;
  const sink = async () => undefined;
  const before = new Set(await untrackedFiles(tree.path));
  const red = await firstFailure(setup, { cwd: tree.path, attempt: tree.attempt, sink, env }, control);
  // Files that the setup created are not part of the story's work, even if the project does not ignore them.
  const made = (await untrackedFiles(tree.path)).filter((name) => !before.has(name));
  await excludeFiles(tree.path, made);
  if (red === null) return key;
  throw new AppError("SETUP_FAILED", `the setup of a tree failed: ${red.slice(0, 2_000)}`, {
    hint: "mend `workspace.setup` in .pawl/config.yml, then `pawl retry`",
  });
}

async function firstFailure(
  commands: readonly string[],
  site: CommandSite,
  control: RegisterStop,
): Promise<string | null> {
  for (const command of commands) {
    const end = await runInTree(command, site, control);
    if (end.kind !== "exited" || end.code !== 0) return failureText(command, howItEnded(end), end);
  }
  return null;
}

/** The variables of an attempt's tree, for a process that did not make the tree ready; none where Pawl made no tree. */
export function treeEnvironment(
  { settings }: Pick<Parts, "settings">,
  run: Run,
  { story, path }: Pick<Tree, "story" | "path">,
): Readonly<Record<string, string>> {
  if (run.header.place.kind !== "worktree") return {};
  const slot = slotOf(run, story);
  const { ports = [] } = (readJson(recordFile(path)) ?? {}) as TreeRecord;
  return variablesOf(run, { slot, story }, ports, settings.workspace.env);
}

/** The same for a tree that no story works in any more, by its place alone. */
export function slotEnvironment(settings: TreeSettings, run: Run, path: string): Readonly<Record<string, string>> {
  const slot = /-(\d+)$/.exec(path)?.[1];
  const { ports = [] } = (readJson(recordFile(path)) ?? {}) as TreeRecord;
  const tree = { slot: slot === undefined ? null : Number(slot), story: null };
  return variablesOf(run, tree, ports, settings.workspace.env);
}

export function forgetProvisioning(path: string): void {
  rmSync(recordFile(path), { force: true });
}

function recordFile(path: string): string {
  return `${path}.slot.json`;
}

function variablesOf(
  run: Run,
  tree: Pick<Tree, "slot" | "story">,
  ports: readonly number[],
  configured: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  // The run's own tree is beside the slots, which are counted from 1.
  const slot = String(tree.slot ?? 0);
  const words: Readonly<Record<string, string>> = { slot, story: tree.story ?? "", run: run.header.id };
  const fill = (text: string) => text.replace(/\{\{\s*(slot|story|run)\s*\}\}/g, (_, key: string) => words[key] ?? "");
  const named = { ...run.header.definition.workspace.env, ...configured };
  return {
    ...Object.fromEntries(Object.entries(named).map(([name, text]) => [name, fill(text)])),
    ...(tree.slot === null ? {} : { PAWL_SLOT: slot }),
    ...(ports[0] === undefined ? {} : { PAWL_PORT: String(ports[0]), PAWL_PORTS: ports.join(",") }),
  };
}
