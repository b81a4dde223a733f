// The hooks around one attempt, with its variables and its log.

import { errorText } from "../../domain/error.ts";
import type { Report } from "../../domain/report.ts";
import type { Parts } from "../parts.ts";
import type { StopSwitch } from "../stop-switch.ts";
import { runAfter, runBefore } from "../trees/hooks.ts";
import type { CommandSite } from "../trees/tree-commands.ts";
import type { Claim } from "./claim/claim.ts";
import { checkVariables } from "./execute/call.ts";
import { openLog } from "./logs.ts";

export type HookPorts = Pick<Parts, "home" | "secrets" | "protocols" | "settings">;

interface HookPlace {
  readonly path: string;
  /** null: the tree is not Pawl's, and hooks are not for it. */
  readonly base: string | null;
  readonly env: Readonly<Record<string, string>>;
}

/** A hook that fails fails the attempt; what it has begun is cleaned up by `after_run`. */
export async function beforeAttempt(parts: HookPorts, claim: Claim, place: HookPlace, stop: StopSwitch): Promise<void> {
  const { hooks } = parts.settings.workspace;
  if (hooks.beforeRun.length === 0 || place.base === null) return;
  try {
    await withLog(parts, claim, place, (site) => runBefore(hooks, site, stop.register));
  } catch (error) {
    await noteAfter(parts, claim, place);
    throw error;
  }
}

/** The report, with a note where the hook failed. */
export async function afterAttempt(parts: HookPorts, claim: Claim, place: HookPlace, report: Report): Promise<Report> {
  const note = await noteAfter(parts, claim, place);
  return note === null ? report : { ...report, notes: [...report.notes, note] };
}

async function noteAfter(parts: HookPorts, claim: Claim, place: HookPlace): Promise<string | null> {
  const { hooks } = parts.settings.workspace;
  if (hooks.afterRun.length === 0 || place.base === null) return null;
  try {
    return await withLog(parts, claim, place, (site) => runAfter(hooks, site));
  } catch (error) {
    // A result must not be lost because its hook could not be started.
    return `the hook after_run did not run: ${errorText(error)}`;
  }
}

async function withLog<T>(
  parts: HookPorts,
  { run, attempt }: Claim,
  { path, env }: HookPlace,
  act: (site: CommandSite) => Promise<T>,
): Promise<T> {
  const log = openLog(parts, run.header, attempt);
  const own = checkVariables(parts, { run, attempt });
  try {
    return await act({ cwd: path, attempt: attempt.id, sink: log.sink, env: { ...env, ...own } });
  } finally {
    await log.close();
  }
}
