// A damaged clone of a guest is put aside with the trees that were made from it, and cloned again. What was handed over is on the host.

import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join, sep } from "node:path";
import { AppError } from "../../domain/error.ts";
import type { AttemptId } from "../../domain/ids.ts";
import { removeAll } from "../../system/files/remove-all.ts";
import { damageOf } from "../../workspaces/clones/damage.ts";
import { readTreeRecord } from "../../workspaces/trees/ownership.ts";
import type { Parts } from "../parts.ts";
import { withTreeLock } from "../trees/trees.ts";
import { hostAndPidOf, machineOf } from "../worker.ts";

type DamagePorts = Pick<Parts, "home" | "store" | "machines" | "dispatch" | "trees" | "clock" | "warn" | "log">;

interface Clone {
  /** On the host. */
  readonly repo: string;
  readonly path: string;
}

/** To look may take minutes, and a repository that is away fails again and again. */
const lookAgainMs = 10 * 60_000;

/** The clones of a guest that have failed. */
export class Damages {
  readonly #parts: DamagePorts;
  readonly #found = new Map<string, string>();
  readonly #soundAt = new Map<string, number>();

  constructor(parts: DamagePorts) {
    this.#parts = parts;
  }

  isKnown(repo: string): boolean {
    return this.#found.has(repo);
  }

  /** For a clone that could not be brought up to date. */
  async findSometimes(clone: Clone): Promise<AppError | null> {
    const soundAt = this.#soundAt.get(clone.repo);
    const isRecent = soundAt !== undefined && this.#parts.clock.steady() - soundAt < lookAgainMs;
    return isRecent ? null : await this.find(clone);
  }

  /** For a clone in which an attempt has failed, so that it was there. */
  async findIn(clone: Clone): Promise<AppError | null> {
    return await this.#note(clone, isGone(clone.path) ? "it is gone" : await damageOf(clone.path));
  }

  /** Looks at a clone in which something failed; null: it is sound, so that something else is the reason. */
  async find(clone: Clone): Promise<AppError | null> {
    return await this.#note(clone, await damageOf(clone.path));
  }

  async #note({ repo, path }: Clone, why: string | null): Promise<AppError | null> {
    if (why === null) this.#soundAt.set(repo, this.#parts.clock.steady());
    else this.#found.set(repo, why);
    return why === null ? null : damagedError(path, why);
  }

  /**
   * Puts a clone aside that was found damaged. `own`: the attempt that is about to begin. Throws while others of this machine work in trees
   * of the clone.
   */
  async mendKnown(clone: Clone, own: AttemptId | null): Promise<void> {
    const why = this.#found.get(clone.repo);
    if (why === undefined) return;
    await withTreeLock(clone.path, async () => {
      // Another worker of this machine may have done it.
      if (isGone(clone.path) || (await damageOf(clone.path)) !== null) await putAside(this.#parts, clone, why, own);
    });
    this.#found.delete(clone.repo);
    this.#soundAt.delete(clone.repo);
  }
}

function isGone(path: string): boolean {
  return !existsSync(join(path, ".git"));
}

function damagedError(path: string, why: string): AppError {
  return new AppError("REPOSITORY_AWAY", `the clone ${path} is damaged: ${why}`, {
    hint: "this worker clones it again when nothing works there",
  });
}

async function putAside(parts: DamagePorts, { repo, path }: Clone, why: string, own: AttemptId | null): Promise<void> {
  if (await isInUse(parts, repo, own)) throw damagedError(path, why);
  const { worktrees } = parts.home;
  const aside = `${path}.damaged`;
  // One is kept for a person who looks for something, and no more.
  removeAll(aside);
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  for (const tree of treesOf(worktrees, path)) {
    parts.trees.vacate(join(worktrees, tree));
    const run = /^[^.-]+/.exec(tree)?.[0] ?? tree;
    // Without them, what was handed over counts.
    for (const name of [tree, `${tree}.tree.json`, `${tree}.slot.json`, `${tree}.claim`, `${run}.parked`])
      if (existsSync(join(worktrees, name))) renameSync(join(worktrees, name), join(aside, name));
  }
  if (existsSync(path)) renameSync(path, join(aside, "clone"));
  parts.log("guest.clone_damaged", { clone: path, why, aside });
  parts.warn(`the clone ${path} is damaged: ${why}; it is cloned again, and what was there is in ${aside}`);
}

function treesOf(worktrees: string, clone: string): readonly string[] {
  const names = existsSync(worktrees) ? readdirSync(worktrees) : [];
  return names
    .flatMap((name) => (name.endsWith(".tree.json") ? [name.slice(0, -".tree.json".length)] : []))
    .filter((name) => readTreeRecord(join(worktrees, name))?.commonDir.startsWith(`${clone}${sep}`) === true);
}

async function isInUse(parts: DamagePorts, repo: string, own: AttemptId | null): Promise<boolean> {
  for (const { attempt, run, worker } of await parts.dispatch.leases({ endedBefore: null })) {
    if (attempt === own || hostAndPidOf(worker)?.host !== machineOf(parts)) continue;
    if ((await parts.store.runById(run))?.repo === repo) return true;
  }
  return false;
}
