// Disk space: no new story begins when there is too little for its tree. Running stories continue.

import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { hasStoryTrees } from "../../domain/definition.ts";
import type { StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { Parts } from "../parts.ts";

/** A step that begins a story makes a tree for it. */
export function needsTree({ header, stories }: Run, story: StoryId | null): boolean {
  return story !== null && stories[story]?.attempts.length === 0 && hasStoryTrees(header.definition);
}

/** null: there is enough, or it cannot be measured. */
export async function lowDiskWarning({ settings, home }: Pick<Parts, "settings" | "home">): Promise<string | null> {
  const { minFreeBytes } = settings.workspace;
  const free = await freeBytes(home.worktrees);
  if (free === null || free >= minFreeBytes) return null;
  return `only ${megabytes(free)} MB are free where trees are made, and ${megabytes(minFreeBytes)} MB are wanted (workspace.min_free): no new story begins until there is more`;
}

/** Looks from time to time, and warns once each time that the space runs low. */
export class DiskWatch {
  readonly #ports: Pick<Parts, "settings" | "home" | "clock" | "warn">;
  readonly #everyMs: number;
  #warning: string | null = null;
  #seenAt = 0;

  constructor(ports: Pick<Parts, "settings" | "home" | "clock" | "warn">, everyMs: number) {
    this.#ports = ports;
    this.#everyMs = everyMs;
  }

  async isLow(): Promise<boolean> {
    const now = this.#ports.clock.now();
    if (now - this.#seenAt < this.#everyMs) return this.#warning !== null;
    const warning = await lowDiskWarning(this.#ports);
    if (warning !== null && this.#warning === null) this.#ports.warn(warning);
    [this.#warning, this.#seenAt] = [warning, now];
    return warning !== null;
  }
}

async function freeBytes(path: string): Promise<number | null> {
  for (let at = path; ; at = dirname(at)) {
    try {
      const { bavail, bsize } = await statfs(at);
      return bavail * bsize;
    } catch {
      if (dirname(at) === at) return null;
    }
  }
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 1_000_000);
}
