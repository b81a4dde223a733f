// Provisioning. Owns: what a fresh tree lacks to run the project's tests: local files that are in no commit, what setup commands
// install, ports of its own.

import { createHash } from "node:crypto";
import { AppError } from "../../domain/error.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { freePorts } from "../../system/ports.ts";
import { blobsOf, copyLocalFiles, excludeFiles, untrackedFiles } from "../../workspaces/trees/local-files.ts";
import { type Control, firstRed } from "../attempt/settle/checks.ts";
import type { Parts } from "../parts.ts";

export interface Tree {
  readonly path: string;
  readonly slot: number;
  readonly story: StoryId;
  readonly attempt: string;
}

/** What is kept beside a slot's tree. */
interface SlotRecord {
  readonly ports?: readonly number[];
  /** What the last setup was made from. */
  readonly setup?: string;
}

/** Makes the tree ready, and gives the variables that whoever works there gets. */
export async function provision(
  parts: Parts,
  run: Run,
  tree: Tree,
  control: Control,
): Promise<Readonly<Record<string, string>>> {
  const { workspace } = parts.settings;
  const file = `${tree.path}.slot.json`;
  const record = (readJson(file) ?? {}) as SlotRecord;
  const ports = await freePorts(workspace.ports, record.ports ?? []);
  const env = environmentOf(run, tree, ports, workspace.env);
  if (workspace.copy.length > 0) await copyLocalFiles(run.header.place.repo ?? "", tree.path, workspace.copy);
  const setup = await setUp(parts, tree, env, record.setup ?? null, control);
  writeJson(file, { ports, setup } satisfies SlotRecord);
  return env;
}

/** Once for each tree, and again when something that it depends on is another than then. */
async function setUp(
  parts: Parts,
  tree: Tree,
  env: Readonly<Record<string, string>>,
  before: string | null,
  control: Control,
): Promise<string> {
  const { setup, setupWhen } = parts.settings.workspace;
  if (setup.length === 0) return "";
  const inputs = await blobsOf(tree.path, setupWhen);
  const key = createHash("sha256")
    .update(JSON.stringify([setup, inputs]))
    .digest("hex");
  if (key === before) return key;
  const sink = async () => undefined;
  const strangers = new Set(await untrackedFiles(tree.path));
  const red = await firstRed(setup, { cwd: tree.path, attempt: tree.attempt, sink, env }, control);
  // What it made is nobody's work, whether or not the project ignores it.
  const made = (await untrackedFiles(tree.path)).filter((name) => !strangers.has(name));
  await excludeFiles(tree.path, made);
  if (red === null) return key;
  throw new AppError("SETUP_FAILED", `the setup of a tree failed: ${red.output.slice(0, 2_000)}`, {
    hint: "mend `workspace.setup` in .pawl/config.yml, then `pawl retry`",
  });
}

function environmentOf(
  run: Run,
  tree: Tree,
  ports: readonly number[],
  configured: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const words: Readonly<Record<string, string>> = { slot: String(tree.slot), story: tree.story, run: run.header.id };
  const fill = (text: string) => text.replace(/\{\{\s*(slot|story|run)\s*\}\}/g, (_, key: string) => words[key] ?? "");
  const named = { ...run.header.definition.workspace.env, ...configured };
  return {
    ...Object.fromEntries(Object.entries(named).map(([name, text]) => [name, fill(text)])),
    PAWL_SLOT: String(tree.slot),
    ...(ports[0] === undefined ? {} : { PAWL_PORT: String(ports[0]), PAWL_PORTS: ports.join(",") }),
  };
}
