// Executors as rows. Owns: what can be named and whether it can be used, for `executor list` and `doctor`.

import { configuredExecutors } from "../app.ts";
import type { ProbedExecutor } from "../executors/probe.ts";
import type { Sandbox } from "../executors/sandbox/sandbox.ts";
import type { Session } from "./session.ts";

export interface ExecutorRow extends ProbedExecutor {
  readonly isDefault: boolean;
  /** `none`, or what confines it. */
  readonly sandbox: "none" | "bwrap" | "bwrap, no network";
}

export async function describeExecutors({ config }: Pick<Session, "config">): Promise<readonly ExecutorRow[]> {
  const executors = configuredExecutors(config);
  const usual = executors.usual();
  const probed = await executors.probe(executors.known());
  return probed.map((row) => ({
    ...row,
    isDefault: row.name === usual,
    sandbox: sandboxOf(config.executors[row.name]?.sandbox ?? null),
  }));
}

function sandboxOf(sandbox: Sandbox | null): ExecutorRow["sandbox"] {
  if (sandbox === null) return "none";
  return sandbox.network ? "bwrap" : "bwrap, no network";
}
