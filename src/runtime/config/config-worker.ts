// What the configuration says of workers: the labels of this machine, which executors it takes, and where it finds repositories that are on
// the host of a store.

import { isAbsolute, normalize } from "node:path";
import { z } from "zod";
import { isSafeId } from "../../domain/ids.ts";
import type { Origin } from "../../workspaces/clones/clone.ts";

const label = z
  .string()
  .refine(isSafeId, "a label has letters, digits, dots, dashes and underscores, and starts with a letter or digit");
const address = z.string().refine((text) => text.trim() !== "" && !text.startsWith("-"), "an address that git takes");
const folder = z.string().refine(isAbsolute, "the absolute path of a repository");

export const workerSchema = z.strictObject({
  labels: z.array(label).max(20).optional(),
  executors: z.array(z.string().min(1)).max(20).optional(),
  repositories: z
    .record(folder, z.union([address, z.strictObject({ from: address, mirror: folder.optional() })]), {
      error: ({ code }) =>
        code === "invalid_key" ? "it is not the absolute path of a repository on the host" : undefined,
    })
    .optional(),
});

export interface WorkerConfig {
  /** Beside the operating system. */
  readonly labels: readonly string[];
  /** It takes steps of these alone; null: of any that it knows. */
  readonly executors: readonly string[] | null;
  /** By their paths on the host. */
  readonly repositories: Readonly<Record<string, Origin>>;
}

export function readWorkerConfig(written: z.infer<typeof workerSchema> = {}): WorkerConfig {
  const repositories = Object.entries(written.repositories ?? {}).map(([path, origin]) => {
    const { from, mirror = null } = typeof origin === "string" ? { from: origin } : origin;
    return [normalize(path).replace(/(.)\/$/, "$1"), { from, mirror }] as const;
  });
  return {
    labels: written.labels ?? [],
    executors: written.executors ?? null,
    repositories: Object.fromEntries(repositories),
  };
}
