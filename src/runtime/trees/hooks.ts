// Runs the hooks of a workspace: commands of the project around each attempt in a tree of Pawl's, and before such a tree is removed.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError, errorText } from "../../domain/error.ts";
import type { Run } from "../../domain/run.ts";
import type { Parts, TreeSettings } from "../parts.ts";
import type { RegisterStop } from "../stop-switch.ts";
import { slotEnvironment } from "./provisioning.ts";
import { type CommandSite, failureText, howItEnded, runInTree } from "./tree-commands.ts";

/** A hook that hangs keeps its slot, so it gets less time than a setup. */
const beforeMs = 10 * 60_000;
const afterMs = 2 * 60_000;
const shownCharacters = 2_000;

type Hooks = TreeSettings["workspace"]["hooks"];

/** Throws where one fails: the attempt then does not start. */
export async function runBefore({ beforeRun }: Hooks, site: CommandSite, registerStop: RegisterStop): Promise<void> {
  const red = await firstRed(beforeRun, { ...site, wallMs: beforeMs }, registerStop);
  if (red === null) return;
  throw new AppError("SETUP_FAILED", `the hook before_run failed: ${red}`, {
    hint: "mend `workspace.hooks` in .pawl/config.yml, then `pawl retry`",
  });
}

/** What failed, as a note; null: nothing. It runs to its end also where the attempt was stopped. */
export async function runAfter({ afterRun }: Hooks, site: CommandSite): Promise<string | null> {
  const red = await firstRed(afterRun, { ...site, wallMs: afterMs }, () => undefined);
  return red === null ? null : `the hook after_run failed: ${red}`;
}

type RemovalPorts = Pick<Parts, "settingsOf" | "warn">;

/** Whatever goes wrong is said, and the tree is removed all the same. */
export async function beforeRemoval(parts: RemovalPorts, run: Run, path: string): Promise<void> {
  if (!existsSync(join(path, ".git"))) return;
  try {
    const settings = await parts.settingsOf(run.header.place.repo);
    const { beforeRemove } = settings.workspace.hooks;
    if (beforeRemove.length === 0) return;
    const env = { ...slotEnvironment(settings, run, path), PAWL_RUN: run.header.id };
    const site = { cwd: path, attempt: `remove-${run.header.id}`, sink: async () => undefined, env, wallMs: afterMs };
    const red = await firstRed(beforeRemove, site, () => undefined);
    if (red !== null) parts.warn(`the hook before_remove failed in ${path}, which is removed all the same: ${red}`);
  } catch (error) {
    parts.warn(`the hook before_remove did not run in ${path}, which is removed all the same: ${errorText(error)}`);
  }
}

async function firstRed(
  commands: readonly string[],
  site: CommandSite,
  registerStop: RegisterStop,
): Promise<string | null> {
  for (const command of commands) {
    const end = await runInTree(command, site, registerStop);
    if (end.kind !== "exited" || end.code !== 0)
      return failureText(command, howItEnded(end), end).slice(0, shownCharacters);
  }
  return null;
}
