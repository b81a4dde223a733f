// Runs commands in a tree, one after the other, until one is red: the checks of a step, the setup of a tree.

import { attemptMarker } from "../../executors/executor.ts";
import type { OutputSink } from "../../system/process/call.ts";
import { allowedEnvironment } from "../../system/process/environment.ts";
import { supervise } from "../../system/process/supervise.ts";
import type { RegisterStop } from "../stop-switch.ts";

const wallMs = 30 * 60_000;
const shownBytes = 12_000;

export interface Red {
  readonly command: string;
  readonly output: string;
}

/** Where the commands run. */
export interface CommandSite {
  readonly cwd: string;
  readonly attempt: string;
  readonly sink: OutputSink;
  /** The variables of the tree: ports, names. */
  readonly env: Readonly<Record<string, string>>;
}

/** The first command that is red; null: all are green. */
export async function firstRed(
  commands: readonly string[],
  site: CommandSite,
  registerStop: RegisterStop,
): Promise<Red | null> {
  for (const command of commands) {
    const running = supervise({
      command: ["sh", "-c", command],
      cwd: site.cwd,
      env: { ...allowedEnvironment(process.env, []), ...site.env },
      marker: { name: attemptMarker, value: site.attempt },
      input: "",
      limits: { wallMs, quietMs: null, captureBytes: shownBytes },
      onOutput: site.sink,
    });
    registerStop((reason) => running.stop(reason));
    const end = await running.ended;
    if (end.kind === "exited" && end.code === 0) continue;
    const how = end.kind === "exited" ? `exit code ${end.code}` : end.kind.replaceAll("_", " ");
    return { command, output: `\`${command}\`: ${how}\n\n${end.stdout}${end.stderr}`.trim() };
  }
  return null;
}
