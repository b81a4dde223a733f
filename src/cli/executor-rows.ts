// Executors as rows. Owns: what can be named and whether it can be used, for `executor list` and `doctor`.

import type { Sandbox } from "../executors/sandbox/sandbox.ts";
import { defaultExecutor, knownExecutors } from "../runtime/config/executor-names.ts";
import type { Session } from "./session.ts";

export interface ExecutorRow {
  readonly name: string;
  readonly kind: string;
  readonly installed: boolean;
  /** Of its program, where that tells one. */
  readonly version: string | null;
  readonly problem: string;
  readonly hint: string;
  readonly isDefault: boolean;
  /** `none`, or what confines it. */
  readonly sandbox: "none" | "bwrap" | "bwrap, no network";
}

/** All at once: asking an agent for its version can take seconds. */
export async function describeExecutors({ parts, config }: Session): Promise<readonly ExecutorRow[]> {
  const chosen = defaultExecutor(config);
  return await Promise.all(
    knownExecutors(config).map(async ({ name, kind }) => {
      const executor = await parts.executors.get(name);
      const missing = await executor.missing();
      return {
        name,
        kind,
        installed: missing === null,
        version: (await executor.version?.()) ?? null,
        problem: missing?.what ?? "",
        hint: missing?.hint ?? "",
        isDefault: name === chosen,
        sandbox: sandboxOf(config.executors[name]?.sandbox ?? null),
      };
    }),
  );
}

function sandboxOf(sandbox: Sandbox | null): ExecutorRow["sandbox"] {
  if (sandbox === null) return "none";
  return sandbox.network ? "bwrap" : "bwrap, no network";
}
