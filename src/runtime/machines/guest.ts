// A guest: a machine that performs attempts and has not got the repositories. Owns: its clones, which of the repositories it takes, and
// where a run lies here.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { hasStoryTrees } from "../../domain/definition.ts";
import { AppError, errorText } from "../../domain/error.ts";
import { type RunId, runId, storyId } from "../../domain/ids.ts";
import type { Header, Run } from "../../domain/run.ts";
import { removeAll } from "../../system/files/remove-all.ts";
import { sha256Of } from "../../system/sha256.ts";
import {
  cloneName,
  ensureClone,
  fetchRun,
  hasCommit,
  type Origin,
  pushRefs,
  showFile,
} from "../../workspaces/clones/clone.ts";
import { dropRunRefs } from "../../workspaces/slots/parking.ts";
import { occupantOf } from "../../workspaces/slots/slot.ts";
import { removeWorktree } from "../../workspaces/trees/removal.ts";
import type { Parts } from "../parts.ts";
import type { Site } from "../site.ts";
import { sweepStrays } from "../strays.ts";
import { unknownRun } from "../transition/unknown-run.ts";
import { integrationTarget, slotPaths } from "../trees/places.ts";
import { beginFiles, ownFolder } from "../trees/protocol-folder.ts";
import { vacate } from "../trees/story-tree.ts";
import { withTreeLock } from "../trees/trees.ts";
import { type LogOf, LogSender } from "./log-transfer.ts";

type GuestPorts = Pick<
  Parts,
  "home" | "store" | "machines" | "protocols" | "secrets" | "trees" | "clock" | "log" | "warn"
>;

const configFile = ".pawl/config.yml";
/** A clone that was brought up to date less long ago can be reached. */
const reachedMs = 30_000;
const firstWaitMs = 500;
const longestWaitMs = 15_000;

/** Trying again does not help: a hook, a right, a quota. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof AppError &&
    /rejected|declined|denied|not allowed|quota/i.test([error.message, ...error.details].join(" "))
  );
}

export class Guest implements Site {
  readonly #parts: GuestPorts;
  readonly #repositories: Readonly<Record<string, Origin>>;
  readonly #reachedAt = new Map<string, number>();
  readonly #senders = new Map<string, LogSender>();

  /** `repositories`: by their paths on the host. */
  constructor(parts: GuestPorts, repositories: Readonly<Record<string, Origin>>) {
    this.#parts = parts;
    this.#repositories = repositories;
  }

  takes({ header }: Pick<Run, "header">): boolean {
    return this.takesFrom(header.place.repo);
  }

  takesFrom(repo: string | null): boolean {
    return repo !== null && this.#repositories[repo] !== undefined;
  }

  /** The clone, before anything is claimed: where it cannot be made, another machine takes the step. */
  async ready(run: RunId): Promise<string> {
    const loaded = await this.#parts.store.transaction((tx) => tx.load(run, () => []));
    if (loaded === null) throw unknownRun(run);
    const { header } = loaded.run;
    const { repo, origin } = this.#placesOf(header);
    const path = this.#cloneOf(repo);
    const last = this.#reachedAt.get(repo);
    const isRecent = last !== undefined && this.#parts.clock.steady() - last <= reachedMs && existsSync(path);
    if (!isRecent || !(await hasCommit(path, header.place.base ?? ""))) await this.#bring(header, path, origin);
    else await this.#showConfiguration(header, path);
    return path;
  }

  /** The run as it lies here. */
  at(run: Run): Run {
    const { header } = run;
    const { source: _, shared, ...place } = header.place;
    const folder = shared === undefined ? {} : { shared: ownFolder(this.#parts, header.id) };
    return { ...run, header: { ...header, place: { ...place, ...folder, repo: this.#cloneOf(place.repo ?? "") } } };
  }

  async localise<C extends LogOf>(claim: C): Promise<C> {
    const { header } = claim.run;
    const { repo, origin } = this.#placesOf(header);
    await this.#bring(header, this.#cloneOf(repo), origin);
    // An attempt of this machine that was lost with its worker may have left an agent, in the tree that is entered now.
    await sweepStrays(this.#parts);
    const here = { ...claim, run: this.at(claim.run) };
    const protocol = this.#parts.protocols.of(header.definition);
    if (here.run.header.place.shared !== undefined) await beginFiles(protocol, here.run.header);
    this.#senders.set(claim.attempt.id, new LogSender(this.#parts, here));
    return here;
  }

  async push(
    run: Run,
    refs: readonly (readonly [ref: string, commit: string])[],
    isStopped: () => boolean,
  ): Promise<void> {
    const path = run.header.place.repo ?? "";
    const origin = Object.entries(this.#repositories).find(([repo]) => this.#cloneOf(repo) === path)?.[1];
    if (origin === undefined) throw new Error(`${path} is not a clone of this machine`);
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
      try {
        return await pushRefs(path, origin.from, refs);
      } catch (error) {
        // Finished work waits for its way back, as a result waits for the store.
        if (isStopped() || isRefusal(error)) throw error;
        this.#parts.warn(`the work of ${run.header.id} waits to be handed over: ${errorText(error)}`);
        await this.#parts.clock.sleep(waitMs);
      }
    }
  }

  async settle({ attempt }: LogOf): Promise<void> {
    await this.#senders.get(attempt.id)?.end();
    this.#senders.delete(attempt.id);
  }

  /** Removes the trees of runs that are done or cancelled: what they had was handed over. A run that failed may be retried. */
  async tidy(isPerformed: (run: RunId) => boolean): Promise<void> {
    const { home, store, trees } = this.#parts;
    const names = existsSync(home.worktrees) ? readdirSync(home.worktrees) : [];
    const runs = new Set(names.flatMap((name) => /^[^.-]+/.exec(name)?.[0] ?? []));
    for (const id of runs) {
      const run = await store.wholeRun(runId(id));
      const status = run?.header.end?.status ?? "running";
      if (run === null || isPerformed(run.header.id) || !this.takes(run)) continue;
      if (status !== "done" && status !== "cancelled") continue;
      await trees.settled();
      await this.#remove(this.at(run));
    }
  }

  async #remove(run: Run): Promise<void> {
    const { home } = this.#parts;
    const { id, place } = run.header;
    const repo = place.repo ?? "";
    for (const path of [join(home.worktrees, id), ...slotPaths(this.#parts, id)]) {
      await withTreeLock(path, async () => {
        const occupant = occupantOf(path);
        // What a stopped attempt did is saved as a diff first.
        if (occupant !== null) await vacate({ ...this.#parts }, run, path, storyId(occupant));
        await removeWorktree({ repo, path, keepAs: `pawl/${id}-kept`, force: true });
        for (const end of [".slot.json", ".claim"]) removeAll(`${path}${end}`);
      });
    }
    for (const path of [join(home.worktrees, `${id}.parked`), ownFolder(this.#parts, id)]) removeAll(path);
    await dropRunRefs(repo, id);
    this.#parts.log("guest.tidied", { run: id });
  }

  #placesOf({ place }: Header): { readonly repo: string; readonly origin: Origin } {
    const { repo } = place;
    const origin = repo === null ? undefined : this.#repositories[repo];
    if (repo === null || origin === undefined) {
      throw new AppError("REFUSED", `${repo} is none of the repositories of this worker`, {
        hint: "name it in `worker.repositories` of the configuration",
      });
    }
    return { repo, origin };
  }

  #cloneOf(repo: string): string {
    return join(this.#parts.home.dir, "repositories", cloneName(repo, sha256Of(repo)));
  }

  /** One process at a time: a fetch beside another one finds its locks. */
  async #bring(header: Header, path: string, origin: Origin): Promise<void> {
    const { base, side, run } = integrationTarget({ header, stories: {} });
    // The tree of a run without stories is on its side branch itself.
    const branches = [base, ...(hasStoryTrees(header.definition) ? [side] : [])].filter((name) => name !== "");
    await withTreeLock(path, async () => {
      await ensureClone(path, origin);
      await fetchRun(path, origin.from, { run, branches });
    });
    if (!(await hasCommit(path, header.place.base ?? ""))) {
      throw new AppError(
        "REPOSITORY_UNUSABLE",
        `the host has not yet handed over the commit that run ${run} starts from`,
        {
          hint: "a worker or a service must run on the host; it puts the commit below refs/pawl/handed",
        },
      );
    }
    await this.#showConfiguration(header, path);
    this.#reachedAt.set(header.place.repo ?? "", this.#parts.clock.steady());
  }

  /** Pawl reads the configuration of a repository in its folder. */
  async #showConfiguration({ place }: Header, path: string): Promise<void> {
    await withTreeLock(path, async () => await showFile(path, place.base ?? "", configFile));
  }
}
