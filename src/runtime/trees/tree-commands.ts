// Runs a command in a tree: a check of a step, the setup of a tree, a hook.

import { attemptMarker } from "../../executors/executor.ts";
import type { OutputSink, ProcessEnd } from "../../system/process/call.ts";
import { allowedEnvironment } from "../../system/process/environment.ts";
import { supervise } from "../../system/process/supervise.ts";
import type { RegisterStop } from "../stop-switch.ts";

const usualWallMs = 30 * 60_000;
const shownBytes = 12_000;

/** Where the commands run. */
export interface CommandSite {
  readonly cwd: string;
  readonly attempt: string;
  readonly sink: OutputSink;
  /** The variables of the tree: ports, names. */
  readonly env: Readonly<Record<string, string>>;
  /** How long a command may take; absent: half an hour. */
  readonly wallMs?: number;
}

export async function runInTree(command: string, site: CommandSite, registerStop: RegisterStop): Promise<ProcessEnd> {
  const running = supervise({
    command: ["sh", "-c", command],
    cwd: site.cwd,
    env: { ...allowedEnvironment(process.env, []), ...site.env },
    marker: { name: attemptMarker, value: site.attempt },
    input: "",
    limits: { wallMs: site.wallMs ?? usualWallMs, quietMs: null, captureBytes: shownBytes },
    onOutput: site.sink,
  });
  registerStop((reason) => running.stop(reason));
  return await running.ended;
}

export function howItEnded(end: ProcessEnd): string {
  return end.kind === "exited" ? `exit code ${end.code}` : end.kind.replaceAll("_", " ");
}

/** What failed, and how, and what it printed. */
export function failureText(command: string, how: string, end: ProcessEnd): string {
  return `\`${command}\`: ${how}\n\n${end.stdout}${end.stderr}`.trim();
}
