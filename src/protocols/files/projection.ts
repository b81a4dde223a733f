// Updates the files of a protocol after each commit. The files are output only; the store is authoritative. Several processes may
// project the same run: a lock and a sidecar keep the newest version, and each entry that is written once carries a mark.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../domain/error.ts";
import type { Event } from "../../domain/event.ts";
import type { FileChange } from "../../domain/file-change.ts";
import type { RunId, StoryId } from "../../domain/ids.ts";
import type { Run } from "../../domain/run.ts";
import type { StorySpec } from "../../domain/story.ts";
import { withFileLock } from "../../system/files/file-lock.ts";
import { enter, writeInside } from "../../system/files/inside.ts";
import type { Content } from "../../system/files/whole-file.ts";
import { readSidecar, sidecarName, writeSidecar } from "./sidecar.ts";

const writeAfterMs = 50;
/** A file of two thousand stories takes long to write, so at most a tenth of the time is spent on writing. */
const restPerWrite = 9;
const batch = 1_000;
/** A program that changes the files again and again does not keep them from being written. */
const mostLooks = 3;

/** The files that show a run. */
export interface ProjectedFiles {
  /** The folder of the files. If it was removed, it is not created again. */
  readonly dir: string;
  /** Where the way to the folder begins that agents can change: no link on it is followed. Default: the folder, which a user may have linked. */
  readonly root?: string;
  /** Agents read its whole files, so that those are up to date before each prompt. */
  readonly shownToAgents?: boolean;
  /** The lock in the folder that other writers of these files also take. Default: `.pawl.lock`. */
  readonly lock?: string;
  /** Called once in each process, before everything else. */
  prepare?(): Promise<void>;
  /** Called in each process for every event of the log, in order, to collect what the run itself does not contain. */
  follow?(event: Event): void;
  /** Writes the entry of an event. Two processes may try; an entry with the same mark is written only once. */
  writeEntry?(event: Event, mark: string): void | Promise<void>;
  /** Called after the entries of several events, for what is cheaper to write at once. If it throws, they are all tried again. */
  endEntries?(): void | Promise<void>;
  /** Looks at what others changed in its whole files, before they are written and when a person asks. Changes nothing. */
  look?(run: Run, specs: readonly StorySpec[]): Looked | Promise<Looked>;
  /** Whether the files are as `look` saw them. What came since is looked at before it is overwritten. */
  isAsLooked?(): boolean;
  /** Called before files that were changed are written: says what was found, and keeps what cannot be recorded. */
  found?(looked: Looked): void;
  /** The current contents of whole files by path. The run has all of its stories. */
  files?(run: Run, specs: readonly StorySpec[]): Readonly<Record<string, Content>>;
}

/** What others changed. */
export interface Looked {
  readonly changes: readonly FileChange[];
  /** What is so still and was recorded before, in words. */
  readonly known: readonly string[];
}

interface LoggedEvent {
  readonly seq: number;
  readonly event: Event;
}

/** The store, as a projection sees it. */
export interface ProjectionSource {
  events(run: RunId, after: number, limit: number): Promise<readonly LoggedEvent[]>;
  wholeRun(run: RunId): Promise<Run | null>;
  /** The header, and these stories. */
  partOf(run: RunId, stories: readonly StoryId[]): Promise<Run | null>;
  storySpecs(run: RunId): Promise<readonly StorySpec[]>;
  /** Absent: what others changed is not recorded. */
  takeChanges?(run: RunId, changes: readonly FileChange[]): Promise<void>;
}

/** Called each time files could not be written. */
export type OnTrouble = (why: unknown) => void;

export class Projection {
  readonly #id: RunId;
  readonly #files: ProjectedFiles;
  readonly #source: ProjectionSource;
  readonly #onTrouble: OnTrouble;
  readonly #root: string;
  readonly #lock: string;
  readonly #sidecar: string;
  readonly #stale = new Set<StoryId>();
  #seen = 0;
  /** How many events the files that this process wrote show. */
  #written = 0;
  #writeMs = 0;
  #run: Run | null = null;
  /** Null: an event since the last write may have changed them. */
  #specs: readonly StorySpec[] | null = null;
  #queue: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #prepared: Promise<void> | null = null;
  /** Entries that could not be written. The sidecar stays before the first of them. */
  readonly #unwritten: LoggedEvent[] = [];

  constructor(id: RunId, files: ProjectedFiles, source: ProjectionSource, onTrouble: OnTrouble) {
    this.#id = id;
    this.#files = files;
    this.#source = source;
    this.#onTrouble = onTrouble;
    this.#root = files.root ?? files.dir;
    this.#lock = files.lock ?? join(files.dir, ".pawl.lock");
    this.#sidecar = join(files.dir, sidecarName);
  }

  /** Call after a commit: the files are updated soon. */
  changed(): void {
    this.#timer ??= setTimeout(
      () => {
        this.#timer = null;
        void this.#enqueue(() => this.#write());
      },
      Math.max(writeAfterMs, restPerWrite * this.#writeMs),
    );
  }

  /** Waits until everything that the next prompt can show is in the files: entries that are written once, and whole files. */
  async settle(): Promise<void> {
    if (this.#files.shownToAgents === true) await this.#enqueue(() => this.#write());
    else await this.#enqueue(async () => throwFirst(await this.#catchUp()));
  }

  /** Waits until all files are up to date. */
  async flush(): Promise<void> {
    this.#stopTimer();
    await this.#enqueue(() => this.#write({ again: true }));
  }

  /** Removes the folder of a run that is closed. No process creates it again, also one that is about to write. */
  async discard(): Promise<void> {
    this.#stopTimer();
    await this.#queue;
    // Another process that waits for the lock has a file of its own beside it for a moment.
    await this.#locked(() => rmSync(this.#files.dir, { recursive: true, force: true, maxRetries: 3 }));
  }

  async close(): Promise<void> {
    // A commit that came while the files were written is shown as well: in one process a driver and other callers share this.
    do await this.flush();
    while (this.#timer !== null);
    await this.#queue;
  }

  /** A person removed the folder, or another process has closed the run. */
  get #isGone(): boolean {
    return !existsSync(this.#files.dir);
  }

  /** Undefined where the folder is gone, and the lock with it. */
  async #locked<Result>(act: () => Result): Promise<Result | undefined> {
    try {
      return await withFileLock(this.#lock, act, { makesFolder: false });
    } catch (error) {
      if (systemCode(error) === "ENOENT" && this.#isGone) return undefined;
      throw error;
    }
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** One at a time. Files that cannot be written do not stop the run; the next commit tries again. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    const unlessGone = async () => {
      this.#assertNoLink();
      if (this.#isGone) return;
      await work();
    };
    this.#queue = this.#queue.then(unlessGone).catch(this.#onTrouble);
    return this.#queue;
  }

  /** Locks are taken by their path, so a link on the way to the folder is found before the first of them. */
  #assertNoLink(): void {
    try {
      enter(this.#root, this.#files.dir).close();
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }

  /** What one file refuses does not keep the others from being written. */
  async #write({ again } = { again: false }): Promise<void> {
    const missed = again ? await this.#retell() : [];
    const trouble = [...missed, ...(await this.#catchUp())];
    await this.#writeFiles(again);
    throwFirst(trouble);
  }

  async #writeFiles(again: boolean): Promise<void> {
    const isShown = this.#seen === this.#written && !(again && this.#files.look !== undefined);
    if (isShown || this.#files.files === undefined) return;
    const begunAt = performance.now();
    for (let look = 1; ; look += 1) {
      await this.#takeChanges();
      const shown = this.#seen;
      const run = await this.#load();
      if (!run) return;
      this.#specs ??= await this.#source.storySpecs(this.#id);
      const files = Object.entries(this.#files.files(run, this.#specs));
      const isDone = await this.#locked(() => {
        if (look < mostLooks && this.#files.isAsLooked?.() === false) return false;
        // Another process may have written a newer version.
        if (this.#projected() <= shown) for (const [file, content] of files) writeInside(this.#root, file, content);
        return true;
      });
      if (isDone === undefined) return;
      if (!isDone) continue;
      this.#written = shown;
      this.#writeMs = performance.now() - begunAt;
      return;
    }
  }

  /** What others changed is recorded before it is written again. */
  async #takeChanges(): Promise<void> {
    if (this.#files.look === undefined) return;
    const run = await this.#load();
    if (run === null) return;
    this.#specs ??= await this.#source.storySpecs(this.#id);
    const looked = await this.#files.look(run, this.#specs);
    if (looked.changes.length > 0) {
      await this.#source.takeChanges?.(this.#id, looked.changes);
      this.#files.found?.(looked);
      await this.#catchUp();
    } else if (looked.known.length > 0) this.#files.found?.(looked);
  }

  /** Loads the current header, and only the stories that changed. */
  async #load(): Promise<Run | null> {
    const stale = [...this.#stale];
    const loaded =
      this.#run === null ? await this.#source.wholeRun(this.#id) : await this.#source.partOf(this.#id, stale);
    if (!loaded) return null;
    for (const story of stale) this.#stale.delete(story);
    this.#run = { header: loaded.header, stories: { ...this.#run?.stories, ...loaded.stories } };
    return this.#run;
  }

  /** Returns what could not be written. */
  async #catchUp(): Promise<readonly unknown[]> {
    const trouble: unknown[] = [];
    await (this.#prepared ??= this.#files.prepare?.() ?? Promise.resolve());
    for (;;) {
      const events = await this.#source.events(this.#id, this.#seen, batch);
      const last = events.at(-1);
      if (last) {
        const projected = this.#projected();
        this.#seen = last.seq;
        trouble.push(...this.#followAll(events.map(({ event }) => event)));
        trouble.push(...(await this.#tellAll(events.filter(({ seq }) => seq > projected))));
      }
      await this.#remember();
      if (events.length < batch) return trouble;
    }
  }

  /** Tries the entries again that could not be written. */
  async #retell(): Promise<readonly unknown[]> {
    return await this.#tellAll(this.#unwritten.splice(0));
  }

  /** Records how much the files show, up to the first entry that is missing in them. */
  async #remember(): Promise<void> {
    const shown = Math.min(this.#seen, ...this.#unwritten.map(({ seq }) => seq - 1));
    if (shown <= this.#projected()) return;
    await this.#locked(() => {
      if (shown > this.#projected()) writeSidecar(this.#sidecar, { run: this.#id, projected: shown }, this.#root);
    });
  }

  /** An event that fails does not block the others. */
  #followAll(events: readonly Event[]): readonly unknown[] {
    return events.flatMap((event) => {
      if (event.story !== null) this.#stale.add(event.story);
      if (!keepsSpecs.test(event.type)) this.#specs = null;
      try {
        this.#files.follow?.(event);
        return [];
      } catch (error) {
        return [error];
      }
    });
  }

  async #tellAll(events: readonly LoggedEvent[]): Promise<readonly unknown[]> {
    const trouble: unknown[] = [];
    for (const logged of events) {
      // An entry would make its folder.
      if (this.#isGone) return trouble;
      try {
        await this.#files.writeEntry?.(logged.event, `${this.#id}:${logged.seq}`);
      } catch (error) {
        this.#unwritten.push(logged);
        trouble.push(error);
      }
    }
    try {
      if (events.length > 0) await this.#files.endEntries?.();
    } catch (error) {
      this.#unwritten.push(...events.filter((logged) => !this.#unwritten.includes(logged)));
      trouble.push(error);
    }
    return trouble;
  }

  /** How many events the files already show. Agents may write there, so an unreadable sidecar counts as none. */
  #projected(): number {
    try {
      const sidecar = readSidecar(this.#sidecar);
      return sidecar?.run === this.#id ? sidecar.projected : 0;
    } catch {
      return 0;
    }
  }
}

/** What others changed in the files of a run, without recording or writing anything. */
export async function lookOnly(id: RunId, files: ProjectedFiles, source: ProjectionSource): Promise<Looked> {
  const run = files.look === undefined ? null : await source.wholeRun(id);
  if (run === null || files.look === undefined) return { changes: [], known: [] };
  await files.prepare?.();
  for (let seen = 0; ; ) {
    const events = await source.events(id, seen, batch);
    for (const { event } of events) files.follow?.(event);
    if (events.length < batch) break;
    seen = events.at(-1)?.seq ?? seen;
  }
  return await files.look(run, await source.storySpecs(id));
}

/** Events about a chain and its attempts: they change no story's spec. */
const keepsSpecs = /^(?:attempt|step|steps|file|gate|outputs|chain|edit|report|story_opened|story_changed)(?:_|$)/;

function throwFirst(trouble: readonly unknown[]): void {
  if (trouble.length > 0) throw trouble[0];
}
