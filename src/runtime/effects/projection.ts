// Projection. Owns: keeping the files of a run's protocol as the store says, after each commit. They are output: whatever they say, the
// store is right. Several processes may do it; each thing that is written once carries a mark.

import { existsSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { errorText } from "../../domain/error.ts";
import type { Event } from "../../domain/event.ts";
import type { RunId, StoryId } from "../../domain/ids.ts";
import type { Header, Run } from "../../domain/run.ts";
import { markPassed } from "../../protocols/ralph/prd.ts";
import { appendScratch, archiveScratch } from "../../protocols/ralph/scratch.ts";
import { readSidecar, type Shared, sharedIn, storyScratch, writeSidecar } from "../../protocols/ralph/shared.ts";
import { type ImportedState, readState, StateProjection, writeState } from "../../protocols/ralph/state-file.ts";
import type { StoredEvent } from "../../store/store.ts";
import { withFileLock } from "../../system/files/file-lock.ts";
import { writeWhole } from "../../system/files/whole-file.ts";
import type { Parts } from "../parts.ts";
import { importedName } from "../runs/prd-run.ts";

const writeAfterMs = 50;
/** A file of two thousand stories takes its time: no more than a tenth of ours is spent on it. */
const restPerWrite = 9;
const batch = 1_000;

/** One for each run in each process; null: the run has no such files. */
export function projectionOf(parts: Parts, { id, place }: Pick<Header, "id" | "place">): Projection | null {
  if (place.shared === undefined) return null;
  const known = projections.get(parts) ?? new Map<RunId, Projection>();
  projections.set(parts, known);
  const projection = known.get(id) ?? new Projection(parts, id, place.shared, place.prd ?? null);
  known.set(id, projection);
  return projection;
}

/** For whoever has changed a run and does not drive it. */
export async function projectRun(parts: Parts, id: RunId): Promise<void> {
  const loaded = await parts.store.transaction((tx) => tx.load(id, () => []));
  const projection = loaded ? projectionOf(parts, loaded.run.header) : null;
  await projection?.close();
}

const projections = new WeakMap<Parts, Map<RunId, Projection>>();

export class Projection {
  readonly #parts: Parts;
  readonly #id: RunId;
  readonly #shared: Shared;
  readonly #prd: string | null;
  readonly #state: StateProjection;
  readonly #stale = new Set<StoryId>();
  #seen = 0;
  /** How many events the state file shows that this process wrote. */
  #written = 0;
  /** How long the last writing took. */
  #writeMs = 0;
  #run: Run | null = null;
  #queue: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #warned = false;
  #isDiscarded = false;

  constructor(parts: Parts, id: RunId, dir: string, prd: string | null) {
    this.#parts = parts;
    this.#id = id;
    this.#shared = sharedIn(dir);
    this.#prd = prd;
    const prdFile = prd === null ? "" : basename(prd);
    this.#state = new StateProjection({ prdFile, imported: this.#readImported(join(dir, importedName)) });
  }

  /** It lies where agents may write: whatever is in it by now, the run goes on. */
  #readImported(file: string): ImportedState | null {
    try {
      return existsSync(file) ? readState(readFileSync(file, "utf8"), file) : null;
    } catch (error) {
      const why = errorText(error);
      this.#parts.warn(`what was imported is not shown any more: ${why}`);
      return null;
    }
  }

  /** Something was committed: the state file follows soon. */
  changed(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = null;
        void this.#enqueue(() => this.#write());
      },
      Math.max(writeAfterMs, restPerWrite * this.#writeMs),
    );
  }

  /** What must be in the files before somebody reads them is there. */
  async settle(): Promise<void> {
    await this.#enqueue(() => this.#catchUp());
  }

  /** Everything is as the store says. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#enqueue(() => this.#write());
  }

  /** The folder goes with its run, and nobody here makes it again. */
  async discard(): Promise<void> {
    this.#isDiscarded = true;
    await this.#queue;
    rmSync(this.#shared.dir, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    // Somebody else may have closed the run.
    if (existsSync(this.#shared.dir)) await this.flush();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#queue;
  }

  /** One at a time. Files that cannot be written hold no run: it is said once, and tried again at the next commit. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    const unlessGone = async () => (this.#isDiscarded ? undefined : await work());
    this.#queue = this.#queue.then(unlessGone).catch((error: unknown) => {
      const why = errorText(error);
      this.#parts.log("projection.failed", { run: this.#id, why });
      if (!this.#warned) this.#parts.warn(`the files in ${this.#shared.dir} could not be written: ${why}`);
      this.#warned = true;
    });
    return this.#queue;
  }

  async #write(): Promise<void> {
    await this.#catchUp();
    if (this.#seen === this.#written) return;
    const begunAt = performance.now();
    const shown = this.#seen;
    const run = await this.#load();
    if (!run) return;
    const document = this.#state.document(run, await this.#parts.store.storySpecs(this.#id));
    await withFileLock(this.#shared.stateLock, () => {
      // Another process may have written what comes after this.
      if (this.#projected() <= shown) writeState(this.#shared.stateFile, document);
    });
    this.#written = shown;
    this.#writeMs = performance.now() - begunAt;
  }

  /** The header as it is now; of the stories only those that something happened to. */
  async #load(): Promise<Run | null> {
    const stale = [...this.#stale];
    const first = this.#run === null;
    const loaded = first
      ? await this.#parts.store.wholeRun(this.#id)
      : (await this.#parts.store.transaction((tx) => tx.load(this.#id, () => stale)))?.run;
    if (!loaded) return null;
    for (const story of stale) this.#stale.delete(story);
    this.#run = { header: loaded.header, stories: { ...this.#run?.stories, ...loaded.stories } };
    return this.#run;
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const events = await this.#parts.store.events(this.#id, this.#seen, batch);
      const last = events.at(-1);
      if (!last) return;
      const projected = this.#projected();
      for (const { event } of events) this.#follow(event);
      this.#seen = last.seq;
      await this.#tellAll(events.filter(({ seq }) => seq > projected));
      if (last.seq > projected) {
        await withFileLock(this.#shared.stateLock, () => {
          if (last.seq > this.#projected()) writeSidecar(this.#shared, { run: this.#id, projected: last.seq });
        });
      }
      if (events.length < batch) return;
    }
  }

  /** One that cannot be told keeps none of the others from it. */
  async #tellAll(events: readonly StoredEvent[]): Promise<void> {
    let trouble: unknown = null;
    for (const { seq, event } of events) {
      await this.#tell(event, `${this.#id}:${seq}`).catch((error: unknown) => {
        trouble ??= error;
      });
    }
    if (trouble !== null) throw trouble;
  }

  /** How many events the files show already, whoever wrote them. It lies where agents may write: what is no number is none. */
  #projected(): number {
    try {
      const sidecar = readSidecar(this.#shared);
      return sidecar?.run === this.#id ? sidecar.projected : 0;
    } catch {
      return 0;
    }
  }

  #follow(event: Event): void {
    this.#state.apply(event);
    if (event.story !== null) this.#stale.add(event.story);
  }

  async #tell(event: Event, mark: string): Promise<void> {
    if (event.type === "edit_refused" && event.story !== null) {
      const entry = `## Workflow edit refused (${event.by})\n\nNothing was changed: ${event.why}`;
      await appendScratch(storyScratch(this.#shared, event.story), entry, { mark });
    }
    if (event.type === "step_failed" && event.story !== null) {
      const entry = `- ${event.story} failed at ${event.step}: ${event.reason.split("\n", 1)[0]?.slice(0, 500)}`;
      await appendScratch(this.#shared.scratchFile, entry, { mark });
    }
    if (event.type === "story_changed" && event.status === "done") {
      this.#markPassed(event.of);
      archiveScratch(this.#shared, event.of);
    }
  }

  /** Only that one word of the user's file changes. */
  #markPassed(story: StoryId): void {
    if (this.#prd === null || !existsSync(this.#prd)) return;
    const text = readFileSync(this.#prd, "utf8");
    const marked = markPassed(text, [story]);
    if (marked !== text) writeWhole(this.#prd, marked);
  }
}
