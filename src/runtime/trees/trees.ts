// Making trees: each once in this process, so that git is not asked before every attempt, and by one process at a time.

import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunId, StoryId } from "../../domain/ids.ts";
import { withFileLock } from "../../system/files/file-lock.ts";
import { readJson, writeJson } from "../../system/files/json-file.ts";
import { letGitEnd } from "../../workspaces/git/running.ts";
import { lifeOfWorker, ownWorker, processOf } from "../worker.ts";

/** The story that works in a tree, and the variables of its attempts. */
export interface Occupancy {
  /** null: the run's own tree. */
  readonly story: StoryId | null;
  readonly env: Readonly<Record<string, string>>;
}

/** The trees that this process has made, is making and has entered. */
export class Trees {
  readonly #made = new Set<string>();
  readonly #making = new Map<string, Promise<void>>();
  readonly #occupancies = new Map<string, Occupancy>();

  /** Calls `make` unless the tree is there. Callers that need the same tree at once wait for one `make`; after an error the next tries again. */
  async ensure(path: string, make: () => Promise<void>): Promise<void> {
    const making = this.#making.get(path);
    // Asked first: a tree that is made again, after it was removed, has its `.git` long before it is finished.
    if (making !== undefined) return await making;
    if (this.#made.has(path) && existsSync(join(path, ".git"))) return;
    const begun = this.#freeProcessor()
      .then(make)
      .then(() => void this.#made.add(path))
      .finally(() => this.#making.delete(path));
    this.#making.set(path, begun);
    await begun;
  }

  occupancyOf(path: string): Occupancy | null {
    return this.#occupancies.get(path) ?? null;
  }

  occupy(path: string, occupancy: Occupancy): void {
    this.#occupancies.set(path, occupancy);
  }

  vacate(path: string): void {
    this.#occupancies.delete(path);
  }

  /** Waits until no tree is half made. Call it before trees are removed and before the store is closed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#making.values());
  }

  /** Makes no more trees at once than there are processors: eight that share two would all be late, instead of the first ones early. */
  async #freeProcessor(): Promise<void> {
    const before = [...this.#making.values()];
    await Promise.allSettled(before.slice(0, Math.max(0, before.length - availableParallelism() + 1)));
  }
}

const lookEveryMs = 20;

/**
 * Calls `act` while no other process makes or removes this tree. Trees are made ahead of their stories, so no lease guards them, and a
 * run may have two drivers. The lock of a dead process is free as soon as its git has ended.
 */
export async function withTreeLock(path: string, act: () => Promise<void>): Promise<void> {
  const note = `${path}.turn`;
  mkdirSync(dirname(path), { recursive: true });
  await takeLock(note);
  try {
    await act();
  } finally {
    rmSync(note, { force: true });
  }
}

/** Removes what dead processes left of their turns at the trees of a run that is over. */
export async function forgetTurns(worktrees: string, run: RunId): Promise<void> {
  const names = existsSync(worktrees) ? readdirSync(worktrees) : [];
  const notes = names.flatMap((name) =>
    name.startsWith(`${run}.`) || name.startsWith(`${run}-`) ? (/^.+\.turn(?=(?:\.lock)?$)/.exec(name) ?? []) : [],
  );
  for (const note of new Set(notes.map((name) => join(worktrees, name)))) {
    // The lock of a dead process goes with this one.
    await withFileLock(`${note}.lock`, () => {
      const holder = holderIn(note);
      if (holder === null || lifeOfWorker(holder) === "dead") rmSync(note, { force: true });
    });
  }
}

async function takeLock(note: string): Promise<void> {
  for (;;) {
    const holder = await withFileLock(`${note}.lock`, () => tryLock(note));
    if (holder === null) return;
    if (lifeOfWorker(holder) !== "dead") {
      await sleep(lookEveryMs);
      continue;
    }
    const worker = processOf(holder);
    if (worker !== null) await letGitEnd(worker);
    await withFileLock(`${note}.lock`, () => {
      if (holderIn(note) === holder) rmSync(note, { force: true });
    });
  }
}

/** The worker that holds the lock; null if it is this process from now on. */
function tryLock(note: string): string | null {
  const holder = holderIn(note);
  if (holder === null) writeJson(note, { by: ownWorker() });
  return holder;
}

function holderIn(note: string): string | null {
  const read = readJson(note) as { readonly by?: unknown } | null;
  return typeof read?.by === "string" ? read.by : null;
}
