// Delivers a message to a program: one call, and what its end means.

import { randomUUID } from "node:crypto";
import type { ProcessEnd } from "../system/process/call.ts";
import { allowedEnvironment } from "../system/process/environment.ts";
import { supervise } from "../system/process/supervise.ts";
import { reasonOf } from "./target.ts";

export interface ProgramPlace {
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ProgramCall {
  readonly command: readonly [string, ...string[]];
  /** Names of variables that it may see beside the usual ones. */
  readonly env: readonly string[];
  readonly input: string;
  readonly signal: AbortSignal;
}

/** `signal` ends it in time; this limit is the safety net. */
const wallMs = 60_000;
const graceMs = 1_000;
const captureBytes = 16 * 1024;
const shownOnFailure = 300;

/** null: it took the message. */
export async function callProgram(call: ProgramCall, { dir, env }: ProgramPlace): Promise<string | null> {
  const supervised = supervise({
    command: call.command,
    cwd: dir,
    env: allowedEnvironment(env, call.env),
    marker: { name: "PAWL_DELIVERY", value: randomUUID() },
    input: call.input,
    limits: { wallMs, quietMs: null, graceMs, captureBytes },
  });
  const stop = () => supervised.stop(reasonOf(call.signal));
  call.signal.addEventListener("abort", stop);
  if (call.signal.aborted) stop();
  const end = await supervised.ended;
  call.signal.removeEventListener("abort", stop);
  return problemOf(call.command[0], end);
}

function problemOf(program: string, end: ProcessEnd): string | null {
  switch (end.kind) {
    case "exited": {
      if (end.code === 0) return null;
      const said = (end.stderr.trim() || end.stdout.trim()).slice(-shownOnFailure);
      return `exit code ${end.code}${said === "" ? "" : `: ${said}`}`;
    }
    case "signalled":
      return `ended from outside by ${end.signal}`;
    case "timed_out":
      return `stopped after ${Math.round(end.durationMs / 1000)} s`;
    case "stopped":
      return end.reason;
    case "not_started":
      return `\`${program}\` could not be started: ${end.message}`;
  }
}
