// Probes executors: whether each one can be used here, and which version its program has.

import type { Executor } from "./executor.ts";
import type { NamedExecutor } from "./executor-names.ts";

export interface ProbedExecutor extends NamedExecutor {
  readonly installed: boolean;
  /** The version of its program, if the program reports one. */
  readonly version: string | null;
  /** Why it cannot be used, and what to do about it; empty when it can. */
  readonly problem: string;
  readonly hint: string;
}

/** All of them at once: a program may take seconds to report its version. */
export async function probeExecutors(
  executors: readonly NamedExecutor[],
  get: (name: string) => Promise<Executor>,
): Promise<readonly ProbedExecutor[]> {
  return await Promise.all(
    executors.map(async ({ name, kind }) => {
      const executor = await get(name);
      const missing = await executor.missing();
      return {
        name,
        kind,
        installed: missing === null,
        version: (await executor.version?.()) ?? null,
        problem: missing?.what ?? "",
        hint: missing?.hint ?? "",
      };
    }),
  );
}
