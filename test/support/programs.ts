// Programs for tests of the process supervisor: calls with sensible defaults, and scripts that misbehave.

import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ProcessCall, ProcessLimits } from "../../src/system/process/call.ts";
import { type ProcessIdentity, processIdentity } from "../../src/system/process/identity.ts";
import { patienceMs } from "./patience.ts";
import { until } from "./until.ts";

type Changes = Partial<Omit<ProcessCall, "command" | "limits">> & { limits?: Partial<ProcessLimits> };

export function callOf(command: ProcessCall["command"], { limits, ...changes }: Changes = {}): ProcessCall {
  return {
    command,
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    marker: { name: "PAWL_TEST", value: randomUUID() },
    input: "",
    limits: { wallMs: patienceMs, quietMs: null, captureBytes: 64 * 1024, ...limits },
    ...changes,
  };
}

export const shell = (script: string, changes?: Changes) => callOf(["/bin/sh", "-c", script], changes);

/** A path in a directory that is removed after the test. */
export function freshFile(name: string): string {
  const directory = mkdtempSync(join(tmpdir(), "pawl-process-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, name);
}

/** Shell text that starts `command` in the background, in its own session, and continues when it runs. */
export function inOwnSession(pidFile: string, command: string, wrapper = ""): string {
  return `${wrapper} setsid /bin/sh -c 'echo $$ > ${pidFile}; ${command}' & ${untilThere(pidFile)}`;
}

export const untilThere = (file: string) => `while [ ! -s ${file} ]; do sleep 0.01; done;`;

/** The process that writes its pid into the file; waits for the file. */
export async function identityIn(pidFile: string): Promise<ProcessIdentity> {
  const pid = await until(() => numberIn(pidFile));
  const identity = processIdentity(pid);
  if (identity === null) throw new Error(`process ${pid} has already ended`);
  return identity;
}

function numberIn(file: string): number {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}
