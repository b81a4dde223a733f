// What the configuration says about one executor. `null` and an empty list mean that it says nothing.

import type { PermissionPolicy } from "./acp/permissions.ts";
import type { Access } from "./executor.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";

export interface ExecutorConfig {
  /** `command`, `scripted`, `acp`, `await`, or the kind of an agent. */
  readonly kind: string;
  /** Of kind `acp`: it replaces the command of the preset. */
  readonly command: readonly string[];
  readonly script: string | null;
  /** Variables that the program sees beside the usual ones. */
  readonly env: readonly string[];
  readonly wallMs: number | null;
  readonly quietMs: number | null;
  readonly startMs: number | null;
  /** Of an agent: the path of its program, or its name on PATH where that is not its kind. */
  readonly program: string | null;
  /** Of kind `acp`: the kind of a known agent. */
  readonly preset: string | null;
  /** Of kind `acp`: the answer when it asks for permission. */
  readonly permissions: PermissionPolicy | null;
  readonly model: string | null;
  readonly effort: string | null;
  readonly maxTurns: number | null;
  readonly maxUsd: number | null;
  readonly access: Access | null;
  /** Without the user's own settings for that agent. */
  readonly isolated: boolean | null;
  readonly sandbox: Sandbox | null;
  /** The account whose quota it uses. */
  readonly account: string | null;
  /** Arguments of an agent beside Pawl's own. */
  readonly args: readonly string[];
}

/** The part of a configuration that is about executors. */
export interface ExecutorSettings {
  readonly executors: Readonly<Record<string, ExecutorConfig>>;
  /** Executors of runs and workflows that name none, in order of preference. */
  readonly defaultExecutors: readonly string[];
}

export function executorIn({ executors }: Pick<ExecutorSettings, "executors">, name: string): ExecutorConfig | null {
  return Object.hasOwn(executors, name) ? (executors[name] ?? null) : null;
}
