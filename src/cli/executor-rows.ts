// Executors as rows. Owns: what is configured and whether it can be used, for `executor list` and `doctor`.

import type { Session } from "./session.ts";

export interface ExecutorRow {
  readonly name: string;
  readonly kind: string;
  readonly installed: boolean;
  readonly problem: string;
  readonly isDefault: boolean;
}

export async function describeExecutors({ parts, config }: Session): Promise<readonly ExecutorRow[]> {
  const rows: ExecutorRow[] = [];
  for (const [name, { kind }] of Object.entries(config.executors)) {
    const missing = await (await parts.executors.get(name)).missing();
    rows.push({
      name,
      kind,
      installed: missing === null,
      problem: missing?.what ?? "",
      isDefault: config.defaultExecutor === name,
    });
  }
  return rows;
}
