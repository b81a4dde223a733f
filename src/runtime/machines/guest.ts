// A guest: a machine that performs attempts and has not got the repositories. Owns: its clones, which of the repositories it takes, and
// where a run lies here.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { hasStoryTrees } from "../../domain/definition.ts";
import { AppError, type ErrorCode, errorText } from "../../domain/error.ts";
import { type AttemptId, type RunId, runId, storyId } from "../../domain/ids.ts";
import type { Header, Run } from "../../domain/run.ts";
import { removeAll } from "../../system/files/remove-all.ts";
import { sha256Of } from "../../system/sha256.ts";
import {
  cloneName,
  dropBranch,
  ensureClone,
  fetchedRuns,
  fetchRun,
  hasCommit,
  type Origin,
  pushRefs,
  sharedCommit,
  showFile,
} from "../../workspaces/clones/clone.ts";
import { dropRunRefs, readWhereabouts } from "../../workspaces/slots/parking.ts";
import { occupantOf } from "../../workspaces/slots/slot.ts";
import { removeWorktree } from "../../workspaces/trees/removal.ts";
import { parseSnapshot } from "../../workspaces/trees/snapshot.ts";
import { removeRecords } from "../attempt/records.ts";
import { repositoryConfig } from "../config/config.ts";
import type { Parts } from "../parts.ts";
import type { Site } from "../site.ts";
import { sweepStrays } from "../strays.ts";
import { unknownRun } from "../transition/unknown-run.ts";
import { headHere } from "../trees/arrival.ts";
import { integrationTarget, parkingFile, slotPaths } from "../trees/places.ts";
import { beginFiles, ownFolder } from "../trees/protocol-folder.ts";
import { vacate } from "../trees/story-tree.ts";
import { forgetTurns, withTreeLock } from "../trees/trees.ts";
import { Damages } from "./damaged-clone.ts";
import { markedRuns, markRun, removeBeside, removeLeft, removeSent } from "./left-files.ts";
import { type LogOf, LogSender } from "./log-transfer.ts";
import { assertSound } from "./sound-run.ts";

type GuestPorts = Pick<
  Parts,
  "home" | "store" | "machines" | "dispatch" | "protocols" | "secrets" | "trees" | "clock" | "log" | "warn"
>;

/** A clone that was brought up to date less long ago can be reached. */
const reachedMs = 30_000;
/** An attempt that waits longer for its repository is lost: another machine may reach it. */
const awayMs = 60_000;
/** The same would fail again. */
const waitingIsVain: readonly ErrorCode[] = ["REPOSITORY_UNUSABLE", "CONFIG_INVALID", "INPUT_INVALID", "STORE_DAMAGED"];
const firstWaitMs = 500;
const longestWaitMs = 15_000;

export class Guest implements Site {
  readonly #parts: GuestPorts;
  readonly #repositories: Readonly<Record<string, Origin>>;
  readonly #reachedAt = new Map<string, number>();
  readonly #damages: Damages;
  readonly #senders = new Map<string, LogSender>();

  /** `repositories`: by their paths on the host. */
  constructor(parts: GuestPorts, repositories: Readonly<Record<string, Origin>>) {
    this.#parts = parts;
    this.#damages = new Damages(parts);
    this.#repositories = repositories;
  }

  /** Throws where names of the run cannot be used here. */
  takes(run: Run): boolean {
    if (!this.takesFrom(run.header.place.repo)) return false;
    assertSound(run);
    return true;
  }

  takesFrom(repo: string | null): boolean {
    return repo !== null && this.#repositories[repo] !== undefined;
  }

  /**
   * The clone, before anything is claimed: where it cannot be made, another machine takes the step. `commit`: has the configuration that
   * counts for the run.
   */
  async ready(run: RunId): Promise<{ readonly folder: string; readonly commit: string | null }> {
    const loaded = await this.#parts.store.transaction((tx) => tx.load(run, () => []));
    if (loaded === null) throw unknownRun(run);
    const { header } = loaded.run;
    const { repo, origin } = this.#placesOf(header);
    assertSound(loaded.run);
    const path = this.#cloneOf(repo);
    const last = this.#reachedAt.get(repo);
    const isRecent =
      last !== undefined &&
      !this.#damages.isKnown(repo) &&
      this.#parts.clock.steady() - last <= reachedMs &&
      existsSync(path);
    if (!isRecent || !(await hasCommit(path, header.place.base ?? ""))) await this.#bring(header, path, origin, null);
    else await this.#showConfiguration(header, path);
    return { folder: path, commit: header.place.base };
  }

  /** The run as it lies here. */
  at(run: Run): Run {
    const { header } = run;
    const { source: _, shared, ...place } = header.place;
    const folder = shared === undefined ? {} : { shared: ownFolder(this.#parts, header.id) };
    return { ...run, header: { ...header, place: { ...place, ...folder, repo: this.#cloneOf(place.repo ?? "") } } };
  }

  async localise<C extends LogOf>(claim: C, isStopped: () => boolean): Promise<C> {
    const { header } = claim.run;
    const { repo, origin } = this.#placesOf(header);
    const giveUpAt = this.#parts.clock.steady() + awayMs;
    const isOver = () => isStopped() || this.#parts.clock.steady() > giveUpAt;
    const bring = async () => await this.#bring(header, this.#cloneOf(repo), origin, claim.attempt.id);
    // The step is this machine's by now: an attempt must not fail because of a network that is away for a moment.
    await this.#reaching(`run ${header.id} waits for its repository`, isOver, bring);
    // An attempt of this machine that was lost with its worker may have left an agent, in the tree that is entered now.
    await sweepStrays(this.#parts);
    const here = { ...claim, run: this.at(claim.run) };
    const protocol = this.#parts.protocols.of(header.definition);
    if (here.run.header.place.shared !== undefined) await beginFiles(protocol, here.run.header);
    const host = await this.#hostId();
    if (host !== null) markRun(this.#parts, header.id, host);
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
    const push = async () => await pushRefs(path, origin.from, refs);
    // Finished work waits for its way back, as a result waits for the store.
    await this.#reaching(`the work of ${run.header.id} waits to be handed over`, isStopped, push);
  }

  async #reaching(waits: string, isOver: () => boolean, act: () => Promise<void>): Promise<void> {
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
      try {
        return await act();
      } catch (error) {
        if (isOver() || (error instanceof AppError && waitingIsVain.includes(error.code))) throw error;
        this.#parts.warn(`${waits}: ${errorText(error)}`);
        await this.#parts.clock.sleep(waitMs);
      }
    }
  }

  async settle({ attempt }: LogOf): Promise<void> {
    await this.#senders.get(attempt.id)?.end();
    this.#senders.delete(attempt.id);
  }

  /** Removes what is here of runs that are done or cancelled: what they had was handed over. A run that failed may be retried. */
  async tidy(isPerformed: (run: RunId) => boolean): Promise<void> {
    const { home, store, trees } = this.#parts;
    const names = existsSync(home.worktrees) ? readdirSync(home.worktrees) : [];
    const runs = new Set(names.flatMap((name) => /^[^.-]+/.exec(name)?.[0] ?? []));
    // It has looked at more runs than it has performed steps of.
    for (const clone of this.#clones()) for (const id of await fetchedRuns(clone)) runs.add(id);
    const host = await this.#hostId();
    const marked = host === null ? [] : markedRuns(this.#parts, host);
    const isCleaned = async (id: string) => (await store.runById(runId(id))) === null;
    for (const id of marked) if (await isCleaned(id)) await removeLeft(this.#parts, runId(id), this.#clones());
    for (const id of runs) {
      try {
        const run = await store.wholeRun(runId(id));
        const status = run?.header.end?.status ?? "running";
        if (run === null || isPerformed(run.header.id) || !this.takes(run)) continue;
        if (status !== "done" && status !== "cancelled") continue;
        await trees.settled();
        await this.#remove(this.at(run));
      } catch (error) {
        // What is left of one run must not keep what is left of all others.
        this.#parts.log("guest.not_tidied", { run: id, why: errorText(error) });
      }
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
        removeBeside(path);
      });
    }
    await this.#dropBranches(run, repo);
    for (const path of [join(home.worktrees, `${id}.parked`), ownFolder(this.#parts, id)]) removeAll(path);
    // A worker that was killed has left some.
    for (const { attempts } of [run.header, ...Object.values(run.stories)])
      for (const attempt of attempts) removeRecords(this.#parts, id, attempt, null);
    await forgetTurns(home.worktrees, id);
    await dropRunRefs(repo, id);
    removeSent(this.#parts, id);
    this.#parts.log("guest.tidied", { run: id });
  }

  /** Of a story, the branch on which it was parked: another run may have given the name to a story of its own since one was left. */
  async #dropBranches(run: Run, repo: string): Promise<void> {
    const { home } = this.#parts;
    const { id, stories } = run.header;
    const { side } = integrationTarget(run);
    for (const known of [headHere({ home }, id, null), await sharedCommit(repo, side)])
      await dropBranch(repo, side, known);
    for (const { id: story } of stories) {
      const { branch = "", parked = null } = readWhereabouts(parkingFile(this.#parts, id, story)) ?? {};
      if (branch !== "" && parked !== null) await dropBranch(repo, branch, parseSnapshot(parked).head);
    }
  }

  async #hostId(): Promise<string | null> {
    return (await this.#parts.machines?.live())?.find(({ isHost }) => isHost)?.id ?? null;
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

  #clones(): readonly string[] {
    return Object.keys(this.#repositories)
      .map((repo) => this.#cloneOf(repo))
      .filter((path) => existsSync(path));
  }

  #cloneOf(repo: string): string {
    return join(this.#parts.home.dir, "repositories", cloneName(repo, sha256Of(repo)));
  }

  /** The run as it lies here failed. A clone that is damaged says nothing about the step. */
  async explain({ header }: Run, error: unknown): Promise<unknown> {
    const path = header.place.repo ?? "";
    const repo = Object.keys(this.#repositories).find((known) => this.#cloneOf(known) === path);
    return (repo === undefined ? null : await this.#damages.findIn({ repo, path })) ?? error;
  }

  /** `own`: the attempt that it is for; null: none yet. A damaged clone is made again. */
  async #bring(header: Header, path: string, origin: Origin, own: AttemptId | null): Promise<void> {
    const clone = { repo: header.place.repo ?? "", path };
    await this.#damages.mendKnown(clone, own);
    try {
      await this.#bringTo(header, path, origin);
    } catch (error) {
      if ((await this.#damages.findSometimes(clone)) === null) throw error;
      await this.#damages.mendKnown(clone, own);
      await this.#bringTo(header, path, origin);
    }
  }

  /** One process at a time: a fetch beside another one finds its locks. */
  async #bringTo(header: Header, path: string, origin: Origin): Promise<void> {
    const { base, side, run } = integrationTarget({ header, stories: {} });
    // The tree of a run without stories is on its side branch itself, and its base may be any commit (`HEAD~2`).
    const followed = hasStoryTrees(header.definition) ? { base, side } : { base: "", side: "" };
    await withTreeLock(path, async () => {
      await ensureClone(path, origin);
      await fetchRun(path, origin.from, { run, ...followed });
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

  /** For people, who agree to its commands in the folder. What counts for a run is in the commit that it starts from. */
  async #showConfiguration({ place }: Header, path: string): Promise<void> {
    await withTreeLock(path, async () => await showFile(path, place.base ?? "", repositoryConfig));
  }
}
